"""Many annotators' rankings, the majority graph they make, and the cycles that no single score can follow."""

from collections import deque

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Mask
from pycore.domain import Array, DomainError, integer, within


def pairwise_counts(rankings: ArrayLike) -> Array:
    """How many annotators rank i above j.

    Args:
        rankings: one row an annotator, answers from best to worst, each row a permutation of 0..n-1,
            shape (annotators, answers).

    Returns:
        Counts with zero diagonal, shape (answers, answers).

    Raises:
        DomainError: a row that is not a permutation; names the row.

    >>> pairwise_counts([[0, 1, 2], [1, 2, 0], [2, 0, 1]]).tolist()
    [[0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]]

    Source: definition; the example is Condorcet's (1785).
    """
    rows = integer("rankings", rankings, 0)
    if rows.ndim != 2 or rows.size == 0:
        raise DomainError("rankings.shape", rows.shape, "(annotators, answers), at least one of each")
    answers = rows.shape[1]
    for number, row in enumerate(rows):
        if not np.array_equal(np.sort(row), np.arange(answers)):
            raise DomainError(f"rankings[{number}]", row.tolist(), f"a permutation of 0 to {answers - 1}")
    place = np.argsort(rows, axis=1)
    return np.asarray((place[:, :, None] < place[:, None, :]).sum(axis=0), dtype=np.float64)


def majority_graph(wins: ArrayLike) -> Mask:
    """Which answers beat which in more than half of their comparisons.

    Args:
        wins: counts or probabilities, finite and >= 0, shape (answers, answers); the diagonal is ignored.

    Returns:
        True at [i, j] when wins[i, j] > wins[j, i]; a tie is no edge. Shape (answers, answers).

    Raises:
        DomainError: not a square matrix, a negative count.

    >>> majority_graph([[0, 2, 1], [1, 0, 2], [2, 1, 0]]).astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]

    Source: Condorcet (1785).
    """
    counts = _square(wins)
    return np.asarray(counts > counts.T)


def shortest_cycle(wins: ArrayLike) -> tuple[int, ...]:
    """A shortest cycle of the majority graph.

    Args:
        wins: as in `majority_graph`.

    Returns:
        Answers in order, each beating the next and the last beating the first, from the smallest index on;
        empty when the majority is consistent with one ranking.

    Raises:
        DomainError: not a square matrix, a negative count.

    >>> shortest_cycle([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
    (0, 1, 2)

    Source: breadth-first search from each answer.
    """
    beats = majority_graph(wins)
    best: tuple[int, ...] = ()
    for start in range(len(beats)):
        before: dict[int, int] = {start: -1}
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            if beats[here, start]:
                path = [here]
                while before[path[-1]] != -1:
                    path.append(before[path[-1]])
                if not best or len(path) < len(best):
                    best = tuple(reversed(path))
                break
            for successor in map(int, np.flatnonzero(beats[here])):
                if successor not in before:
                    before[successor] = here
                    waiting.append(successor)
    return best


def condorcet_winner(wins: ArrayLike) -> int | None:
    """The answer that beats every other one, if there is one.

    Args:
        wins: as in `majority_graph`.

    Returns:
        Its index, or None.

    Raises:
        DomainError: not a square matrix, a negative count.

    >>> condorcet_winner([[0, 2, 2], [1, 0, 2], [1, 1, 0]])
    0

    Source: Condorcet (1785).
    """
    beats = majority_graph(wins)
    winners = np.flatnonzero(beats.sum(axis=1) == len(beats) - 1)
    return int(winners[0]) if len(winners) else None


def mixture_win_rate(wins: ArrayLike) -> Array:
    """How often each answer beats an answer drawn uniformly from all of them, itself included at one half.

    Args:
        wins: counts or probabilities, finite and >= 0, every pair compared, shape (answers, answers).

    Returns:
        Rates in [0, 1], shape (answers,); their mean is 1/2.

    Raises:
        DomainError: not a square matrix, a negative count, a pair without comparisons.

    >>> mixture_win_rate([[0, 0.7, 0.3], [0.3, 0, 0.7], [0.7, 0.3, 0]]).round(12).tolist()
    [0.5, 0.5, 0.5]

    Source: definition.
    """
    counts = _square(wins).copy()
    np.fill_diagonal(counts, 1.0)
    pairs = counts + counts.T
    if not np.all(pairs > 0):
        raise DomainError("wins", tuple(map(int, np.argwhere(pairs == 0)[0])), "a matrix with every pair compared")
    return np.asarray((counts / pairs).mean(axis=1))


def _square(wins: ArrayLike) -> Array:
    counts = within("wins", wins, 0, np.inf, open_high=True)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise DomainError("wins.shape", counts.shape, "(answers, answers)")
    return counts
