"""Supervised warm start: imitation of imperfect demonstrations until a chosen accuracy is reached."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pycore import arithmetic
from pycore.argument import Index, scalar, whole
from pycore.domain import Array
from pycore.gru_policy import GruPolicy
from pycore.policy import Parts, finish, written
from pycore.split import Split, demonstrate


@dataclass(frozen=True)
class WarmStart:
    """How the policy is brought to a first accuracy.

    Attributes:
        accuracy: the exact accuracy on the probe at which it stops, in (0, 1].
        corruption: share of demonstrations with a mistake, in [0, 1].
        learning_rate: of Adam.
        batch: demonstrations a step, >= 1.
        max_norm: gradient clipping.
        check_every: steps between two looks at the accuracy.
        max_steps: stops there even if the accuracy was not reached.

    Raises:
        DomainError: a number out of range.
    """

    accuracy: float = 0.31
    corruption: float = 0.3
    learning_rate: float = 3e-3
    batch: int = 64
    max_norm: float = 1.0
    check_every: int = 10
    max_steps: int = 3000

    def __post_init__(self) -> None:
        scalar("accuracy", self.accuracy, 0, 1, open_low=True)
        scalar("corruption", self.corruption, 0, 1)
        scalar("learning_rate", self.learning_rate, 0, 1, open_low=True)
        scalar("max_norm", self.max_norm, 0, np.inf, open_low=True)
        for name in ("batch", "check_every", "max_steps"):
            object.__setattr__(self, name, whole(name, getattr(self, name), 1, 1_000_000))


@dataclass(frozen=True)
class WarmStep:
    """State of the warm start: steps so far, negative log-likelihood of the last batch, last accuracy measured."""

    step: int
    loss: float
    accuracy: float


def warm_start(
    policy: GruPolicy, split: Split, settings: WarmStart, generator: np.random.Generator
) -> Iterator[WarmStep | None]:
    """Trains `policy` in place, one yielded step at a time.

    Args:
        policy: changed in place.
        split: its demonstrations and probe are used.
        settings: when to stop and how to learn.
        generator: source of randomness.

    Yields:
        WarmStep after each step, the last of which has reached the accuracy, or `max_steps`; None between the parts of
        a step that takes long.
    """
    tokens = demonstrate(split.demonstrations, settings.corruption, generator)
    prompts = arithmetic.encode_prompts(split.demonstrations)
    accuracy = 0.0
    for step in range(1, settings.max_steps + 1):
        chosen = generator.integers(0, len(tokens), settings.batch)
        rollout = written(prompts[chosen], tokens[chosen][:, None], policy.grammar)
        scores = yield from policy.logp_in_parts(rollout)
        count = rollout.mask.sum()
        yield from policy.backward_in_parts(np.where(rollout.mask, -1.0 / count, 0.0))
        policy.step(settings.learning_rate, settings.max_norm)
        if step % settings.check_every == 0:
            accuracy = float((yield from exact_success_in_parts(policy, split.probe)).mean())
        yield WarmStep(step, float(-scores.logp.sum() / count), accuracy)
        if accuracy >= settings.accuracy:
            return


def exact_success(policy: GruPolicy, pairs: Index) -> Array:
    """Probability of a correct response to each prompt, summed over all correct ones: no sampling noise.

    Args:
        policy: over the whole grammar of sums.
        pairs: operands, shape (prompts, 2).

    Returns:
        Shape (prompts,); 1 - (1 - p)^k is the exact pass@k.
    """
    return finish(exact_success_in_parts(policy, pairs))


def exact_success_in_parts(policy: GruPolicy, pairs: Index) -> Parts[Array]:
    """`exact_success`, with a yield after every token."""
    tokens, distinct = arithmetic.accepted_answers(pairs)
    scores = yield from policy.logp_in_parts(written(arithmetic.encode_prompts(pairs), tokens, policy.grammar))
    return np.asarray((np.exp(scores.logp.sum(axis=2)) * distinct).sum(axis=1))
