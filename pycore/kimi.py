"""Kimi k1.5's update and its choice of prompts: the squared surrogate and sampling by failure rate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, finite, scalar, whole
from pycore.domain import Array, DomainError, option, same_shape, within

NORMALISERS = ("softmax", "mean")


@dataclass(frozen=True)
class SquaredSurrogate:
    """Value and slope of the squared surrogate.

    Attributes:
        loss: mean over all responses of the squared residual.
        residual: reward - tau log Z - tau log-ratio, shape (prompts, group).
        gradient: d loss / d logp of each whole response, shape (prompts, group).
    """

    loss: float
    residual: Array
    gradient: Array


def squared_surrogate(
    logp: ArrayLike, logp_old: ArrayLike, rewards: ArrayLike, tau: float, normaliser: str = "softmax"
) -> SquaredSurrogate:
    """Squared violation of the condition r = tau log Z + tau log(pi / pi_old) that the KL-regularised optimum meets.

    Its negative gradient over 2 tau is the group-baseline policy gradient minus a pull back to the old policy,
    so samples of an older policy may be reused without a ratio in front.

    Args:
        logp: log-probs of whole responses under the current policy, <= 0, finite, shape (prompts, group).
        logp_old: the same under the policy that wrote them, shape (prompts, group).
        rewards: finite, shape (prompts, group).
        tau: strength of the KL term, > 0.
        normaliser: how tau log Z is estimated from the group: "softmax" is tau log mean exp(r / tau), which is
            consistent; "mean" is the mean reward, its limit for large tau.

    Returns:
        `SquaredSurrogate`; log Z is a constant of the gradient.

    Raises:
        DomainError: mismatched shapes, a positive or infinite log-prob, tau <= 0, an unknown normaliser.

    >>> step = squared_surrogate([[-3.0, -3.0]], [[-3.0, -3.0]], [[1.0, 0.0]], tau=1.0, normaliser="mean")
    >>> step.loss, step.gradient.tolist()
    (0.25, [[-0.5, 0.5]])

    Source: Kimi k1.5 (2025), section 2.3.2.
    """
    current = within("logp", logp, -np.inf, 0, open_low=True)
    old = within("logp_old", logp_old, -np.inf, 0, open_low=True)
    reward = finite("rewards", rewards, dimensions=2)
    same_shape(rewards=reward, logp=current, logp_old=old)
    if reward.size == 0:
        raise DomainError("rewards.shape", reward.shape, "(prompts, group), at least one of each")
    strength = scalar("tau", tau, 0, np.inf, open_low=True, open_high=True)
    if option("normaliser", normaliser, NORMALISERS) == "mean":
        level = reward.mean(axis=1, keepdims=True)
    else:
        best = reward.max(axis=1, keepdims=True)
        # A tiny tau sends the exponent to -inf, whose exponential is the right 0.
        with np.errstate(over="ignore"):
            relative = np.exp((reward - best) / strength)
        level = best + strength * np.log(relative.mean(axis=1, keepdims=True))
    residual = reward - level - strength * (current - old)
    return SquaredSurrogate(float((residual**2).mean()), residual, -2 * strength * residual / residual.size)


def curriculum_weights(success: ArrayLike) -> Array:
    """Probability of choosing each prompt, proportional to its failure rate.

    Args:
        success: success rate of each prompt, in [0, 1], shape (prompts,).

    Returns:
        (1 - success) / sum(1 - success), shape (prompts,).

    Raises:
        DomainError: a rate outside [0, 1], or every prompt solved, when nothing is left to choose.

    >>> curriculum_weights([0.0, 0.5, 1.0]).round(4).tolist()
    [0.6667, 0.3333, 0.0]

    Source: Kimi k1.5 (2025), section 2.3.4.
    """
    rate = within("success", success, 0, 1)
    if rate.ndim != 1 or rate.size == 0:
        raise DomainError("success.shape", rate.shape, "(prompts,) with at least one prompt")
    failure = 1 - rate
    if not failure.any():
        raise DomainError("success", 1.0, "at least one prompt below 1: solved prompts are never sampled")
    return np.asarray(failure / failure.sum())


def sample_prompts(success: ArrayLike, count: int, generator: np.random.Generator) -> Index:
    """Prompts drawn with replacement by `curriculum_weights`.

    Args:
        success: success rate of each prompt, in [0, 1], shape (prompts,).
        count: draws, >= 1.
        generator: source of randomness.

    Returns:
        Indices, shape (count,).

    Raises:
        DomainError: as `curriculum_weights`, or count < 1.

    >>> sample_prompts([1.0, 0.0], 3, np.random.default_rng(0)).tolist()
    [1, 1, 1]

    Source: Kimi k1.5 (2025).
    """
    weights = curriculum_weights(success)
    return np.asarray(generator.choice(len(weights), whole("count", count, 1), p=weights), dtype=np.int64)


def kept_as_hard(success: ArrayLike, attempts: int = 8) -> Array:
    """Chance that a prompt survives the filter "keep it if none of the attempts solves it".

    Args:
        success: success rate of one attempt, in [0, 1], shape (...).
        attempts: independent attempts, >= 1.

    Returns:
        (1 - success)^attempts, shape (...).

    Raises:
        DomainError: a rate outside [0, 1], attempts < 1.

    >>> float(kept_as_hard(0.5, 8))
    0.00390625

    Source: counting; Kimi k1.5 (2025), section 2.1, drops what is guessed within 8 attempts without reasoning.
    """
    return np.asarray((1 - within("success", success, 0, 1)) ** whole("attempts", attempts, 1))
