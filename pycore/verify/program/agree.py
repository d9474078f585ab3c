"""Comparison of coded values: what an isolated interpreter reports counts as forged until its form is checked."""

from math import isfinite
from typing import Any


def well_formed(coded: Any, depth: int = 40) -> bool:
    """Whether a value has the form that the harness writes.

    >>> well_formed({"list": [1, {"float": "1.5"}]}), well_formed({"float": "one"}), well_formed([1])
    (True, False, False)
    """
    if depth == 0:
        return False
    if coded is None or isinstance(coded, bool | int | str):
        return True
    if not isinstance(coded, dict) or len(coded) != 1:
        return False
    ((kind, content),) = coded.items()
    if kind == "float":
        return isinstance(content, str) and _is_float(content)
    if not isinstance(content, list) or kind not in ("list", "set", "dict"):
        return False
    if kind != "dict":
        return all(well_formed(one, depth - 1) for one in content)
    pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in content)
    return pairs and all(well_formed(one, depth - 1) for pair in content for one in pair)


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return len(text) < 40


def agrees(got: Any, expected: Any, tolerance: float) -> bool:
    """Whether two coded values are equal, numbers within a tolerance when either is a float.

    Args:
        got: a coded value that `well_formed` accepts.
        expected: another one.
        tolerance: largest difference, relative to |expected| where that is above 1; at least 0.

    >>> agrees({"float": "3.0"}, 3, 0.0), agrees(True, 1, 0.0)
    (True, False)
    """
    left, right = _unpacked(got), _unpacked(expected)
    if left[0] != right[0]:
        return False
    kind, a, b = left[0], left[1], right[1]
    if kind == "number":
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        if not (_fits_float(a) and _fits_float(b)):
            return False
        return bool(abs(a - b) <= tolerance * max(1.0, abs(float(b))))
    if kind == "atom":
        return type(a) is type(b) and a == b
    if kind == "dict":
        a, b = [one for pair in a for one in pair], [one for pair in b for one in pair]
    return len(a) == len(b) and all(agrees(x, y, tolerance) for x, y in zip(a, b, strict=True))


def _fits_float(number: float) -> bool:
    return number.bit_length() < 1000 if isinstance(number, int) else isfinite(number)


def _unpacked(coded: Any) -> tuple[str, Any]:
    if isinstance(coded, dict):
        ((kind, content),) = coded.items()
        return ("number", float(content)) if kind == "float" else (kind, content)
    return ("number", coded) if type(coded) is int else ("atom", coded)


def shown(coded: Any, width: int = 120) -> str:
    """A coded value in Python's notation, cut to `width` characters.

    >>> shown({"list": [1, {"float": "0.5"}]})
    '[1, 0.5]'
    """
    text = _notation(coded)
    return text if len(text) <= width else text[: width - 1] + "…"


def _notation(coded: Any) -> str:
    kind, content = _unpacked(coded)
    if kind == "number" or kind == "atom":
        return repr(content)
    if kind == "dict":
        return "{" + ", ".join(f"{_notation(key)}: {_notation(value)}" for key, value in content) + "}"
    inside = ", ".join(_notation(one) for one in content)
    if kind == "set":
        return f"{{{inside}}}" if content else "set()"
    return f"[{inside}]"
