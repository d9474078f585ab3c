"""Fitting Bradley-Terry scores to comparison counts, and the loss that no scores can go below.

`wins[i, j]` counts how often i was preferred to j; probabilities are counts of one comparison split in two.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import scalar
from pycore.domain import Array, DomainError, within
from pycore.preference import log_sigmoid


@dataclass(frozen=True)
class Fit:
    """Maximum-likelihood Bradley-Terry scores.

    Attributes:
        scores: shape (answers,), mean 0.
        loss: cross-entropy per comparison in nats (without the ridge term).
        steps: Newton steps taken.
    """

    scores: Array
    loss: float
    steps: int


@dataclass(frozen=True)
class LossFloor:
    """What a reward model can reach on given comparisons.

    Attributes:
        best: lowest Bradley-Terry loss per comparison over all scores, in nats (a limit when scores diverge).
        entropy: label entropy per comparison: the loss of knowing every pair's probability.
        gap: best - entropy, >= 0: what one number per answer cannot express.
    """

    best: float
    entropy: float
    gap: float


def fit_scores(wins: ArrayLike, ridge: float = 0.0) -> Fit:
    """Bradley-Terry scores of greatest likelihood, by Newton's method on a convex loss.

    Args:
        wins: comparison counts or probabilities, finite and >= 0, zero diagonal, shape (answers, answers).
        ridge: coefficient >= 0 of |scores|^2 / 2, added to the *summed* loss; makes any data fit.

    Returns:
        `Fit` with centred scores.

    Raises:
        DomainError: a malformed matrix; or, with ridge 0, data for which no finite scores are best: some set of
            answers never lost to the rest, so that its scores would go to infinity. The error names that set.

    >>> fit_scores([[0, 3], [1, 0]]).scores.round(4).tolist()
    [0.5493, -0.5493]

    Source: Zermelo (1929); Ford (1957) for the condition of existence.
    """
    counts = _counts(wins)
    penalty = scalar("ridge", ridge, 0, np.inf, open_high=True)
    components = _components(counts)
    if penalty == 0 and len(components) > 1:
        unbeaten = _unbeaten(counts, components)
        raise DomainError("wins", unbeaten, "counts in which every set of answers has lost to the others, or ridge > 0")
    return _newton(counts, penalty)


def loss_floor(wins: ArrayLike) -> LossFloor:
    """The best Bradley-Terry loss against the entropy of the labels, per comparison.

    Separable data are welcome: between groups of answers that never lost to each other the scores may run
    apart for ever at no cost, so the limit is the sum of the fits inside each group.

    Args:
        wins: comparison counts or probabilities, finite and >= 0, zero diagonal, shape (answers, answers).

    Returns:
        `LossFloor` in nats.

    Raises:
        DomainError: a malformed matrix or one without comparisons.

    >>> cycle = [[0, 0.7, 0.3], [0.3, 0, 0.7], [0.7, 0.3, 0]]
    >>> floor = loss_floor(cycle)
    >>> [round(value, 3) for value in (floor.best, floor.entropy, floor.gap)]
    [0.693, 0.611, 0.082]

    Source: the loss is cross-entropy, so its excess over the entropy is a KL divergence.
    """
    counts = _counts(wins)
    total = counts.sum()
    pairs = counts + counts.T
    share = np.divide(counts, pairs, out=np.ones_like(counts), where=counts > 0)
    best = 0.0
    for members in _components(counts):
        inside = counts[np.ix_(members, members)]
        if len(members) > 1:
            best += _newton(inside, 0.0).loss * float(inside.sum() / total)
    entropy = float(-(counts * np.log(share)).sum() / total)
    return LossFloor(best, entropy, max(0.0, best - entropy))


def _counts(wins: ArrayLike) -> Array:
    counts = within("wins", wins, 0, np.inf, open_high=True)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise DomainError("wins.shape", counts.shape, "(answers, answers) with at least two answers")
    if np.any(np.diag(counts) != 0):
        raise DomainError("wins diagonal", float(np.diag(counts).max()), "0: nothing is compared with itself")
    if counts.sum() == 0:
        raise DomainError("wins", 0.0, "a matrix with at least one comparison")
    return counts


def _components(counts: Array) -> list[list[int]]:
    """Strongly connected components of "i has beaten j"."""
    reach = (counts > 0) | np.eye(len(counts), dtype=bool)
    for middle in range(len(counts)):
        reach |= reach[:, [middle]] & reach[[middle], :]
    both = reach & reach.T
    return [
        list(map(int, np.flatnonzero(both[first]))) for first in np.flatnonzero(both.argmax(axis=1) == range(len(both)))
    ]


def _unbeaten(counts: Array, components: list[list[int]]) -> list[int]:
    for members in components:
        others = [index for index in range(len(counts)) if index not in members]
        if not counts[np.ix_(others, members)].any():
            return members
    raise AssertionError("a finite acyclic graph has a source")


def _newton(counts: Array, penalty: float) -> Fit:
    size, pairs = len(counts), counts + counts.T
    scores = np.zeros(size)
    objective, gradient = _objective(counts, scores, penalty)
    # Adding the all-ones direction pins the sum of the scores, which the comparisons leave free.
    pin = np.ones((size, size)) * pairs.max()
    # Half the Newton decrement is the loss still to be gained; below this, one full step lands on the fit to rounding.
    tolerance = 1e-20 * pairs.sum()
    decrement, steps = np.inf, 0
    while decrement > tolerance and steps < 200:
        p = np.exp(log_sigmoid(scores[:, None] - scores[None, :]))
        curvature = pairs * p * (1 - p)
        hessian = np.diag(curvature.sum(axis=1)) - curvature + penalty * np.eye(size)
        direction = -np.linalg.solve(hessian + pin, gradient)
        decrement = float(-gradient @ direction)
        length = 1.0
        while decrement > tolerance and length > 1e-3:
            value, _ = _objective(counts, scores + length * direction, penalty)
            if value <= objective - 1e-4 * length * decrement:
                break
            length /= 2
        scores = scores + length * direction
        objective, gradient = _objective(counts, scores, penalty)
        steps += 1
    scores = scores - scores.mean()
    loss, _ = _objective(counts, scores, 0.0)
    return Fit(scores, loss / float(counts.sum()), steps)


def _objective(counts: Array, scores: Array, penalty: float) -> tuple[float, Array]:
    difference = scores[:, None] - scores[None, :]
    surprise = counts * np.exp(log_sigmoid(-difference))
    value = -(counts * log_sigmoid(difference)).sum() + 0.5 * penalty * (scores**2).sum()
    return float(value), surprise.sum(axis=0) - surprise.sum(axis=1) + penalty * scores
