"""One formula for seven methods: every update is a sum of coefficient times grad log-prob; only two things differ.

*Where the answers come from* and *which coefficient* multiplies the gradient of each answer's log-prob. Whoever
knows both knows the method; whether the loss is called supervised, preference or reinforcement is a matter of names.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import boolean, finite, scalar
from pycore.direct import dpo
from pycore.domain import Array, DomainError, integer, option, same_shape, within

SOURCES = ("demonstrations", "base policy", "current policy")


@dataclass(frozen=True)
class Answers:
    """Answers to one prompt with everything any method may ask about them; every given array has shape (answers,).

    Attributes:
        rewards: finite.
        correct: True for answers the verifier accepts.
        values: the critic's estimate for each answer's prompt; PPO needs it.
        advantages: group-relative advantages, e.g. from `pycore.advantages`; GRPO needs them.
        logp: log-probs of whole answers under the current policy; DPO needs them.
        logp_ref: the same under the reference; DPO needs them.
        beta: strength of DPO's implied reward, > 0.
    """

    rewards: ArrayLike
    correct: ArrayLike
    values: ArrayLike | None = None
    advantages: ArrayLike | None = None
    logp: ArrayLike | None = None
    logp_ref: ArrayLike | None = None
    beta: float = 0.1

    def __post_init__(self) -> None:
        rewards, correct = finite("rewards", self.rewards, dimensions=1), boolean("correct", self.correct)
        if rewards.size == 0:
            raise DomainError("rewards.shape", rewards.shape, "(answers,) with at least one answer")
        same_shape(rewards=rewards, correct=correct)
        for name in ("values", "advantages"):
            given = getattr(self, name)
            if given is not None:
                same_shape(**{"rewards": rewards, name: finite(name, given)})
        for name in ("logp", "logp_ref"):
            given = getattr(self, name)
            if given is not None:
                same_shape(**{"rewards": rewards, name: within(name, given, -np.inf, 0, open_low=True)})
        scalar("beta", self.beta, 0, np.inf, open_low=True, open_high=True)


@dataclass(frozen=True)
class Method:
    """A method as a data source and a coefficient.

    Attributes:
        source: who wrote the answers, one of `SOURCES`.
        needs: fields of `Answers` beyond rewards and correct.
        signed: whether a coefficient can be negative, pushing an answer's probability down.
        per: what the sum of the update is divided by: the number of "answer"s, or of "pair"s.
        coefficient: from `Answers` to shape (answers,). DPO pairs the best with the worst reward, the first of equals.
    """

    source: str
    needs: tuple[str, ...]
    signed: bool
    per: str
    coefficient: Callable[[Answers], Array]


def coefficients(method: str, answers: Answers) -> Array:
    """What multiplies the gradient of each answer's log-prob.

    Args:
        method: one of `METHODS`.
        answers: to one prompt, written by the method's source.

    Returns:
        Shape (answers,).

    Raises:
        DomainError: an unknown method, or a field that it needs and that is None.

    >>> two = Answers(rewards=[1, 0], correct=[True, False], advantages=[1.0, -1.0])
    >>> coefficients("rft", two).tolist(), coefficients("grpo", two).tolist()
    ([1.0, 0.0], [1.0, -1.0])

    Source: DeepSeekMath (2024), the unified paradigm.
    """
    return METHODS[option("method", method, METHODS)].coefficient(answers)


def update(method: str, answers: Answers, scores: ArrayLike) -> Array:
    """The ascent direction of one prompt's update.

    Args:
        method: one of `METHODS`.
        answers: to one prompt.
        scores: gradient of each answer's log-prob, shape (answers, ...).

    Returns:
        Sum of coefficient times score over the number of answers or pairs, shape scores.shape[1:].

    Raises:
        DomainError: as `coefficients`; a number of scores that differs from the number of answers.

    >>> update("sft", Answers([1, 1], [True, True]), [[1.0, 0.0], [0.0, 1.0]]).tolist()
    [0.5, 0.5]

    Source: DeepSeekMath (2024), the unified paradigm.
    """
    weight, vectors = coefficients(method, answers), finite("scores", scores)
    if vectors.ndim == 0 or len(vectors) != len(weight):
        raise DomainError("scores.shape", vectors.shape, f"({len(weight)}, ...), one vector per answer")
    count = len(weight) if METHODS[method].per == "answer" else 1
    return np.asarray(np.tensordot(weight, vectors, axes=1) / count)


def token_coefficients(
    method: str, answers: Answers, lengths: ArrayLike, *, values: ArrayLike | None = None, by_length: bool = True
) -> Array:
    """What multiplies the gradient of each token's log-prob.

    Args:
        method: one of `METHODS`.
        answers: to one prompt.
        lengths: tokens of each answer, integers >= 1, shape (answers,).
        values: a critic's estimate before each token, finite, shape (answers, longest length): PPO then compares the
            reward with these (gamma = lambda = 1) instead of with `answers.values`.
        by_length: divide by the answer's length, as DeepSeekMath writes every method; False leaves the sum over tokens,
            as DPO and the sequence-level policy gradient are usually published.

    Returns:
        Shape (answers, longest length), 0 beyond an answer's end.

    Raises:
        DomainError: as `coefficients`; a length that is no integer >= 1; values given to a method that has no critic.

    >>> two = Answers(rewards=[1, 0], correct=[True, False])
    >>> token_coefficients("rft", two, [2, 1]).tolist()
    [[0.5, 0.5], [0.0, 0.0]]

    Source: DeepSeekMath (2024), the unified paradigm.
    """
    size = integer("lengths", lengths, 1)
    same_shape(rewards=_given(answers, "rewards"), lengths=size)
    inside = np.arange(int(size.max())) < size[:, None]
    if values is None:
        weight = np.repeat(coefficients(method, answers)[:, None], inside.shape[1], axis=1)
    elif "values" in METHODS[option("method", method, METHODS)].needs:
        critic = finite("values", values, dimensions=2)
        same_shape(tokens=inside, values=critic)
        weight = _given(answers, "rewards")[:, None] - critic
    else:
        raise DomainError("values", "an array", f"None: {method} has no critic")
    return np.where(inside, weight / size[:, None] if by_length else weight, 0.0)


def anchor_coefficient(logp: ArrayLike, logp_ref: ArrayLike, beta: float) -> Array:
    """What the k3 penalty in the loss adds to the coefficient of each token.

    Args:
        logp: token log-probs under the current policy, <= 0, finite, shape (...).
        logp_ref: the same under the reference, shape (...).
        beta: KL coefficient, >= 0.

    Returns:
        beta (pi_ref / pi - 1), shape (...): positive where the policy has fallen below the reference. It is there
        for flat groups too, whose advantages are all zero.

    Raises:
        DomainError: different shapes, a positive or infinite log-prob, beta < 0.

    >>> anchor_coefficient([-2.0, -1.0], [-1.0, -2.0], 0.1).round(4).tolist()
    [0.1718, -0.0632]

    Source: DeepSeekMath (2024), appendix A.1.6: the gradient coefficient of GRPO.
    """
    current = within("logp", logp, -np.inf, 0, open_low=True)
    reference = within("logp_ref", logp_ref, -np.inf, 0, open_low=True)
    same_shape(logp=current, logp_ref=reference)
    return np.asarray(scalar("beta", beta, 0, np.inf, open_high=True) * np.expm1(reference - current))


def _given(answers: Answers, name: str) -> Array:
    value = getattr(answers, name)
    if value is None:
        raise DomainError(name, None, "one number per answer: this method needs it")
    return np.array(value, dtype=np.float64)


def _every(answers: Answers) -> Array:
    return np.ones_like(_given(answers, "rewards"))


def _accepted(answers: Answers) -> Array:
    return _given(answers, "correct")


def _preferred(answers: Answers) -> Array:
    rewards, logp, reference = (_given(answers, name) for name in ("rewards", "logp", "logp_ref"))
    weight = np.zeros_like(rewards)
    best, worst = int(rewards.argmax()), int(rewards.argmin())
    if rewards[best] > rewards[worst]:
        pair = dpo(logp[best], logp[worst], reference[best], reference[worst], answers.beta)
        weight[best], weight[worst] = -pair.gradient.chosen, -pair.gradient.rejected
    return weight


def _above_critic(answers: Answers) -> Array:
    return _given(answers, "rewards") - _given(answers, "values")


def _group_relative(answers: Answers) -> Array:
    return _given(answers, "advantages")


METHODS = {
    "sft": Method("demonstrations", (), False, "answer", _every),
    "rft": Method("base policy", (), False, "answer", _accepted),
    "online rft": Method("current policy", (), False, "answer", _accepted),
    "dpo": Method("base policy", ("logp", "logp_ref"), True, "pair", _preferred),
    "online dpo": Method("current policy", ("logp", "logp_ref"), True, "pair", _preferred),
    "ppo": Method("current policy", ("values",), True, "answer", _above_critic),
    "grpo": Method("current policy", ("advantages",), True, "answer", _group_relative),
}
