"""KL(pi || ref): estimators from one sampled token, the exact value, and what each estimator's *gradient* really is.

With x = log ref - log pi of the sampled token:

| estimator | value       | d value / d log pi | expected gradient under pi                        |
|-----------|-------------|--------------------|---------------------------------------------------|
| `k1`      | -x          | 1                  | 0: as a loss it does nothing but add noise        |
| `k2`      | x^2 / 2     | -x                 | that of KL(pi || ref)                             |
| `k3`      | e^x - x - 1 | 1 - e^x            | that of KL(ref || pi), the other direction        |

A good estimate of the value is therefore not a good loss. Multiplying by the differentiable ratio pi/pi_old repairs
k1 and k3 (and breaks k2); taking k3's value with k2's gradient repairs it too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycore.domain import Array, DomainError, floating, option, real, same_shape

Floats = NDArray[np.floating[Any]]

ESTIMATORS = ("k1", "k2", "k3")


@dataclass(frozen=True)
class Estimate:
    """A KL estimate, entry by entry.

    Attributes:
        value: of the estimator.
        derivative: of `value` with respect to the current log-prob of the sampled token.
    """

    value: Floats
    derivative: Floats


@dataclass(frozen=True)
class Moments:
    """An estimator's distribution over the sampled token.

    Attributes:
        mean: expected value.
        deviation: standard deviation.
        negative: probability of a value below zero.
    """

    mean: float
    deviation: float
    negative: float


@dataclass(frozen=True)
class GradientBias:
    """What an estimator used as a loss really descends.

    Attributes:
        expected: expected gradient with respect to the logits, shape (vocabulary,).
        exact: gradient of KL(pi || ref), shape (vocabulary,).
        bias: expected - exact.
    """

    expected: Array
    exact: Array

    @property
    def bias(self) -> Array:
        return self.expected - self.exact


def kl_estimate(logp: ArrayLike, logp_ref: ArrayLike, estimator: str) -> Estimate:
    """Estimate of KL(pi || ref) from the log-probs of sampled tokens.

    Args:
        logp: current log-probs, any shape; float32 stays float32.
        logp_ref: reference log-probs, same shape.
        estimator: one of `ESTIMATORS`.

    Returns:
        Estimate, arrays of the shape of `logp`. k3 is held where exp would overflow.

    Raises:
        DomainError: shapes that differ, a NaN, an unknown estimator.

    >>> kl_estimate(np.log([0.5]), np.log([0.25]), "k3").value.round(3)
    array([0.193])

    Source: Schulman, Approximating KL Divergence (2020).
    """
    option("estimator", estimator, ESTIMATORS)
    current, reference = floating("logp", logp), floating("logp_ref", logp_ref)
    same_shape(logp=current, logp_ref=reference)
    log_ratio = reference - current
    if np.isnan(log_ratio).any():
        raise DomainError("logp, logp_ref", float("nan"), "finite numbers; mask inactive tokens out first")
    if estimator == "k1":
        return Estimate(-log_ratio, np.ones_like(log_ratio))
    if estimator == "k2":
        return Estimate(log_ratio * log_ratio / 2, -log_ratio)
    excess = np.expm1(np.minimum(log_ratio, log_ratio.dtype.type(np.log(np.finfo(log_ratio.dtype).max) / 2)))
    return Estimate(excess - log_ratio, -excess)


def categorical_kl(logits: ArrayLike, logits_ref: ArrayLike) -> tuple[Array, Array]:
    """Exact KL(pi || ref) between categorical distributions, and its gradient.

    Args:
        logits: of pi, shape (..., vocabulary); log-probs are logits too. -inf removes a token.
        logits_ref: of ref, same shape.

    Returns:
        KL of shape (...) and its gradient with respect to `logits`, shape (..., vocabulary): p (log(p/q) - KL).
        Infinite KL (with NaN gradient) where ref forbids what pi allows.

    Raises:
        DomainError: shapes that differ, a NaN.

    >>> categorical_kl(np.log([0.6, 0.3, 0.1]), np.log([0.3, 0.4, 0.3]))[0].round(4)
    np.float64(0.2197)

    Source: definition.
    """
    log_p, log_q = _log_softmax("logits", logits), _log_softmax("logits_ref", logits_ref)
    same_shape(logits=log_p, logits_ref=log_q)
    p = np.exp(log_p)
    with np.errstate(invalid="ignore"):
        gap = np.where(p > 0, log_p - log_q, 0.0)
        value = np.sum(p * gap, axis=-1)
        return value, p * (gap - value[..., None])


def estimator_moments(logits: ArrayLike, logits_ref: ArrayLike, estimator: str) -> Moments:
    """Exact mean, spread and share of negative values of an estimator over the sampled token.

    Args:
        logits: of pi, shape (vocabulary,), finite.
        logits_ref: of ref, shape (vocabulary,), finite.
        estimator: one of `ESTIMATORS`.

    Returns:
        Moments under tokens sampled from pi.

    Raises:
        DomainError: shapes that differ, logits that are not finite vectors, an unknown estimator.

    >>> round(estimator_moments(np.log([0.6, 0.3, 0.1]), np.log([0.3, 0.4, 0.3]), "k1").negative, 9)
    0.4

    Source: enumeration of the vocabulary.
    """
    log_p, log_q = _distribution("logits", logits), _distribution("logits_ref", logits_ref)
    p, value = np.exp(log_p), kl_estimate(log_p, log_q, estimator).value
    mean = float(p @ value)
    return Moments(mean, float(np.sqrt(p @ (value - mean) ** 2)), float(p @ (value < 0)))


def gradient_bias(
    logits: ArrayLike,
    logits_ref: ArrayLike,
    estimator: str,
    *,
    logits_old: ArrayLike | None = None,
    ratio: bool = False,
) -> GradientBias:
    """Expected gradient of an estimator used as a loss, against the gradient of the KL itself.

    Args:
        logits: of pi, shape (vocabulary,), finite.
        logits_ref: of ref, shape (vocabulary,), finite.
        estimator: one of `ESTIMATORS`.
        logits_old: of the policy that samples the token, shape (vocabulary,); pi itself when None.
        ratio: multiply the estimator by the differentiable ratio pi / pi_old.

    Returns:
        GradientBias.

    Raises:
        DomainError: shapes that differ, logits that are not finite vectors, an unknown estimator.

    >>> abs(gradient_bias([1.0, 0.0], [0.0, 0.0], "k2").bias).max() < 1e-15
    np.True_

    Source: enumeration of the vocabulary; d log pi(v) / d logits = onehot(v) - pi.
    """
    log_p, log_q = _distribution("logits", logits), _distribution("logits_ref", logits_ref)
    log_old = log_p if logits_old is None else _distribution("logits_old", logits_old)
    same_shape(logits=log_p, logits_old=log_old)
    estimate = kl_estimate(log_p, log_q, estimator)
    slope = estimate.derivative
    if ratio:
        slope = np.exp(log_p - log_old) * (estimate.value + estimate.derivative)
    weighted = np.exp(log_old) * slope
    return GradientBias(weighted - weighted.sum() * np.exp(log_p), categorical_kl(log_p, log_q)[1])


def _log_softmax(name: str, logits: ArrayLike) -> Array:
    given = real(name, logits)
    if given.ndim == 0 or given.shape[-1] == 0 or np.isnan(given).any() or np.any(np.isinf(given.max(axis=-1))):
        raise DomainError(name, logits, "numbers below inf, at least one finite, shape (..., vocabulary)")
    shifted = given - given.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True)))


def _distribution(name: str, logits: ArrayLike) -> Array:
    log_p = _log_softmax(name, logits)
    if log_p.ndim != 1 or not np.isfinite(log_p).all():
        raise DomainError(name, logits, "finite numbers, shape (vocabulary,)")
    return log_p
