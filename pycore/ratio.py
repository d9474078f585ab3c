"""The importance ratio rho = pi_current / pi_old and the ways to bound what it does to the objective.

Every function maximises: `value` is the surrogate to be made large, `derivative` its derivative with respect to the
log-ratio, which is also the derivative with respect to the current log-prob. A loss is minus the value.

The derivative at a clip bound itself is the unclipped one (the active interval is closed), as in torch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycore.domain import DomainError, floating, within

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Surrogate:
    """A surrogate objective, entry by entry; unpacks as `value, derivative`.

    Attributes:
        value: to be maximised.
        derivative: of `value` with respect to the current log-prob.
        clipped: where a bound is in force.
        ratio: pi_current / pi_old before any bound.
    """

    value: Floats
    derivative: Floats
    clipped: NDArray[np.bool_]
    ratio: Floats

    def __iter__(self) -> Iterator[Floats]:
        yield self.value
        yield self.derivative


def importance_ratio(log_ratio: ArrayLike, *, out: Floats | None = None) -> Floats:
    """exp(log_ratio), held where products of it would overflow.

    Args:
        log_ratio: current minus old log-prob, any shape; float32 stays float32.
        out: written over with the ratio when given, shape and dtype of `log_ratio`, also `log_ratio` itself: fresh
            memory costs as much as the arithmetic.

    Returns:
        The ratio, shape of `log_ratio`. Above the square root of the largest number of its precision (1.3e154 in
        float64, 1.8e19 in float32) it stays there, so that no later product is infinite or NaN.

    Raises:
        DomainError: a NaN.

    >>> importance_ratio([0.0, 1e9])
    array([1.00000000e+000, 1.34078079e+154])

    Source: definition.
    """
    given = floating("log_ratio", log_ratio)
    largest = np.max(given, initial=-np.inf)
    if np.isnan(largest):
        raise DomainError("log_ratio", float("nan"), "numbers; mask inactive tokens out first")
    limit = given.dtype.type(np.log(np.finfo(given.dtype).max) / 2)
    return np.asarray(np.exp(given if largest <= limit else np.minimum(given, limit), out=out))


def clipped_surrogate(
    log_ratio: ArrayLike,
    advantages: ArrayLike,
    *,
    low: float = 0.2,
    high: float = 0.2,
    dual: float | None = None,
    delta: float | None = None,
    out: Floats | None = None,
) -> Surrogate:
    """PPO's pessimistic clip min(rho A, clip(rho, 1 - low, 1 + high) A) and its relatives.

    Only one side can bind for each sign: for A > 0 the ratio stops paying above 1 + high, for A < 0 below 1 - low.
    On the other side the surrogate is linear and keeps its full gradient; there, for A < 0, the loss is unbounded,
    which `dual` and `delta` repair.

    Args:
        log_ratio: current minus old log-prob, shape (..., tokens); float32 stays float32.
        advantages: one per entry, shape of `log_ratio`, or one per response, shape (...).
        low: lower clip range in [0, 1]; 1 clips nothing below.
        high: upper clip range >= 0; inf clips nothing above.
        dual: for A < 0 the ratio also stops counting above this bound, > 1 (dual clip, c = 3 in verl).
        delta: cap of the unclipped ratio, > 1 + high (INTELLECT-2, TRL). Equal to `dual` in effect.
        out: as for `importance_ratio`.

    Returns:
        Surrogate, arrays of the shape of `log_ratio`.

    Raises:
        DomainError: shapes that differ, a NaN, a bound outside its range, `dual` and `delta` together.

    >>> value, derivative = clipped_surrogate(np.log([0.5, 1.5]), [1.0, 1.0])
    >>> derivative
    array([0.5, 0. ])

    Source: PPO (2017); asymmetric bounds DAPO (2025); dual clip Ye et al. (2020).
    """
    within("low", low, 0, 1)
    within("high", high, 0, np.inf)
    if dual is not None and delta is not None:
        raise DomainError("dual, delta", (dual, delta), "one of them at most")
    if dual is not None:
        within("dual", dual, 1, np.inf, open_low=True)
    if delta is not None:
        within("delta", delta, 1 + high, np.inf, open_low=True)
    rho, advantage = _aligned(log_ratio, advantages, out)
    cap = dual if dual is not None else delta if delta is not None else np.inf
    # min(rho A, clip(rho) A) is A min(rho, 1 + high) for A > 0 and A max(rho, 1 - low) for A < 0.
    floor = np.where(advantage < 0, 1 - low, 0).astype(rho.dtype)
    ceiling = np.where(advantage < 0, cap, np.where(advantage > 0, 1 + high, np.inf)).astype(rho.dtype)
    held = np.clip(rho, floor, ceiling)
    clipped = held != rho
    value = np.multiply(held, advantage, out=held)
    derivative = np.where(clipped, rho.dtype.type(0), value)
    return Surrogate(value, derivative, clipped, rho)


def unclipped_surrogate(log_ratio: ArrayLike, advantages: ArrayLike) -> Surrogate:
    """The importance-weighted objective rho A without any bound.

    Args:
        log_ratio: current minus old log-prob, shape (..., tokens).
        advantages: shape of `log_ratio`, or one per response, shape (...).

    Returns:
        Surrogate, arrays of the shape of `log_ratio`.

    >>> unclipped_surrogate(np.log([2.0]), [3.0]).value
    array([6.])

    Source: importance sampling.
    """
    rho, advantage = _aligned(log_ratio, advantages)
    value = rho * advantage
    return Surrogate(value, value, np.zeros(rho.shape, dtype=bool), rho)


def weighted_logprob(
    log_ratio: ArrayLike,
    advantages: ArrayLike,
    logp: ArrayLike,
    *,
    floor: float = 0.0,
    ceiling: float = np.inf,
    out: Floats | None = None,
) -> Surrogate:
    """CISPO: the bounded ratio is a constant weight of A log pi, so every token keeps a gradient.

    Args:
        log_ratio: current minus old log-prob, shape (..., tokens).
        advantages: shape of `log_ratio`, or one per response, shape (...).
        logp: current log-probs, shape of `log_ratio`.
        floor: smallest weight, >= 0; 0 leaves it free (TRL), 1 - low bounds it (verl).
        ceiling: largest weight, >= floor. This is the bound itself, not 1 + high.
        out: as for `importance_ratio`.

    Returns:
        Surrogate: value weight A logp, derivative weight A, `clipped` where the weight is held.

    Raises:
        DomainError: shapes that differ, floor above ceiling.

    >>> weighted_logprob(np.log([9.0]), [1.0], [-0.5], ceiling=5.0).derivative
    array([5.])

    Source: MiniMax-M1 (2025).
    """
    within("floor", floor, 0, np.inf, open_high=True)
    within("ceiling", ceiling, floor, np.inf)
    rho, advantage = _aligned(log_ratio, advantages, out)
    current = floating("logp", logp)
    if current.shape != rho.shape:
        raise DomainError("logp.shape", current.shape, f"{rho.shape}, the shape of log_ratio")
    # Most blocks of tokens touch no bound, and to find that out takes one pass, not three.
    if np.max(rho, initial=0) <= ceiling and (floor == 0 or np.min(rho, initial=np.inf) >= floor):
        derivative, clipped = rho * advantage, np.zeros(rho.shape, dtype=bool)
    else:
        weight = np.clip(rho, rho.dtype.type(floor), rho.dtype.type(ceiling))
        clipped = (weight != rho) & (advantage != 0)
        derivative = np.multiply(weight, advantage, out=weight)
    return Surrogate(derivative * current, derivative, clipped, rho)


def soft_gate(
    log_ratio: ArrayLike, advantages: ArrayLike, *, tau_positive: float = 1.0, tau_negative: float = 1.05
) -> Surrogate:
    """SAPO: a sigmoid in place of the clip, (4 / tau) sigmoid(tau (rho - 1)) A, with slope A at rho = 1.

    Args:
        log_ratio: current minus old log-prob, shape (..., tokens).
        advantages: shape of `log_ratio`, or one per response, shape (...).
        tau_positive: temperature for A > 0, > 0.
        tau_negative: temperature for A <= 0, > 0; larger forgets far tokens faster.

    Returns:
        Surrogate; `clipped` is False everywhere.

    Raises:
        DomainError: shapes that differ, a temperature that is not positive.

    >>> soft_gate([0.0], [1.0]).derivative
    array([1.])

    Source: Soft Adaptive Policy Optimization (2025).
    """
    within("tau_positive", tau_positive, 0, np.inf, open_low=True, open_high=True)
    within("tau_negative", tau_negative, 0, np.inf, open_low=True, open_high=True)
    rho, advantage = _aligned(log_ratio, advantages)
    tau = np.where(advantage > 0, tau_positive, tau_negative).astype(rho.dtype)
    # exp of a non-positive number only: rho may be huge.
    decay = np.exp(-np.abs(tau * (rho - 1)))
    gate = np.where(rho >= 1, 1, decay) / (1 + decay)
    value = 4 / tau * gate * advantage
    derivative = 4 * (decay / (1 + decay) ** 2) * rho * advantage
    return Surrogate(value, derivative, np.zeros(rho.shape, dtype=bool), rho)


def _aligned(log_ratio: ArrayLike, advantages: ArrayLike, out: Floats | None = None) -> tuple[Floats, Floats]:
    rho = importance_ratio(log_ratio, out=out)
    advantage = floating("advantages", advantages)
    if advantage.shape != rho.shape and advantage.shape == rho.shape[:-1]:
        advantage = advantage[..., None]
    elif advantage.shape != rho.shape:
        raise DomainError("advantages.shape", advantage.shape, f"{rho.shape} or {rho.shape[:-1]}, one per response")
    if not np.isfinite(advantage).all():
        raise DomainError("advantages", float(advantage[~np.isfinite(advantage)][0]), "finite numbers")
    return rho, advantage.astype(rho.dtype)
