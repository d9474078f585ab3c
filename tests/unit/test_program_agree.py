"""Oracle: Python's own equality, where it says what the course means, and pairs judged by hand where it does not."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycore.verify.program.agree import agrees, well_formed
from pycore.verify.program.harness import plain, restored

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(PLAIN)
def test_a_coded_value_is_well_formed_and_comes_back(value):
    coded = json.loads(json.dumps(plain(value)))
    assert well_formed(coded)
    assert restored(coded) == value


@settings(deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists, max_leaves=5))
def test_a_value_without_floats_agrees_with_itself_and_with_no_other(value):
    assert agrees(plain(value), plain(value), 0.0)
    assert not agrees(plain([value, 1]), plain([value, 2]), 0.0)
    assert not agrees(plain([value]), plain(value), 0.0)


@pytest.mark.parametrize(
    ("got", "expected", "equal"),
    [
        (3.0, 3, True),
        (3, 3.0, True),
        (1, True, False),
        (0, False, False),
        (0, None, False),
        ("1", 1, False),
        (0.1 + 0.2, 0.3, True),
        (0.3001, 0.3, False),
        (1e12 + 1, 1e12, True),  # relative beyond magnitude 1
        (10**12 + 1, 10**12, False),  # whole numbers are exact
        (float("nan"), 0.0, False),
        (float("inf"), 1e308, False),
        (10**3000, 1.0, False),
        ((1, 2), [1, 2], True),
        ({1, 2}, {2, 1}, True),
        ([1, 2], {1, 2}, False),
        ({"a": 1, "b": 2.0}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
    ],
)
def test_results_agree_by_value_and_by_kind(got, expected, equal):
    assert agrees(plain(got), plain(expected), 1e-9) is equal


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (object(), TypeError),
        (1j, TypeError),
        (b"1", TypeError),
        (10**5000, ValueError),
        (list(range(30_000)), ValueError),
        ("x" * 200_000, ValueError),
    ],
    ids=["object", "complex", "bytes", "digits", "items", "text"],
)
def test_a_result_of_another_kind_is_not_coded(value, error):
    with pytest.raises(error):
        plain(value)


def test_a_list_inside_itself_ends():
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested"):
        plain(endless)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ({3.0, 10}, {3, 10.0}),
        ({2.0, 9.999999999999998}, {2.0, 10.0}),
        ({-1, -20.0}, {-1.0, -20}),
        ({1.0: "a", 2: "b"}, {1: "a", 2.0: "b"}),
        ({(1, 10.0), (1.0, 9)}, {(1.0, 10), (1, 9.0)}),
        ({None, True, "a", 0.5}, {0.5, "a", True, None}),
    ],
)
def test_members_are_paired_by_value_and_not_by_how_they_are_written(got, expected):
    assert agrees(plain(got), plain(expected), 1e-9)
    assert not agrees(plain({*got, 77}), plain({*expected, 78}), 1e-9)
