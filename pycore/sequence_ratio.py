"""Surrogates that couple all tokens of one response: the geometric mean of clipped ratios, and the gamma weight."""

import numpy as np
from numpy.typing import ArrayLike

from pycore.domain import DomainError, floating, within
from pycore.ratio import Floats, Surrogate, importance_ratio

# VESPO's exponents (k, lambda): a gamma density in the response's ratio w, scaled to 1 at w = 1.
GAMMA_POSITIVE = (2.0, 3.0)
GAMMA_NEGATIVE = (3.0, 2.0)
# The published implementation bounds log w to [log 1e-8, 20], and each token's log-ratio to +-20.
GAMMA_LOG_BOUNDS = (float(np.log(1e-8)), 20.0)


def geometric_surrogate(
    log_ratio: ArrayLike, advantages: ArrayLike, mask: ArrayLike, *, low: float = 0.4, high: float = 0.4
) -> Surrogate:
    """GMPO: A times the geometric mean of token ratios, each clipped in log space on the side that would pay.

    Args:
        log_ratio: current minus old log-prob, finite also where inactive, shape (responses, tokens).
        advantages: one per response, shape (responses,).
        mask: active tokens, booleans of the shape of `log_ratio`.
        low: a ratio stops paying for A < 0 below exp(-low), >= 0.
        high: a ratio stops paying for A > 0 above exp(high), >= 0.

    Returns:
        Surrogate: `value` of shape (responses,); `derivative` times the length, with respect to each token's
        log-prob, and `clipped`, of shape (responses, tokens); `ratio` is the unclipped geometric mean, shape
        (responses,). A response without tokens has the value A.

    Raises:
        DomainError: shapes that differ, a NaN, a negative range.

    >>> geometric_surrogate([[0.0, 1.0]], [1.0], [[True, True]]).value.round(4)  # exp((0 + 0.4) / 2)
    array([1.2214])

    Source: Geometric-Mean Policy Optimization (2025).
    """
    within("low", low, 0, np.inf)
    within("high", high, 0, np.inf)
    x, advantage, active = _responses(log_ratio, advantages, mask)
    floor = np.where(advantage < 0, -low, -np.inf).astype(x.dtype)[:, None]
    ceiling = np.where(advantage < 0, np.inf, high).astype(x.dtype)[:, None]
    held = np.minimum(np.maximum(x, floor), ceiling)
    clipped = (held != x) & (advantage != 0)[:, None] & active.astype(bool)
    length = np.maximum(active.sum(axis=1), 1)
    mean, mean_held = (np.einsum("rt,rt->r", exponent, active) / length for exponent in (x, held))
    value = importance_ratio(mean_held) * advantage
    return Surrogate(value, np.where(clipped, 0, value[:, None]), clipped, importance_ratio(mean))


def gamma_weight(log_ratio: ArrayLike, advantages: ArrayLike, mask: ArrayLike) -> Floats:
    """VESPO: weight w^k exp(lambda (1 - w)) of a response, w the product of its token ratios; 1 on policy.

    Args:
        log_ratio: current minus old log-prob, finite also where inactive, shape (responses, tokens).
        advantages: one per response, shape (responses,); the sign picks (k, lambda).
        mask: active tokens, booleans of the shape of `log_ratio`.

    Returns:
        Weights, shape (responses,), to multiply A log pi; no gradient flows through them.

    Raises:
        DomainError: shapes that differ, a NaN.

    >>> gamma_weight([[0.0, 0.0]], [1.0], [[True, True]])
    array([1.])

    Source: VESPO as TRL 1.9.2 and 1.16.0 compute it.
    """
    x, advantage, active = _responses(log_ratio, advantages, mask)
    low, high = GAMMA_LOG_BOUNDS
    log_w = np.clip(np.einsum("rt,rt->r", np.clip(x, -20, 20), active), low, high)
    k, rate = (np.where(advantage >= 0, p, n) for p, n in zip(GAMMA_POSITIVE, GAMMA_NEGATIVE, strict=True))
    return np.asarray(np.exp(rate + k * log_w - rate * np.exp(log_w)), dtype=x.dtype)


def _responses(log_ratio: ArrayLike, advantages: ArrayLike, mask: ArrayLike) -> tuple[Floats, Floats, Floats]:
    x, advantage = floating("log_ratio", log_ratio), floating("advantages", advantages)
    if x.ndim != 2 or np.isnan(x).any():
        raise DomainError("log_ratio", log_ratio, "numbers of shape (responses, tokens)")
    if advantage.shape != x.shape[:1]:
        raise DomainError("advantages.shape", advantage.shape, f"{x.shape[:1]}, one per response")
    active = np.asarray(mask)
    if active.shape != x.shape or active.dtype != bool:
        raise DomainError("mask", f"{active.dtype} of shape {active.shape}", f"booleans of shape {x.shape}")
    return x, advantage.astype(x.dtype), active.astype(x.dtype)
