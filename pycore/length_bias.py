"""A judge that likes length, and what taking its liking out again does.

The judge compares two answers by quality and adds `bias` times the difference of their log-lengths. Comparisons alone
cannot tell a liking for length from the merit of answers that need room: both make the score grow with length.
"""

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite, scalar
from pycore.domain import Array, same_shape, within


def judge_scores(quality: ArrayLike, lengths: ArrayLike, bias: float) -> Array:
    """What the judge goes by: quality plus bias times log-length.

    Args:
        quality: in log-odds of winning, finite, shape (...).
        lengths: tokens, > 0, same shape.
        bias: what a length e times as large is worth, >= 0.

    Returns:
        Scores of a Bradley-Terry comparison, shape (...): only their differences matter.

    Raises:
        DomainError: different shapes, a length that is not positive, a negative bias.

    >>> judge_scores([1.0, 0.0], [1.0, 1.0], bias=1.0).tolist()
    [1.0, 0.0]

    Source: curriculum 6.6.
    """
    worth, log_length = finite("quality", quality), _log_lengths(lengths)
    same_shape(quality=worth, lengths=log_length)
    return np.asarray(worth + scalar("bias", bias, 0, np.inf, open_high=True) * log_length)


def break_even(gap: float, bias: float) -> float:
    """How many times as long the worse of two answers must be to win half of the comparisons.

    Args:
        gap: by how much it is worse, in log-odds, >= 0.
        bias: of the judge, >= 0.

    Returns:
        exp(gap / bias), >= 1; inf where no length is enough.

    Raises:
        DomainError: a negative gap or bias.

    >>> round(break_even(np.log(0.7 / 0.3), 1.0), 3), break_even(1.0, 0.0)
    (2.333, inf)

    Source: the zero of bias ln t - gap.
    """
    behind, liking = scalar("gap", gap, 0, np.inf, open_high=True), scalar("bias", bias, 0, np.inf, open_high=True)
    if behind == 0:
        return 1.0
    with np.errstate(over="ignore", divide="ignore"):
        return float(np.exp(np.divide(behind, liking)))


def length_slope(scores: ArrayLike, lengths: ArrayLike, group: ArrayLike | None = None) -> float:
    """How much a score grows with log-length, by least squares.

    Args:
        scores: finite, shape (answers,).
        lengths: tokens, > 0, same shape.
        group: numbers; only answers with the same number are compared, as with the same verdict of a verifier. None
            compares all.

    Returns:
        The slope; 0 when no two lengths that are compared differ. Over all answers it is the bias plus the slope of
        quality itself: a liking and a merit at once.

    Raises:
        DomainError: different shapes, a length that is not positive.

    >>> lengths, right = np.array([10, 20, 40, 80]), np.array([0, 0, 1, 1])
    >>> scores = judge_scores(right, lengths, bias=1.0)
    >>> round(length_slope(scores, lengths), 3), round(length_slope(scores, lengths, right), 3)
    (1.577, 1.0)

    Source: least squares with a mean for every group; length-controlled AlpacaEval (2024) fits such a term for all.
    """
    score, log_length = finite("scores", scores, 1), _log_lengths(lengths)
    same_shape(scores=score, lengths=log_length)
    number = np.zeros(score.shape) if group is None else finite("group", group, 1)
    same_shape(scores=score, group=number)
    _, member = np.unique(number, return_inverse=True)
    size = np.bincount(member)
    rise = score - (np.bincount(member, weights=score) / size)[member]
    run = log_length - (np.bincount(member, weights=log_length) / size)[member]
    spread = float(run @ run)
    return float(run @ rise) / spread if spread > 1e-18 * max(1, score.size) else 0.0


def without_length(scores: ArrayLike, lengths: ArrayLike, slope: float) -> Array:
    """Scores less `slope` times log-length.

    Args:
        scores: finite, shape (...).
        lengths: tokens, > 0, same shape.
        slope: finite.

    Returns:
        Shape (...).

    Raises:
        DomainError: different shapes, a length that is not positive.

    >>> without_length([1.0, 1.0 + np.log(2)], [50, 100], slope=1.0).round(3).tolist()
    [-2.912, -2.912]

    Source: definition.
    """
    score, log_length = finite("scores", scores), _log_lengths(lengths)
    same_shape(scores=score, lengths=log_length)
    return np.asarray(score - scalar("slope", slope, -np.inf, np.inf, open_low=True, open_high=True) * log_length)


def _log_lengths(lengths: ArrayLike) -> Array:
    return np.log(within("lengths", lengths, 0, np.inf, open_low=True, open_high=True))
