"""JSON from strangers: how deep it is nested is checked before it is parsed.

Python's own parser gives up on deep nesting with an exception, but in wasm the stack is smaller than its limit assumes:
a few thousand brackets end the whole interpreter, which no `except` can catch.
"""

import json
import re
from typing import Any

from pycore.domain import DomainError

DEEPEST = 32
# A string without an end reaches to the end of the text, so that the scan stays linear.
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?$)|[\[{]|[\]}]', re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


def parse(name: str, text: str) -> Any:
    """The value of a JSON text; NaN and infinity, which are no JSON, are refused.

    Args:
        name: what the text is, quoted in the error.
        text: of any size that the caller allows.

    Raises:
        DomainError: not JSON, nested more than 32 deep, or a number with more digits than Python reads.

    >>> parse("point", '{"x": [1, 2]}')
    {'x': [1, 2]}
    """
    depth = deepest = 0
    if text.count("[") + text.count("{") > DEEPEST:
        for mark in _STRUCTURE.finditer(text):
            depth += _STEP.get(mark[0], 0)
            deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise DomainError(name, f"nested {deepest} deep", f"JSON nested at most {DEEPEST} deep")
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError:
        raise DomainError(name, text, "JSON") from None


def _refuse(name: str) -> float:
    raise ValueError(name)
