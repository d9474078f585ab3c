"""Arrays and facts as bytes: one line of JSON, then the numbers. The same content always gives the same bytes."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.domain import Array, DomainError
from pycore.untrusted import read_json

VERSION = "snapshot/1"
LONGEST_HEADER = 4_000_000
MOST_BYTES = 256_000_000


def pack(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """Writes facts and float64 arrays.

    Args:
        facts: JSON values.
        arrays: by name.

    >>> facts, arrays = unpack(pack({"step": 3}, {"w": np.ones(2)}))
    >>> facts, arrays["w"].tolist()
    ({'step': 3}, [1.0, 1.0])
    """
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    header = json.dumps({"version": VERSION, "facts": dict(facts), "arrays": shapes}, sort_keys=True, allow_nan=False)
    body = b"".join(np.ascontiguousarray(arrays[name], dtype="<f8").tobytes() for name in sorted(arrays))
    return header.encode() + b"\n" + body


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads what `pack` wrote; nothing in it is ever executed.

    Raises:
        DomainError: another version, a damaged header, a size that does not fit, or more than 256 MB.
    """
    end = data.find(b"\n", 0, LONGEST_HEADER)
    if len(data) > MOST_BYTES or end < 0:
        raise DomainError("data", f"{len(data)} bytes", "a snapshot: a line of JSON, then its arrays")
    try:
        header = read_json("header", data[:end].decode())
        facts, shapes = header["facts"], {str(name): tuple(shape) for name, shape in header["arrays"].items()}
        version = header["version"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DomainError("data", data[:60], "a snapshot: a line of JSON, then its arrays") from None
    if version != VERSION:
        raise DomainError("version", version, VERSION)
    if not isinstance(facts, dict):
        raise DomainError("facts", facts, "a mapping")
    arrays, position = {}, end + 1
    for name in sorted(shapes):
        shape = shapes[name]
        if not all(type(width) is int and 0 <= width <= MOST_BYTES for width in shape) or len(shape) > 4:
            raise DomainError(f"arrays[{name!r}]", shape, "up to four whole numbers")
        count = 1
        for width in shape:
            count *= width
        if position + 8 * count > len(data):
            raise DomainError("data", f"{len(data)} bytes", f"at least {position + 8 * count}: array {name} is cut")
        arrays[name] = np.frombuffer(data, dtype="<f8", count=count, offset=position).reshape(shape).copy()
        position += 8 * count
    if position != len(data):
        raise DomainError("data", f"{len(data)} bytes", f"{position}")
    return facts, arrays
