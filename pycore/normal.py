"""The standard normal distribution in plain NumPy: density, cumulative probability and its logarithm."""

import math

import numpy as np
from numpy.typing import ArrayLike

from pycore.domain import Array, within

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def normal_density(x: ArrayLike) -> Array:
    """Density of the standard normal law.

    Args:
        x: points, any shape, not NaN.

    Returns:
        exp(-x^2 / 2) / sqrt(2 pi), same shape.

    Raises:
        DomainError: NaN.

    >>> round(float(normal_density(0)), 4)
    0.3989

    Source: definition.
    """
    point = within("x", x, -np.inf, np.inf)
    return np.asarray(np.exp(-0.5 * point**2) / math.sqrt(2 * math.pi))


def normal_probability(x: ArrayLike) -> Array:
    """Probability that a standard normal variable lies below x.

    Args:
        x: points, any shape, not NaN.

    Returns:
        Phi(x), same shape, accurate in both tails.

    Raises:
        DomainError: NaN.

    >>> round(float(normal_probability(1.96)), 4)
    0.975

    Source: Phi(x) = erfc(-x / sqrt 2) / 2.
    """
    return np.asarray(0.5 * _erfc(-within("x", x, -np.inf, np.inf) / math.sqrt(2)))


def log_normal_probability(x: ArrayLike) -> Array:
    """Logarithm of `normal_probability`, finite long after the probability itself has become 0.

    Args:
        x: points, any shape, above -inf.

    Returns:
        log Phi(x), same shape.

    Raises:
        DomainError: NaN or -inf.

    >>> round(float(log_normal_probability(-40)), 2)
    -804.61

    Source: below -20 the asymptotic series of the Mills ratio (Abramowitz and Stegun 26.2.12).
    """
    point = within("x", x, -np.inf, np.inf, open_low=True)
    far = np.minimum(point, -20.0)
    inverse = far**-2
    series = np.log1p(inverse * (-1 + inverse * (3 + inverse * (-15 + inverse * 105))))
    tail = -0.5 * far**2 - np.log(-far) - 0.5 * math.log(2 * math.pi) + series
    upper = 0.5 * _erfc(np.maximum(point, 0.0) / math.sqrt(2))
    lower = 0.5 * _erfc(-np.clip(point, -20.0, 0.0) / math.sqrt(2))
    # Above 0 the complement is the small number: log1p keeps its digits.
    return np.asarray(np.where(point < -20, tail, np.where(point > 0, np.log1p(-upper), np.log(lower))))
