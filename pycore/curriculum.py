"""Which prompts to ask next: uniformly, the ones that fail, or those at the frontier of what succeeds sometimes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, scalar, whole
from pycore.domain import Array, DomainError, option, within

KINDS = ("uniform", "failure", "frontier")


@dataclass(frozen=True)
class Curriculum:
    """How prompts are drawn.

    Attributes:
        kind: `uniform`; `failure`, in proportion to 1 - success; `frontier`, those whose success lies in a band.
        low: lower end of the band, in [0, 1].
        high: upper end, in [low, 1].
        outside: weight of a prompt outside the band against one inside, in (0, 1]: it must be asked now and then, or
            its success would never be measured again.
        memory: weight of what was seen before against the newest group, in [0, 1).

    Raises:
        DomainError: an unknown kind, a number out of range.
    """

    kind: str = "uniform"
    low: float = 0.2
    high: float = 0.8
    outside: float = 0.1
    memory: float = 0.7

    def __post_init__(self) -> None:
        option("kind", self.kind, KINDS)
        scalar("low", self.low, 0, 1)
        scalar("high", self.high, self.low, 1)
        scalar("outside", self.outside, 0, 1, open_low=True)
        scalar("memory", self.memory, 0, 1, open_high=True)


@dataclass(eq=False)
class Experience:
    """What is known of each prompt, fading with every new group.

    Attributes:
        right: faded count of correct responses, shape (prompts,).
        seen: faded count of responses, same shape.
        asked: how often a group was drawn, same shape.
    """

    right: Array
    seen: Array
    asked: Array

    @classmethod
    def none(cls, prompts: int) -> "Experience":
        """Nothing known yet of `prompts` prompts."""
        return cls(*(np.zeros(whole("prompts", prompts, 1)) for _ in range(3)))

    def learn(self, chosen: Index, correct: ArrayLike, memory: float) -> None:
        """Adds one group for each chosen prompt; a prompt is chosen at most once.

        Args:
            chosen: prompt numbers, shape (groups,).
            correct: booleans, shape (groups, group).
            memory: weight of what was seen before, in [0, 1).
        """
        outcome = np.asarray(correct, dtype=bool)
        self.right[chosen] = memory * self.right[chosen] + outcome.sum(axis=1)
        self.seen[chosen] = memory * self.seen[chosen] + outcome.shape[1]
        self.asked[chosen] += 1

    def success(self) -> Array:
        """Estimated success of each prompt; 1/2 where nothing is known (Laplace's rule).

        >>> Experience.none(1).success().tolist()
        [0.5]
        """
        return (self.right + 1) / (self.seen + 2)


def weights(curriculum: Curriculum, success: ArrayLike) -> Array:
    """Relative chance of each prompt.

    Args:
        curriculum: the rule.
        success: estimated success, in [0, 1], shape (prompts,).

    >>> weights(Curriculum("failure"), [0.25, 0.75]).tolist()
    [0.75, 0.25]

    Source: Kimi k1.5 (2025) for 1 - success; the band is that of dynamic sampling without its cost.
    """
    rate = within("success", success, 0, 1)
    if curriculum.kind == "uniform":
        return np.ones_like(rate)
    if curriculum.kind == "failure":
        return 1 - rate
    return np.where((rate >= curriculum.low) & (rate <= curriculum.high), 1.0, curriculum.outside)


def draw(curriculum: Curriculum, experience: Experience, count: int, generator: np.random.Generator) -> Index:
    """Different prompts, drawn one after the other in proportion to their weights.

    Args:
        curriculum: the rule.
        experience: what is known of each prompt.
        count: how many, from 1 to the number of prompts.
        generator: source of randomness.

    Returns:
        Prompt numbers, shape (count,).

    Raises:
        DomainError: more than there are.

    >>> sorted(draw(Curriculum(), Experience.none(3), 3, np.random.default_rng(0)).tolist())
    [0, 1, 2]

    Source: Efraimidis & Spirakis (2006): the largest log(u) / weight are such a draw.
    """
    number = whole("count", count, 1, len(experience.seen))
    chance = weights(curriculum, experience.success())
    if np.count_nonzero(chance) < number:
        raise DomainError("count", count, f"at most {np.count_nonzero(chance)}, the prompts with a chance")
    with np.errstate(divide="ignore"):
        key = np.log(generator.random(len(chance))) / chance
    return np.argsort(-key, kind="stable")[:number]
