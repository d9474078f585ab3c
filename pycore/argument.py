"""Checks for the arguments that several modules share: single numbers, masks and finite arrays."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycore.domain import Array, DomainError, integer, within

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]


def scalar(
    name: str, value: ArrayLike, low: float, high: float, *, open_low: bool = False, open_high: bool = False
) -> float:
    """`value` as one float in the interval: a coefficient is never an array that broadcasts by accident.

    Args:
        name: the caller's argument name, quoted in the error.
        value: one number.
        low: lower end, may be -inf.
        high: upper end, may be inf.
        open_low: exclude `low` itself.
        open_high: exclude `high` itself.

    Raises:
        DomainError: more than one number, or out of the interval.

    >>> scalar("beta", 0.1, 0, 1)
    0.1
    """
    if type(value) in (int, float):  # a Protocol checks a dozen of these, and arrays of one number are slow
        inside = (value > low if open_low else value >= low) and (value < high if open_high else value <= high)  # type: ignore[operator]
        if inside:
            try:
                return float(value)  # type: ignore[arg-type]
            except OverflowError:  # refused below, in words
                pass
    return _single(name, within(name, value, low, high, open_low=open_low, open_high=open_high))


def whole(name: str, value: ArrayLike, low: int, high: float = np.inf) -> int:
    """`value` as one int in [low, high].

    Raises:
        DomainError: more than one number, not whole, or out of range.

    >>> whole("k", 4, 1)
    4
    """
    if type(value) is int and low <= value <= min(high, 2**53):
        return value
    return int(_single(name, integer(name, value, low, high)))


def finite(name: str, value: ArrayLike, dimensions: int | None = None) -> Array:
    """`value` as a float64 array without NaN or infinity.

    Args:
        name: the caller's argument name, quoted in the error.
        value: numbers.
        dimensions: the required number of axes; None for any.

    Raises:
        DomainError: names the first offending entry, or the shape.

    >>> finite("rewards", [1, 0], dimensions=1)
    array([1., 0.])
    """
    array = within(name, value, -np.inf, np.inf, open_low=True, open_high=True)
    if dimensions is not None and array.ndim != dimensions:
        raise DomainError(f"{name}.shape", array.shape, f"a shape with {dimensions} axes")
    return array


def boolean(name: str, value: ArrayLike) -> Mask:
    """`value` as a boolean array; 0/1 numbers are refused, since a float mask hides a weight.

    Raises:
        DomainError: when the values are not True and False.

    >>> boolean("mask", [True, False])
    array([ True, False])
    """
    array = np.asarray(value)
    if array.dtype != np.bool_:
        raise DomainError(name, array.dtype.name, "an array of True and False")
    return array


def _single(name: str, array: Array) -> float:
    if array.ndim:
        raise DomainError(f"{name}.shape", array.shape, "a single number")
    return float(array)
