"""What a policy is to the trainer: it samples, scores what was sampled, takes a gradient, and steps.

`pycore.gru_policy.GruPolicy` is the one that runs in the browser. A Hugging Face model with LoRA fits the same
interface: `sample` is `generate` under `no_grad` and `eval()`, the processed scores' log-softmax stored as
`Rollout.logp`;
`logp` is a forward pass in the same mode (dropout would move the first ratio away from 1) whose log-probs keep their
graph; `backward` is `(grad_logp * logp).sum() + ...` followed by `.backward()`; `step` clips and calls the optimiser;
`copy` is the same model with the adapters switched off.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol as Interface
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, Mask, boolean
from pycore.domain import Array, DomainError, integer
from pycore.ratio import Floats


@dataclass(frozen=True, eq=False)
class Grammar:
    """Tokens allowed at each position of a response.

    Attributes:
        allowed: booleans, at least one a row, shape (tokens, vocabulary); the rows are the length limit.
        end: token that ends a response.
        pad: token that fills the array after the end.

    Raises:
        DomainError: another shape, a row without a token.

    >>> Grammar([[True, True], [False, True]], end=1, pad=0).free.tolist()
    [True, False]
    """

    allowed: Mask
    end: int
    pad: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "allowed", boolean("allowed", self.allowed))
        if self.allowed.ndim != 2 or self.allowed.size == 0:
            raise DomainError("allowed.shape", self.allowed.shape, "(tokens, vocabulary), both at least 1")
        if not self.allowed.any(axis=1).all():
            raise DomainError("allowed", False, "at least one token in every row")
        for name in ("end", "pad"):
            if not 0 <= getattr(self, name) < self.allowed.shape[1]:
                raise DomainError(name, getattr(self, name), f"an integer from 0 to {self.allowed.shape[1] - 1}")

    @property
    def free(self) -> Mask:
        """Positions with a choice: the others are forced and belong in no loss, entropy or KL; shape (tokens,)."""
        return np.asarray(self.allowed.sum(axis=1) > 1)


@dataclass(frozen=True, eq=False)
class Rollout:
    """Groups of responses as they were sampled.

    Attributes:
        prompts: token ids, shape (prompts, prompt_tokens).
        tokens: sampled ids, the pad token after the end, shape (prompts, group, tokens).
        mask: actions that train: up to the end and not forced, same shape.
        logp: log-prob of each action under the *behaviour* policy (temperature, filters, grammar), 0 elsewhere.
        entropy: of the behaviour policy at each action, 0 elsewhere, same shape.
        lengths: tokens up to and including the end, shape (prompts, group).
        truncated: responses that met the limit without ending, shape (prompts, group).
    """

    prompts: Index
    tokens: Index
    mask: Mask
    logp: Floats
    entropy: Floats
    lengths: Index
    truncated: Mask

    @property
    def shape(self) -> tuple[int, int, int]:
        prompts, group, tokens = self.tokens.shape
        return prompts, group, tokens

    def rows(self, chosen: ArrayLike) -> "Rollout":
        """The rollout of some of its prompts, in the order given."""
        index = np.asarray(chosen)
        return Rollout(*(getattr(self, name)[index] for name in _FIELDS))


@dataclass(frozen=True, eq=False)
class Scores:
    """A rollout under the current policy: temperature and grammar, but no top-k or top-p.

    Attributes:
        logp: log-prob of each action, 0 at inactive tokens, shape (prompts, group, tokens).
        entropy: at each action, same shape.
        kl: KL(policy || reference) at each action, computed over the whole vocabulary, same shape; None without one.
    """

    logp: Floats
    entropy: Floats
    kl: Floats | None = None


class Policy(Interface):
    """A language model that can be trained by a group update."""

    def sample(self, prompts: ArrayLike, group: int, generator: np.random.Generator) -> Rollout:
        """Draws `group` responses to each prompt and stores the behaviour log-probs."""

    def logp(self, rollout: Rollout, reference: "Policy | None" = None) -> Scores:
        """Scores a rollout, and keeps what `backward` needs. `reference` is only asked for the exact KL."""

    def backward(self, grad_logp: Floats, grad_entropy: Array | None = None, grad_kl: Array | None = None) -> float:
        """Adds nothing up: replaces the gradient by that of the last `logp` call.

        Args:
            grad_logp: d loss / d logp, shape (prompts, group, tokens).
            grad_entropy: d loss / d entropy of each action of a response, shape (prompts, group).
            grad_kl: d loss / d kl of each action of a response, shape (prompts, group).

        Returns:
            The gradient's norm before any clipping.
        """

    def step(self, learning_rate: float, max_norm: float) -> None:
        """Clips the gradient to `max_norm` and lets the optimiser take one step."""

    def copy(self) -> "Policy":
        """A frozen twin: what the KL is measured against."""

    def save(self) -> bytes:
        """Weights and optimiser state; the policy's own class reads them back."""


def written(prompts: ArrayLike, tokens: ArrayLike, grammar: Grammar) -> Rollout:
    """Responses that nobody sampled, in the form a policy can score: demonstrations, reference answers.

    Args:
        prompts: token ids, shape (prompts, prompt_tokens).
        tokens: response ids, the pad token after the end, shape (prompts, group, up to the grammar's limit).
        grammar: decides which positions are actions.

    Returns:
        Rollout whose behaviour log-probs are 0.

    Raises:
        DomainError: shapes that do not fit, a token that the grammar forbids at its position.

    >>> grammar = Grammar(np.ones((2, 3), bool), end=1, pad=2)
    >>> written([[0]], [[[0, 1], [1, 2]]], grammar).mask.tolist()
    [[[True, True], [True, False]]]
    """
    given, spoken = integer("prompts", prompts, 0).astype(np.int64), integer("tokens", tokens, 0).astype(np.int64)
    length = grammar.allowed.shape[0]
    if spoken.ndim != 3 or spoken.shape[0] != len(given) or spoken.shape[2] > length:
        raise DomainError("tokens.shape", spoken.shape, f"({len(given)}, group, up to {length})")
    width = spoken.shape[2]
    ends = spoken == grammar.end
    ended = ends.any(axis=2)
    lengths = np.where(ended, np.argmax(ends, axis=2) + 1, width)
    inside = np.arange(width) < lengths[..., None]
    known = spoken < grammar.allowed.shape[1]
    fits = known & grammar.allowed[np.arange(width), np.where(known, spoken, 0)]
    if not np.all(fits | ~inside):
        raise DomainError(
            "tokens", int(spoken[inside & ~fits].flat[0]), "tokens that the grammar allows in their place"
        )
    nothing = np.zeros(spoken.shape)
    return Rollout(given, spoken, inside & grammar.free[:width], nothing, nothing, lengths, ~ended)


Result = TypeVar("Result")
Parts = Generator[None, None, Result]


def finish(parts: Parts[Result]) -> Result:
    """Does in one go what can be done in parts.

    Args:
        parts: yields between its parts and returns the result.
    """
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def join(rollouts: Sequence[Rollout]) -> Rollout:
    """Rollouts of equal group and length, one after the other.

    Raises:
        DomainError: none at all, or different shapes.
    """
    if not rollouts:
        raise DomainError("rollouts", [], "at least one")
    for rollout in rollouts:
        if rollout.shape[1:] != rollouts[0].shape[1:]:
            raise DomainError("rollouts", rollout.shape[1:], f"{rollouts[0].shape[1:]}, as the first one")
    if len(rollouts) == 1:
        return rollouts[0]
    return Rollout(*(np.concatenate([getattr(one, name) for one in rollouts]) for name in _FIELDS))


_FIELDS = ("prompts", "tokens", "mask", "logp", "entropy", "lengths", "truncated")
