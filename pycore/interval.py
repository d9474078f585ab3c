"""Intervals around measured shares and means: Wilson's for one rate, the bootstrap over prompts for averages."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite, scalar, whole
from pycore.domain import Array, DomainError, integer, same_shape


@dataclass(frozen=True)
class Interval:
    """An estimate with its bounds, arrays of one shape.

    Attributes:
        estimate: the measured value.
        low: lower bound.
        high: upper bound.
    """

    estimate: Array
    low: Array
    high: Array


def wilson(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> Interval:
    """Wilson's score interval for the probability behind a count of independent trials.

    Args:
        successes: integers from 0 to trials, shape (...).
        trials: integers >= 1, same shape.
        level: confidence, in (0, 1).

    Returns:
        `Interval`, shape (...), inside [0, 1]; never of zero width, even with 0 or all successes.

    Raises:
        DomainError: different shapes, more successes than trials, no trials.

    >>> found = wilson(99, 256)
    >>> [round(float(value), 3) for value in (found.estimate, found.low, found.high)]
    [0.387, 0.329, 0.448]

    Source: Wilson (1927).
    """
    count, total = integer("successes", successes, 0), integer("trials", trials, 1)
    same_shape(successes=count, trials=total)
    if np.any(count > total):
        raise DomainError("successes", float(count[count > total].flat[0]), "at most the number of trials")
    z = NormalDist().inv_cdf((1 + scalar("level", level, 0, 1, open_low=True, open_high=True)) / 2)
    share = count / total
    spread = 1 + z**2 / total
    centre = (share + z**2 / (2 * total)) / spread
    half = z / spread * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    # Rounding may leave a bound of an extreme share a hair outside it.
    low, high = np.where(count == 0, 0.0, centre - half), np.where(count == total, 1.0, centre + half)
    return Interval(np.asarray(share), np.asarray(low), np.asarray(high))


def bootstrap_mean(
    values: ArrayLike, generator: np.random.Generator, level: float = 0.95, resamples: int = 2000
) -> Interval:
    """Percentile bootstrap of a mean over prompts; all columns share the same resampled prompts.

    Resampling whole prompts keeps the dependence of what was measured on one prompt, so that a pass@k curve gets a
    band and the difference of two models on the same prompts (pass the differences) gets its own interval.

    Args:
        values: one row a prompt, finite, shape (prompts, ...), at least two prompts.
        generator: source of randomness.
        level: confidence, in (0, 1).
        resamples: >= 100.

    Returns:
        `Interval` of shape values.shape[1:]. It speaks of other prompts of the same kind, not of other training runs.

    Raises:
        DomainError: fewer than two prompts, a value that is not finite.

    >>> found = bootstrap_mean([0.0, 1.0, 1.0, 1.0], np.random.default_rng(0))
    >>> float(found.estimate), float(found.low) < 0.75 < float(found.high)
    (0.75, True)

    Source: Efron (1979).
    """
    rows = finite("values", values)
    if rows.ndim == 0 or len(rows) < 2:
        raise DomainError("values.shape", rows.shape, "(prompts, ...) with at least two prompts")
    tail = (1 - scalar("level", level, 0, 1, open_low=True, open_high=True)) / 2
    prompts = len(rows)
    counts = generator.multinomial(prompts, np.full(prompts, 1 / prompts), size=whole("resamples", resamples, 100))
    means = (counts / prompts) @ rows.reshape(prompts, -1)
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    shape = rows.shape[1:]
    return Interval(np.asarray(rows.mean(axis=0)), low.reshape(shape), high.reshape(shape))
