"""Who learns from which sums: demonstrations, training prompts and held-out prompts, without leakage.

The unit of the split is the *unordered* pair: 27 + 58 and 58 + 27 never stand on two sides. Each pair is asked in one
order, drawn at random.
"""

from dataclasses import dataclass

import numpy as np

from pycore import arithmetic
from pycore.argument import Index, scalar, whole
from pycore.domain import DomainError

PAIRS = (arithmetic.HIGHEST - arithmetic.LOWEST + 1) * (arithmetic.HIGHEST - arithmetic.LOWEST + 2) // 2


@dataclass(frozen=True)
class Sizes:
    """How the 4,095 unordered pairs are dealt.

    Attributes:
        prompts: training prompts of the reinforcement learning, from 2.
        held_out: prompts that no training ever sees, from 2.
        demonstrations: solved examples for the warm start, from 1.
        probe: prompts that only decide when the warm start ends, from 2.
        carry_share: difficulty: share of training prompts that need at least one carry, in [0, 1]; None as it comes.

    Raises:
        DomainError: a number out of range, or more pairs than there are.
    """

    prompts: int = 2048
    held_out: int = 256
    demonstrations: int = 1500
    probe: int = 256
    carry_share: float | None = None

    def __post_init__(self) -> None:
        for name, low in (("prompts", 2), ("held_out", 2), ("demonstrations", 1), ("probe", 2)):
            object.__setattr__(self, name, whole(name, getattr(self, name), low, PAIRS))
        if self.carry_share is not None:
            object.__setattr__(self, "carry_share", scalar("carry_share", self.carry_share, 0, 1))
        rest = PAIRS - self.held_out - self.demonstrations - self.probe
        if self.prompts > rest:
            raise DomainError("prompts", self.prompts, f"an integer from 2 to {rest}, the pairs that are left")


@dataclass(frozen=True, eq=False)
class Split:
    """Operand pairs by their use, each of shape (n, 2); no unordered pair occurs twice.

    Attributes:
        train: prompts of the reinforcement learning.
        held_out: prompts for evaluation only.
        demonstrations: prompts of the warm start.
        probe: prompts that decide when the warm start ends.
    """

    train: Index
    held_out: Index
    demonstrations: Index
    probe: Index


def split(sizes: Sizes, generator: np.random.Generator) -> Split:
    """Deals the pairs.

    Args:
        sizes: how many of each.
        generator: source of randomness.

    Raises:
        DomainError: not enough pairs with, or without, a carry.

    >>> dealt = split(Sizes(prompts=48), np.random.default_rng(0))
    >>> len(dealt.train), len(dealt.held_out)
    (48, 256)
    """
    numbers = np.arange(arithmetic.LOWEST, arithmetic.HIGHEST + 1)
    low, high = np.triu_indices(len(numbers))
    pairs = np.stack([numbers[low], numbers[high]], axis=1)
    pairs = pairs[generator.permutation(len(pairs))]
    turned = generator.random(len(pairs)) < 0.5
    pairs[turned] = pairs[turned][:, ::-1]
    ends = np.cumsum([sizes.held_out, sizes.demonstrations, sizes.probe])
    held_out, demonstrations, probe, rest = np.split(pairs, ends)
    if sizes.carry_share is None:
        return Split(rest[: sizes.prompts], held_out, demonstrations, probe)
    hard = arithmetic.carries(rest) > 0
    wanted = round(sizes.carry_share * sizes.prompts)
    for name, there, need in (("with", hard.sum(), wanted), ("without", (~hard).sum(), sizes.prompts - wanted)):
        if need > there:
            raise DomainError("carry_share", sizes.carry_share, f"a share for which {there} pairs {name} carry suffice")
    chosen = np.concatenate([rest[hard][:wanted], rest[~hard][: sizes.prompts - wanted]])
    return Split(chosen[generator.permutation(len(chosen))], held_out, demonstrations, probe)


def demonstrate(pairs: Index, corruption: float, generator: np.random.Generator) -> Index:
    """True responses of which a share has one mistake: a units digit off by one, a wrong carry or tens off by one.

    Args:
        pairs: operands, shape (demonstrations, 2).
        corruption: probability of a mistake, in [0, 1].
        generator: source of randomness.

    Returns:
        Token ids, shape (demonstrations, 6).

    >>> demonstrate(np.array([[27, 58]]), 0.0, np.random.default_rng(0)).tolist()
    [[5, 13, 8, 14, 15, 15]]
    """
    scalar("corruption", corruption, 0, 1)
    count = len(pairs)
    a, b = arithmetic.checked_pairs(pairs).T
    total = a + b
    kind = np.where(generator.random(count) < corruption, generator.integers(0, 3, count), -1)
    slip = generator.choice([-1, 1], count)
    units = (total + np.where(kind == 0, slip, 0)) % 10
    carry = np.where(kind == 1, 1 - (a % 10 + b % 10 > 9), a % 10 + b % 10 > 9)
    tens = (total // 10 + np.where(kind == 2, slip, 0)) % 10
    long = total > 99
    return arithmetic.write_answers(units, carry, tens, long.astype(np.int64), long)
