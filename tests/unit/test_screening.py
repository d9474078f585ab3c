"""Oracle: counting a whole population by hand, exact fractions, and curriculum 1.3's table."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.screening import escape_probability, fewest_tests, paid_share, undeserved_share

SHARE = st.floats(0, 1)


def test_a_thousand_answers_counted_by_hand() -> None:
    # 200 right, of which 20 are refused; 800 wrong, of which 40 are paid.
    assert paid_share(0.2, 0.05, 0.1) == pytest.approx(220 / 1000)
    assert undeserved_share(0.2, 0.05, 0.1) == pytest.approx(40 / 220)
    assert undeserved_share(0.02, 0.05, 0.1) == pytest.approx(49 / 67)


def test_where_nothing_is_paid_nothing_is_undeserved() -> None:
    assert np.isnan(undeserved_share(0.0, 0.0))
    assert np.isnan(undeserved_share([0.5, 0.5], 0.0, [1.0, 0.0])).tolist() == [True, False]


@given(SHARE, SHARE, SHARE)
def test_paid_and_refused_make_up_the_whole(right: float, alpha: float, eta: float) -> None:
    refused = eta * right + (1 - alpha) * (1 - right)
    assert paid_share(right, alpha, eta) + refused == pytest.approx(1)


def test_a_program_escapes_where_every_drawn_input_is_one_it_answers_rightly() -> None:
    # Four inputs, one of them wrong; all sequences of three draws.
    lucky = sum(3 not in drawn for drawn in product(range(4), repeat=3))
    assert escape_probability(0.25, 3) == pytest.approx(Fraction(lucky, 4**3))
    assert escape_probability([0.0, 1.0], 0).tolist() == [1, 1]


@pytest.mark.parametrize("wrong", [Fraction(3, 400), Fraction(1, 400), Fraction(97, 400), Fraction(1, 2), Fraction(1)])
def test_the_fewest_tests_are_enough_and_one_less_is_not(wrong: Fraction) -> None:
    fewest = int(fewest_tests(float(wrong)))
    assert (1 - wrong) ** fewest <= Fraction(1, 20)
    assert fewest == 1 or (1 - wrong) ** (fewest - 1) > Fraction(1, 20)


def test_half_wrong_is_caught_three_times_in_four_by_two_tests() -> None:
    assert fewest_tests(0.5, 0.75) == 2
    assert fewest_tests(0.0) == np.inf


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: paid_share(1.5, 0), "right"),
        (lambda: paid_share(0.5, -0.1), "false_positive"),
        (lambda: undeserved_share(0.5, 0, np.nan), "false_negative"),
        (lambda: escape_probability(0.5, -1), "tests"),
        (lambda: fewest_tests(2.0), "wrong"),
        (lambda: fewest_tests(0.5, 1.0), "level"),
    ],
)
def test_what_is_no_share_is_refused_by_name(call, argument) -> None:
    with pytest.raises(DomainError) as caught:
        call()
    assert caught.value.argument == argument
