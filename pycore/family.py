"""How far two protocols lie apart: in words, by the axes that differ, and in deeds, by the updates of one batch."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite
from pycore.domain import Array, same_shape
from pycore.nearest import Difference
from pycore.protocol import Protocol


def differences(protocol: Protocol, other: Protocol) -> tuple[Difference, ...]:
    """The axes on which two protocols compute differently.

    Args:
        protocol: whose values come first.
        other: what it is compared with; its values are the `preset_value`s.

    Returns:
        One `Difference` an axis, in the order of the axes; axes without effect are left out.

    >>> [one.axis for one in differences(Protocol(scale="none"), Protocol())]
    ['scale']

    Source: curriculum 3.5: a name does not replace a specification.
    """
    mine, theirs = vars(protocol.canonical()), vars(other.canonical())
    return tuple(Difference(axis, mine[axis], value) for axis, value in theirs.items() if mine[axis] != value)


def distances(protocols: Sequence[Protocol]) -> Array:
    """How many axes part each two protocols.

    Args:
        protocols: any number.

    Returns:
        Whole numbers, symmetric, shape (protocols, protocols).

    >>> distances([Protocol(), Protocol(iterations=2), Protocol(weight_ceiling=9)])[0].tolist()
    [0.0, 1.0, 0.0]

    Source: curriculum 6.5: the family and the language of labs.
    """
    rows = [tuple(vars(one.canonical()).values()) for one in protocols]
    table = [[sum(a != b for a, b in zip(row, other, strict=True)) for other in rows] for row in rows]
    return np.asarray(table, float).reshape(len(rows), len(rows))


def turn(update: ArrayLike, other: ArrayLike) -> float:
    """The angle between two updates, whatever their lengths.

    Args:
        update: finite, any shape.
        other: finite, the same shape.

    Returns:
        Degrees in [0, 180]; NaN when either is zero throughout.

    Raises:
        DomainError: mismatched shapes, an entry that is not finite.

    >>> turn([1, 0], [1, 1])
    45.0

    Source: Kahan (2006), How futile are mindless assessments of roundoff: the half-angle form keeps small angles exact.
    """
    one, two = finite("update", update).ravel(), finite("other", other).ravel()
    same_shape(update=one, other=two)
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(two))
    if 0.0 in lengths:
        return float("nan")
    one, two = one / lengths[0], two / lengths[1]
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(one - two), np.linalg.norm(one + two))))
