"""Exact bias and variance of policy-gradient estimators: sums over every group that a small policy can produce."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, lgamma

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, finite, whole
from pycore.domain import Array, DomainError, same_shape
from pycore.tilt import distribution

# Enough for 9 responses in groups of 8 and 3 answers in groups of 64; more would no longer be a matter of seconds.
MOST_GROUPS = 200_000


@dataclass(frozen=True)
class Moments:
    """Exact behaviour of a gradient estimator over all groups it can meet.

    Attributes:
        mean: expected estimate, shape of one gradient.
        bias: mean minus the target.
        variance: total variance, the trace of the covariance.
        mean_square_error: |bias|^2 + variance.
        silent: probability of a group whose advantages are all zero.
    """

    mean: Array
    bias: Array
    variance: float
    mean_square_error: float
    silent: float


def exact_gradient(probability: ArrayLike, scores: ArrayLike, rewards: ArrayLike) -> Array:
    """Gradient of the expected reward, summed over all responses.

    Args:
        probability: of each response, sums to 1, shape (responses,).
        scores: gradient of each response's log-prob, shape (responses, ...).
        rewards: finite, shape (responses,).

    Returns:
        sum_o p(o) r(o) grad log p(o), shape scores.shape[1:].

    Raises:
        DomainError: mismatched shapes.

    >>> exact_gradient([0.5, 0.5], [[0.5, -0.5], [-0.5, 0.5]], [1.0, 0.0]).tolist()
    [0.25, -0.25]

    Source: REINFORCE (Williams 1992), as a sum.
    """
    p, vectors, reward = _policy(probability, scores, rewards)
    return np.asarray(np.tensordot(p * reward, vectors, axes=1))


def groups(probability: ArrayLike, group_size: int) -> tuple[Index, Array]:
    """Every group of independent responses up to order, with its probability.

    Args:
        probability: of each response, sums to 1, shape (responses,).
        group_size: responses per group, >= 1.

    Returns:
        Members as response numbers in rising order, shape (groups, group_size), and probabilities, shape (groups,).

    Raises:
        DomainError: more than `MOST_GROUPS` groups; names their number.

    >>> members, weight = groups([0.5, 0.5], 2)
    >>> members.tolist(), weight.round(12).tolist()
    ([[0, 0], [0, 1], [1, 1]], [0.25, 0.5, 0.25])

    Source: multinomial law.
    """
    p = distribution("probability", probability)
    size = whole("group_size", group_size, 1)
    number = comb(len(p) + size - 1, size)
    if number > MOST_GROUPS:
        raise DomainError("group_size", size, f"a size with at most {MOST_GROUPS} different groups, not {number}")
    members = np.array(list(combinations_with_replacement(range(len(p)), size)), dtype=np.int64)
    counts = np.stack([(members == response).sum(axis=1) for response in range(len(p))], axis=1)
    log_factorial = np.array([lgamma(count + 1) for count in range(size + 1)])
    log_p = np.log(np.where(p > 0, p, 1.0))
    log_weight = log_factorial[size] - log_factorial[counts].sum(axis=1) + counts @ log_p
    return members, np.where((counts[:, p == 0] > 0).any(axis=1), 0.0, np.exp(log_weight))


def estimator_moments(
    probability: ArrayLike,
    scores: ArrayLike,
    rewards: ArrayLike,
    group_size: int,
    advantages: Callable[[Array], Array],
    target: ArrayLike | None = None,
) -> Moments:
    """Mean, bias and variance of the group estimator 1/G sum_i A_i grad log p(o_i), exactly.

    Args:
        probability: of each response, sums to 1, shape (responses,).
        scores: vector that multiplies each response's advantage, shape (responses, ...).
        rewards: finite, shape (responses,).
        group_size: responses per group G, >= 1.
        advantages: from rewards of shape (groups, G) to advantages of the same shape. It must treat the members
            alike, whatever their order, since groups are listed up to order.
        target: what the estimate should be on average, shape scores.shape[1:]; None for `exact_gradient` along the
            same `scores`. Give it when `scores` are themselves reweighted, by length for example.

    Returns:
        `Moments`. A group counts as silent when every advantage is exactly 0.

    Raises:
        DomainError: mismatched shapes, advantages of another shape or not finite, too many groups.

    >>> centred = lambda rewards: rewards - rewards.mean(axis=1, keepdims=True)
    >>> found = estimator_moments([0.5, 0.5], [[0.5], [-0.5]], [1.0, 0.0], 2, centred)
    >>> found.mean.round(12).tolist(), found.bias.round(12).tolist(), round(found.silent, 12)
    ([0.125], [-0.125], 0.5)

    Source: enumeration; curriculum of this course, REINFORCE, RLOO, PPO.
    """
    p, vectors, reward = _policy(probability, scores, rewards)
    members, weight = groups(p, group_size)
    gain = finite("advantages", advantages(reward[members]))
    same_shape(rewards=members, advantages=gain)
    coefficient = np.stack([np.where(members == index, gain, 0.0).sum(axis=1) for index in range(len(p))], axis=1)
    flat = vectors.reshape(len(p), -1)
    estimates = coefficient @ flat / members.shape[1]
    mean = weight @ estimates
    variance = float(weight @ ((estimates - mean) ** 2).sum(axis=1))
    wanted = np.tensordot(p * reward, vectors, axes=1) if target is None else finite("target", target)
    if wanted.shape != vectors.shape[1:]:
        raise DomainError("target.shape", wanted.shape, f"{vectors.shape[1:]}, the shape of one gradient")
    bias = mean - wanted.ravel()
    silent = float(weight[~gain.any(axis=1)].sum())
    shape = vectors.shape[1:]
    return Moments(mean.reshape(shape), bias.reshape(shape), variance, float(bias @ bias) + variance, silent)


def _policy(probability: ArrayLike, scores: ArrayLike, rewards: ArrayLike) -> tuple[Array, Array, Array]:
    p, vectors, reward = distribution("probability", probability), finite("scores", scores), finite("rewards", rewards)
    same_shape(probability=p, rewards=reward)
    if vectors.ndim == 0 or len(vectors) != len(p):
        raise DomainError("scores.shape", vectors.shape, f"({len(p)}, ...), one vector per response")
    return p, vectors, reward
