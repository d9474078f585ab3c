"""JSON from elsewhere: measured before it is parsed, since deep nesting ends a browser's Python with no exception."""

import json
import re
from typing import Any

from pycore.domain import DomainError

# A string, closed or not, or a bracket: every character belongs to one match at most, so the search is linear.
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def nesting(text: str) -> int:
    """How deep brackets nest in a text that claims to be JSON.

    >>> nesting('{"a": [1, ["[[["]]}')
    3
    """
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        if found.group() in ("[", "{"):
            depth += 1
        elif found.group() in ("]", "}"):
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


def read_json(name: str, text: str, *, longest: int = 1_000_000, deepest: int = 100, unmeasured: bool = False) -> Any:
    """The value of a JSON text.

    Args:
        name: the caller's argument name, quoted in the error.
        text: from anywhere.
        longest: most characters accepted.
        deepest: most levels of brackets accepted.
        unmeasured: take `NaN`, `Infinity` and `-Infinity`, which are not JSON but which Python's writer puts there.

    Raises:
        DomainError: a text that is too long, nests too deep or is not JSON; says where it stops being JSON.

    >>> read_json("scenario", '{"p": 0.5}')
    {'p': 0.5}
    """
    if len(text) > longest:
        raise DomainError(name, text, f"JSON of at most {longest} characters")
    if nesting(text) > deepest:
        raise DomainError(name, text, f"JSON nested at most {deepest} deep")
    try:
        return json.loads(text, parse_constant=None if unmeasured else _refuse)
    except json.JSONDecodeError as error:
        broken = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"character {error.pos + 1}"
        # What a reader recognises is the end of the good part.
        raise DomainError(name, text[max(0, error.pos - 30) : error.pos + 30], f"JSON; it breaks at {broken}") from None
    except (ValueError, RecursionError):
        raise DomainError(name, text, "JSON") from None


def _refuse(constant: str) -> None:
    raise ValueError(constant)
