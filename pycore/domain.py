"""What arguments may be: conversion and checks shared by every module, with errors that name field, value and range."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class DomainError(ValueError):
    """An argument outside the set a function is defined on.

    Attributes:
        argument: name of the argument as the caller wrote it.
        value: the first offending value.
        allowed: the permitted values, in words.
    """

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        self.argument, self.value, self.allowed = argument, value, allowed
        try:
            shown = repr(value)
        except ValueError:  # an integer of more digits than Python prints
            shown = f"a {type(value).__name__} too long to print"
        super().__init__(f"{argument} = {shown if len(shown) <= 80 else shown[:77] + '...'}: allowed is {allowed}")


def real(name: str, value: ArrayLike) -> Array:
    """`value` as a float64 array; refuses text, booleans' look-alikes and ragged lists.

    Raises:
        DomainError: when the value is not numeric or not rectangular.
    """
    try:
        given = np.asarray(value)
    except ValueError:
        raise DomainError(name, value, "a rectangular array of numbers") from None
    if given.dtype.kind not in "iufb":
        raise DomainError(name, value, "a rectangular array of numbers")
    return given.astype(np.float64)


def floating(name: str, value: ArrayLike) -> NDArray[np.floating[Any]]:
    """`value` as a float array that keeps float32: per-token arrays are large, and the caller chose their precision.

    Raises:
        DomainError: when the value is not numeric or not rectangular.
    """
    if isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64):
        return value
    return real(name, value)


def within(
    name: str, value: ArrayLike, low: float, high: float, *, open_low: bool = False, open_high: bool = False
) -> Array:
    """`value` as a float64 array with every entry in the interval; NaN is outside every interval.

    Args:
        name: the caller's argument name, quoted in the error.
        value: numbers, any shape.
        low: lower end, may be -inf.
        high: upper end, may be inf.
        open_low: exclude `low` itself.
        open_high: exclude `high` itself.

    Raises:
        DomainError: names the first offending entry.

    >>> within("p", [0.0, 0.5], 0, 1)
    array([0. , 0.5])
    """
    if type(value) is float and low < value < high:  # most calls, told without asking an array
        return np.array(value)
    array = real(name, value)
    inside = (array > low if open_low else array >= low) & (array < high if open_high else array <= high)
    if not np.all(inside):
        offender = float(array[~inside].flat[0]) if array.ndim else float(array)
        bounds = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
        raise DomainError(name, offender, f"a number in {bounds}")
    return array


def integer(name: str, value: ArrayLike, low: int, high: float = np.inf) -> Array:
    """`value` as a float64 array of whole numbers in [low, high].

    Raises:
        DomainError: names the first entry that is not whole or out of range.

    >>> integer("G", 8, 1)
    array(8.)
    """
    array = real(name, value)
    inside = (array >= low) & (array <= high) & (array == np.floor(array)) & np.isfinite(array)
    if not np.all(inside):
        offender = float(array[~inside].flat[0]) if array.ndim else float(array)
        raise DomainError(name, offender, f"an integer from {low}" + ("" if high == np.inf else f" to {high:g}"))
    return array


def option(name: str, value: Any, options: Iterable[Any]) -> Any:
    """`value` itself when it is one of `options`.

    Raises:
        DomainError: lists the options.
    """
    allowed = tuple(options)
    # An array answers `in` with an array; only text and its like can be an option.
    if isinstance(value, np.ndarray) or value not in allowed:
        raise DomainError(name, value, "one of " + ", ".join(map(str, allowed)))
    return value


def same_shape(**arrays: NDArray[Any]) -> None:
    """Refuses arrays of different shapes: nothing is broadcast silently.

    Raises:
        DomainError: names the first array whose shape differs from the first one's.
    """
    (first, reference), *rest = arrays.items()
    for name, array in rest:
        if array.shape != reference.shape:
            raise DomainError(f"{name}.shape", array.shape, f"{reference.shape}, the shape of {first}")
