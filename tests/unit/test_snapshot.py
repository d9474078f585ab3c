"""Oracle: the round trip, and bytes damaged on purpose."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pycore.domain import DomainError
from pycore.snapshot import pack, unpack

FACTS = {"step": 3, "big": 2**100, "name": "ы"}
ARRAYS = {"w": np.arange(6.0).reshape(2, 3), "empty": np.zeros(0)}


@given(arrays(np.float64, st.tuples(st.integers(0, 3), st.integers(0, 3)), elements=st.floats(width=64)))
def test_what_is_packed_comes_back_bit_for_bit(array):
    facts, found = unpack(pack(FACTS, {"a": array, **ARRAYS}))
    assert facts == FACTS
    assert found["a"].shape == array.shape
    assert found["a"].tobytes() == array.tobytes()


def test_equal_content_gives_equal_bytes():
    assert pack(FACTS, ARRAYS) == pack(dict(reversed(FACTS.items())), dict(reversed(ARRAYS.items())))


def test_what_comes_back_can_be_written_to():
    unpack(pack({}, ARRAYS))[1]["w"][:] = 0


WHOLE = pack(FACTS, ARRAYS)


def header(**changes):
    return json.dumps({"version": "snapshot/1", "facts": {}, "arrays": {}} | changes).encode() + b"\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no line",
        b"{}\n",
        b"[" * 100_000 + b"\n",
        b"\xff\xfe\n",
        WHOLE[:-1],
        WHOLE + b"x",
        header(version="snapshot/2"),
        header(facts=[]),
        header(arrays={"a": [2**40]}),
        header(arrays={"a": [-1]}),
        header(arrays={"a": [True]}),
        header(arrays={"a": [1, 1, 1, 1, 1]}),
        header(arrays={"a": "x"}),
        header(arrays=[]),
    ],
)
def test_damaged_bytes_are_refused(data):
    with pytest.raises(DomainError):
        unpack(data)
