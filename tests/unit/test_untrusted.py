"""Oracle: the json module on what is harmless, and texts made to do harm."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.untrusted import read_json

DEEPEST = 100

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES)
def test_what_json_writes_is_read_back(value):
    assert read_json("value", json.dumps(value)) == value


def test_brackets_inside_strings_do_not_nest():
    value = {"a": "[" * 1000, 'b"\\': ["{" * 1000, "\\"]}
    assert read_json("value", json.dumps(value)) == value


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"\\"":'])
def test_depth_is_allowed_up_to_a_limit_and_then_refused_before_parsing(opening):
    closing = opening.replace("[", "]").replace('{"a":', "}").replace('{"\\"":', "}")[::-1]
    levels = DEEPEST // len(closing)
    assert read_json("value", opening * levels + "1" + closing * levels) is not None
    with pytest.raises(DomainError, match="nested"):
        read_json("value", opening * 100_000)


@pytest.mark.parametrize("text", ["", "NaN", "[Infinity]", "1 2", "9" * 5000, '"' + '\\"' * 400_000, "[" * 40 + '"\\'])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(DomainError, match="value = "):
        read_json("value", text)


def test_a_text_that_is_too_long_is_refused_unread():
    with pytest.raises(DomainError, match="at most 10 characters"):
        read_json("value", " " * 11, longest=10)
