"""How one number per answer becomes a probability of being preferred: Bradley-Terry, Thurstone's probit, Luce.

Every model here sees score *differences* only. The fit of the scores and what no score can express are in
`pycore.ranking`; losses that train a policy on pairs directly are in `pycore.direct`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite, scalar
from pycore.domain import Array, DomainError, option, same_shape, within
from pycore.normal import log_normal_probability, normal_density

NOISES = ("gumbel", "gaussian")


@dataclass(frozen=True)
class Comparison:
    """Loss of comparisons under a noise law, with its slope.

    Attributes:
        loss: cross-entropy of each comparison in nats, shape (...).
        gradient: derivative with respect to the first score, shape (...); for the second it is the negative.
    """

    loss: Array
    gradient: Array


def log_sigmoid(x: ArrayLike) -> Array:
    """log(1 / (1 + exp(-x))) without overflow.

    Args:
        x: finite numbers, any shape.

    Returns:
        Values <= 0, same shape.

    Raises:
        DomainError: NaN or infinity.

    >>> log_sigmoid([-1000.0, 0.0]).round(4).tolist()
    [-1000.0, -0.6931]

    Source: definition.
    """
    return np.asarray(-np.logaddexp(0.0, -finite("x", x)))


def win_probability(score_a: ArrayLike, score_b: ArrayLike, noise: str = "gumbel", scale: float = 1.0) -> Array:
    """Probability that answer A is preferred to B when each utility is its score plus independent noise.

    Args:
        score_a: scores of A, finite, shape (...).
        score_b: scores of B, the same shape.
        noise: "gumbel" gives the logistic of Bradley-Terry, "gaussian" Thurstone's probit.
        scale: of the noise, > 0: the Gumbel scale, or the Gaussian standard deviation of one utility.

    Returns:
        sigmoid(d / scale) or Phi(d / (scale sqrt 2)) with d = score_a - score_b, shape (...).

    Raises:
        DomainError: different shapes, a score that is not finite, an unknown noise, scale <= 0.

    >>> round(float(win_probability(2, 1)), 3)
    0.731

    Source: Bradley and Terry (1952); Thurstone (1927), case V.
    """
    return np.asarray(np.exp(_log_win(_difference(score_a, score_b), noise, scale)))


def comparison_loss(
    score_a: ArrayLike, score_b: ArrayLike, label: ArrayLike = 1.0, noise: str = "gumbel", scale: float = 1.0
) -> Comparison:
    """Cross-entropy of "A was preferred" with probability `label`; with label 1 the reward model's usual loss.

    Args:
        score_a: scores of A, finite, shape (...).
        score_b: scores of B, the same shape.
        label: share of judges who prefer A, in [0, 1], one number or shape (...).
        noise: "gumbel" or "gaussian", as in `win_probability`.
        scale: of the noise, > 0.

    Returns:
        `Comparison` with the loss of each comparison and its derivative with respect to `score_a`.

    Raises:
        DomainError: different shapes, a score that is not finite, a label outside [0, 1], scale <= 0.

    >>> round(float(comparison_loss(2, 1).loss), 3)
    0.313

    Source: Bradley and Terry (1952); binary cross-entropy with label 1.
    """
    difference = _difference(score_a, score_b)
    target = within("label", label, 0, 1)
    if target.ndim:
        same_shape(difference=difference, label=target)
    win, lose = _log_win(difference, noise, scale), _log_win(-difference, noise, scale)
    if noise == "gumbel":
        slope = (np.exp(win) - target) / scale
    else:
        width = scale * np.sqrt(2.0)
        log_density = np.log(normal_density(0.0)) - 0.5 * (difference / width) ** 2
        # The Mills ratio as a difference of logarithms stays finite where density and probability are both 0.
        slope = (-target * np.exp(log_density - win) + (1 - target) * np.exp(log_density - lose)) / width
    return Comparison(np.asarray(-target * win - (1 - target) * lose), np.asarray(slope))


def luce_probability(scores: ArrayLike) -> Array:
    """Probability that each of many alternatives is the one chosen, under Luce's axiom.

    Args:
        scores: finite, shape (..., alternatives), at least one alternative.

    Returns:
        softmax over the last axis; the odds of two alternatives do not depend on the others.

    Raises:
        DomainError: a single number, no alternatives, a score that is not finite.

    >>> luce_probability([2.0, 1.0, 1.0]).round(3).tolist()
    [0.576, 0.212, 0.212]

    Source: Luce (1959).
    """
    score = finite("scores", scores)
    if score.ndim == 0 or score.shape[-1] == 0:
        raise DomainError("scores.shape", score.shape, "a last axis with at least one alternative")
    weight = np.exp(score - score.max(axis=-1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def score_gap(probability: ArrayLike) -> Array:
    """Bradley-Terry score difference that one comparison probability asks for.

    Args:
        probability: that A beats B, in the open interval (0, 1), shape (...).

    Returns:
        log(p / (1 - p)), same shape.

    Raises:
        DomainError: a probability of exactly 0 or 1, for which no finite gap exists.

    >>> round(float(score_gap(0.7)), 3)
    0.847

    Source: inverse of the logistic function.
    """
    p = within("probability", probability, 0, 1, open_low=True, open_high=True)
    return np.asarray(np.log(p) - np.log1p(-p))


def _difference(score_a: ArrayLike, score_b: ArrayLike) -> Array:
    first, second = finite("score_a", score_a), finite("score_b", score_b)
    same_shape(score_a=first, score_b=second)
    return np.asarray(first - second)


def _log_win(difference: Array, noise: str, scale: float) -> Array:
    option("noise", noise, NOISES)
    width = scalar("scale", scale, 0, np.inf, open_low=True, open_high=True)
    if noise == "gumbel":
        return log_sigmoid(difference / width)
    return log_normal_probability(difference / (width * np.sqrt(2.0)))
