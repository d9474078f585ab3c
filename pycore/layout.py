"""A table of distances drawn in the plane: where to put the points, and the tree of shortest roads between them."""

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite
from pycore.domain import Array, DomainError

SWEEPS = 200
# Of the mean distance: points that fall together in two dimensions must be able to part, the others hardly move.
NUDGE = 0.01


def stress(places: ArrayLike, distances: ArrayLike) -> float:
    """How badly a drawing keeps the distances.

    Args:
        places: shape (points, 2).
        distances: symmetric, zero on the diagonal, >= 0, shape (points, points).

    Returns:
        Root mean square of the relative errors of all distances above zero, >= 0; 0 for a faithful drawing. NaN when
        all distances are zero.

    Raises:
        DomainError: mismatched shapes; distances that are no table of distances.

    >>> stress([[0, 0], [3, 4]], [[0, 5], [5, 0]])
    0.0

    Source: Kamada and Kawai (1989): stress with weights 1 / d^2.
    """
    wanted, spot = _table(distances), finite("places", places, dimensions=2)
    if spot.shape != (len(wanted), 2):
        raise DomainError("places.shape", spot.shape, f"({len(wanted)}, 2)")
    far = wanted > 0
    return float(np.sqrt(np.mean((_between(spot)[far] / wanted[far] - 1) ** 2))) if far.any() else float("nan")


def places(distances: ArrayLike, fixed: ArrayLike | None = None) -> Array:
    """Points in the plane whose distances come close to those of the table.

    Args:
        distances: symmetric, zero on the diagonal, >= 0, shape (points, points).
        fixed: places of the first points, which then stay there, shape (some, 2); all are free when None.

    Returns:
        Shape (points, 2), without `fixed` centred at 0: a local minimum of the `stress`, the same for the same table.
        Points at distance 0 may end up a little apart.

    Raises:
        DomainError: distances that are no table of distances; more fixed places than points.

    >>> bool(stress(places([[0, 3, 4], [3, 0, 5], [4, 5, 0]]), [[0, 3, 4], [3, 0, 5], [4, 5, 0]]) < 1e-3)
    True

    Source: classical scaling (Torgerson, 1952) as a start, then stress majorisation (SMACOF; de Leeuw, 1977).
    """
    wanted = _table(distances)
    size = len(wanted)
    held = np.zeros((0, 2)) if fixed is None else finite("fixed", fixed, dimensions=2)
    if len(held) > size or held.shape[1:] != (2,):
        raise DomainError("fixed.shape", held.shape, f"(at most {size}, 2)")
    free = slice(len(held), size)
    turn = np.arange(size)
    spot = NUDGE * wanted.mean() * np.column_stack([np.cos(turn), np.sin(turn)])
    if len(held):
        spot[: len(held)] = held
        spot[free] += _weighted(wanted[free, : len(held)], held)
    else:
        spot += _classical(wanted)
    # Majorisation: V X = B(X) X with the weights' Laplacian V.
    weight = np.divide(1, wanted**2, out=np.zeros_like(wanted), where=wanted > 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian[free, free])
    kept = laplacian[free, : len(held)] @ held
    for _ in range(SWEEPS):
        gap = _between(spot)
        pull = -np.divide(weight * wanted, gap, out=np.zeros_like(gap), where=gap > 0)
        pull[turn, turn] = -pull.sum(axis=1)
        spot[free] = inverse @ ((pull @ spot)[free] - kept)
    return np.asarray(spot if len(held) else spot - spot.mean(axis=0))


def roads(distances: ArrayLike) -> tuple[tuple[int, int], ...]:
    """The tree of least total length that joins all points.

    Args:
        distances: symmetric, zero on the diagonal, >= 0, shape (points, points).

    Returns:
        Pairs (known, new) in the order in which the tree grows from point 0; of equal roads the one with the smaller
        numbers first.

    Raises:
        DomainError: distances that are no table of distances.

    >>> roads([[0, 1, 4], [1, 0, 2], [4, 2, 0]])
    ((0, 1), (1, 2))

    Source: Prim (1957).
    """
    wanted = _table(distances)
    nearest, length = np.zeros(len(wanted), int), wanted[0].copy()
    away = np.ones(len(wanted), bool)
    away[0] = False
    found = []
    while away.any():
        new = int(np.argmin(np.where(away, length, np.inf)))
        found.append((int(nearest[new]), new))
        away[new] = False
        closer = away & (wanted[new] < length)
        nearest[closer], length[closer] = new, wanted[new][closer]
    return tuple(found)


def _table(distances: ArrayLike) -> Array:
    table = finite("distances", distances, dimensions=2)
    if table.shape[0] != table.shape[1] or not len(table):
        raise DomainError("distances.shape", table.shape, "(points, points) with at least one point")
    if np.any(table < 0) or np.any(np.diag(table)) or np.any(table != table.T):
        raise DomainError("distances", "this table", "symmetric, zero on the diagonal, not negative")
    return table


def _between(spot: Array) -> Array:
    return np.asarray(np.linalg.norm(spot[:, None] - spot, axis=2))


def _classical(wanted: Array) -> Array:
    """The two principal axes of the doubly centred squared distances, each turned so that its cubes sum above 0."""
    centred = wanted**2 - np.mean(wanted**2, axis=0)
    centred = -0.5 * (centred - centred.mean(axis=1, keepdims=True))
    strength, axes = np.linalg.eigh(centred)
    found = np.zeros((len(wanted), 2))
    count = min(2, len(wanted))
    found[:, :count] = (axes * np.sqrt(np.maximum(strength, 0)))[:, ::-1][:, :count]
    return found * np.where(np.sum(found**3, axis=0) < 0, -1, 1)


def _weighted(wanted: Array, held: Array) -> Array:
    """For each point the mean of the fixed ones, the nearer the heavier."""
    weight = 1 / (0.5 + wanted) ** 2
    return np.asarray(weight @ held / weight.sum(axis=1, keepdims=True))
