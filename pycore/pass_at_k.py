"""The chance that at least one of k answers is right: exact for known rates, unbiased from counted samples."""

import math

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import whole
from pycore.domain import Array, DomainError, integer, same_shape, within
from pycore.interval import Interval, bootstrap_mean


def pass_at_k(samples: ArrayLike, correct: ArrayLike, k: int) -> Array:
    """Unbiased estimate of pass@k from n samples of which c were correct.

    Args:
        samples: n, integers >= 1, shape (...).
        correct: c, integers from 0 to n, same shape.
        k: from 1 to the smallest n: with fewer samples than k there is no unbiased estimate.

    Returns:
        1 - C(n - c, k) / C(n, k), shape (...): 0 when c = 0, 1 when fewer than k samples were wrong.

    Raises:
        DomainError: different shapes, c > n, k > n.

    >>> pass_at_k([10, 10, 10], [0, 3, 10], 4).round(4).tolist()
    [0.0, 0.8333, 1.0]

    Source: Evaluating Large Language Models Trained on Code (2021).
    """
    total, right = integer("samples", samples, 1), integer("correct", correct, 0)
    same_shape(samples=total, correct=right)
    if total.size == 0:
        raise DomainError("samples.shape", total.shape, "at least one entry")
    if np.any(right > total):
        raise DomainError("correct", float(right[right > total].flat[0]), "at most the number of samples")
    chosen = whole("k", k, 1, float(total.min()))
    pairs, where = np.unique(np.stack([total.ravel(), right.ravel()]), axis=1, return_inverse=True)
    # Whole numbers are exact at any size, and Python rounds their quotient correctly.
    exact = [_share(int(n), int(c), chosen) for n, c in pairs.T]
    return np.asarray(np.array(exact)[where.ravel()].reshape(total.shape))


def pass_at_k_curve(
    samples: ArrayLike, correct: ArrayLike, ks: ArrayLike, generator: np.random.Generator, level: float = 0.95
) -> Interval:
    """Mean pass@k over prompts for several k, with a bootstrap band over prompts.

    Args:
        samples: n of each prompt, integers >= 1, shape (prompts,), at least two prompts.
        correct: c of each prompt, shape (prompts,).
        ks: values of k, each from 1 to the smallest n, shape (ks,).
        generator: source of randomness for the band.
        level: confidence, in (0, 1).

    Returns:
        `Interval` of shape (ks,).

    Raises:
        DomainError: as `pass_at_k`; fewer than two prompts.

    >>> pass_at_k_curve([4, 4], [1, 3], [1, 2], np.random.default_rng(0)).estimate.tolist()
    [0.5, 0.75]

    Source: `pass_at_k` and `pycore.interval.bootstrap_mean`.
    """
    wanted = integer("ks", ks, 1)
    if wanted.ndim != 1 or wanted.size == 0:
        raise DomainError("ks.shape", wanted.shape, "(ks,) with at least one value")
    columns = [pass_at_k(samples, correct, int(k)) for k in wanted]
    return bootstrap_mean(np.stack(columns, axis=-1), generator, level)


def expected_pass_at_k(success: ArrayLike, k: ArrayLike) -> Array:
    """Probability that at least one of k independent answers is right, for known success rates.

    Args:
        success: rate of each prompt, in [0, 1], shape (...).
        k: integer >= 1, one number or of the same shape.

    Returns:
        1 - (1 - success)^k, shape (...). Average over prompts afterwards: the mean rate gives another, larger number.

    Raises:
        DomainError: a rate outside [0, 1], k < 1, different shapes.

    >>> expected_pass_at_k([0.01, 0.5], 4).round(4).tolist()
    [0.0394, 0.9375]

    Source: counting argument.
    """
    rate, count = within("success", success, 0, 1), integer("k", k, 1)
    if count.ndim:
        same_shape(success=rate, k=count)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(count * np.log1p(-rate)))


def _share(samples: int, correct: int, k: int) -> float:
    every = math.comb(samples, k)
    return (every - math.comb(samples - correct, k)) / every
