"""Values on their way between the build, the learner's worker and the page: as JSON, compared, and written out.

JSON here is Python's own dialect: NaN and the infinities are written as such, and only Python reads it.
"""

import math
from typing import Any

import numpy as np

MOST = 20_000  # entries of one value
LONGEST = 400  # characters of a value that is shown


def coded(value: Any) -> Any:
    """A value as JSON that keeps its type: a list, a tuple and an array stay different.

    Raises:
        TypeError: neither a number, a text, a truth value, None, an array nor a container of such.
        ValueError: more than `MOST` entries.

    >>> coded((1.5, np.array([True, False])))
    {'tuple': [1.5, {'array': [True, False], 'shape': [2]}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        if isinstance(value, str) and len(value) > MOST:
            raise ValueError("a text that is too long")
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        if value.size > MOST:
            raise ValueError("an array that is too large")
        return {"array": value.ravel().tolist(), "shape": list(value.shape)}
    if isinstance(value, list | tuple):
        if len(value) > MOST:
            raise ValueError("a list that is too long")
        return {"tuple" if isinstance(value, tuple) else "list": [coded(one) for one in value]}
    if isinstance(value, dict):
        return {"dict": [[coded(key), coded(one)] for key, one in value.items()]}
    raise TypeError(type(value).__name__)


def decoded(code: Any) -> Any:
    """The value that `coded` wrote.

    >>> decoded(coded({"a": [1, None]}))
    {'a': [1, None]}
    """
    if not isinstance(code, dict):
        return code
    if "array" in code:
        return np.array(code["array"]).reshape(code["shape"])
    if "dict" in code:
        return {decoded(key): decoded(one) for key, one in code["dict"]}
    (kind, members), *_ = code.items()
    values = [decoded(one) for one in members]
    return tuple(values) if kind == "tuple" else values


def difference(expected: Any, got: Any, tolerance: float) -> str | None:
    """How a result differs from what is right: a kind of difference, or None when they agree.

    Numbers agree within `tolerance`, absolute and relative; a list of numbers is as good as an array.

    Returns:
        "nothing" (None came back), "type", "shape", "size" (of a container), "nan" or "value".

    >>> difference(np.array([1.0, 2.0]), [1.0, 2.0000001], 1e-6) is None
    True
    >>> difference(1.0, float("nan"), 1e-6)
    'nan'
    """
    if got is None and expected is not None:
        return "nothing"
    if isinstance(expected, str) or expected is None:
        return None if expected == got else "value" if isinstance(got, str) else "type"
    if isinstance(expected, tuple | dict) or (isinstance(expected, list) and numbers(expected) is None):
        return _in_members(expected, got, tolerance)
    right, found = numbers(expected), numbers(got)
    assert right is not None
    if found is None:
        return "type"
    if right.shape != found.shape:
        return "shape"
    if np.any(np.isnan(found) & ~np.isnan(right)):
        return "nan"
    return None if np.allclose(found, right, rtol=tolerance, atol=tolerance, equal_nan=True) else "value"


def _in_members(expected: Any, got: Any, tolerance: float) -> str | None:
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return "type"
        if set(got) != set(expected):
            return "size"
        pairs = [(expected[key], got[key]) for key in expected]
    else:
        if not isinstance(got, list | tuple):
            return "type"
        if len(got) != len(expected):
            return "size"
        pairs = list(zip(expected, got, strict=True))
    return next(filter(None, (difference(right, one, tolerance) for right, one in pairs)), None)


def numbers(value: Any) -> "np.ndarray | None":
    """A value as an array of float64, None when it holds anything but numbers."""
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):
        return None
    return array.astype(np.float64) if array.dtype.kind in "biuf" else None


def shown(value: Any) -> str:
    """A value as a learner would type it, cut when it is long.

    >>> shown((np.array([[1.0, 0.333333333]]), "a"))
    "([[1, 0.333333]], 'a')"
    """
    text = _typed(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 2] + " …"


def _typed(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _typed(value.tolist())
    if isinstance(value, float) and not isinstance(value, bool):
        return f"{value:.6g}" if math.isfinite(value) else str(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_typed, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(_typed, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_typed(key)}: {_typed(one)}" for key, one in value.items()) + "}"
    return repr(value)
