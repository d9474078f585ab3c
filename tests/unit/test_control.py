"""Oracle: cases worked out by hand, and the round trip from value to text and back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.control import LONGEST_TEXT, Choice, Number, Numbers, Switch, Text, number, write
from pycore.domain import DomainError

SUCCESS = Number("p", 0.1, low=0, high=1, step=0.01)
SIZE = Number("G", 8, low=2, high=64, step=1, integer=True)
REWARDS = Numbers("rewards", (1, 0), low=-10, high=10, fewest=1, most=4)
BASELINE = Choice("baseline", ("mean", "none"), "mean")


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), (".5", 0.5), ("5.", 5), ("-1e-4", -1e-4), ("+3", 3)])
def test_a_number_is_digits_a_point_and_an_exponent(text, value):
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "x", "0x10", "1_000", "nan", "inf", "٣", "1e9999", "1,5", " 1", "1" * 400])
def test_what_python_would_also_read_is_not_a_number_here(text):
    assert math.isnan(number(text))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e25, max_value=1e25))
def test_a_written_number_reads_back_as_itself(value):
    assert number(write(value)) == value


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=4))
def test_a_written_list_reads_back_as_itself(values):
    assert REWARDS.parse(write(tuple(values))) == tuple(values)


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf, "0.5", True, None, 10**400])
def test_a_number_outside_its_bounds_is_refused_by_name(value):
    with pytest.raises(DomainError, match=r"^p = .*allowed is 0\.\.1$"):
        SUCCESS.check(value)


def test_a_group_size_is_whole():
    assert SIZE.parse("8") == 8
    assert isinstance(SIZE.parse("8"), int)
    with pytest.raises(DomainError, match=r"G = 2\.5"):
        SIZE.parse("2.5")


@pytest.mark.parametrize(
    ("given_", "nearest"), [("7", 1), ("-3", 0), ("x", 0.1), (0.3, 0.3), (None, 0.1), (10**400, 1)]
)
def test_the_nearest_number_is_the_bound_that_was_crossed(given_, nearest):
    assert SUCCESS.nearest(given_) == nearest


@pytest.mark.parametrize("text", ["", "1,,2", "1,2,3,4,5", "11", "1;2", "1,x", "1," * LONGEST_TEXT])
def test_a_list_is_refused_whole(text):
    with pytest.raises(DomainError, match="rewards"):
        REWARDS.parse(text)


def test_the_nearest_list_keeps_what_can_be_kept():
    assert REWARDS.nearest("99,x,-99,1,1,1") == (10, -10, 1)
    assert REWARDS.nearest("x") == REWARDS.default
    assert REWARDS.nearest(5) == REWARDS.default


def test_a_choice_is_one_of_its_options():
    assert BASELINE.parse("none") == "none"
    assert BASELINE.nearest("median") == "mean"
    with pytest.raises(DomainError, match="mean, none"):
        BASELINE.check(["mean"])


def test_a_switch_is_true_or_false_and_nothing_like_them():
    assert Switch("dual").parse("true") is True
    assert Switch("dual").nearest(1) is False
    for text in ("1", "True", "yes", ""):
        with pytest.raises(DomainError):
            Switch("dual").parse(text)


def test_a_text_is_kept_whole_and_a_long_one_is_refused() -> None:
    text = Text("answer", "42", longest=4)
    assert text.parse("½ & ") == "½ & "
    with pytest.raises(DomainError, match=r"answer.*5.*0\.\.4"):
        text.check("12345")
    with pytest.raises(DomainError, match="answer"):
        text.check(7)
    assert text.nearest("12345") == "1234"
    assert text.nearest(None) == "42"


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert Text("answer", "").check("\ud83d!") == "?!"
