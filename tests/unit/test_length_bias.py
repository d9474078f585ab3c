"""Oracles: step 6.6's numbers, NumPy's least squares with a column a group, and the regression of quality on length."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.length_bias import break_even, judge_scores, length_slope, without_length
from pycore.preference import win_probability

GAP = math.log(0.7 / 0.3)


def wins(gap, times, bias):
    longer, shorter = judge_scores([-gap, 0.0], [100 * times, 100.0], bias)
    return float(win_probability(longer, shorter))


def test_a_longer_answer_wins_as_often_as_step_6_6_says():
    assert wins(0, 2, 1) == pytest.approx(2 / 3)
    assert wins(0, 3, 1) == pytest.approx(3 / 4)
    assert wins(GAP, 2, 1) == pytest.approx(0.46, abs=0.005)
    assert wins(GAP, 2, 0) == pytest.approx(0.3)
    assert wins(GAP, 3, 1) > 0.5


@given(st.floats(0, 3), st.floats(0.1, 3))
def test_at_the_break_even_length_both_win_equally_often(gap, bias):
    assert wins(gap, break_even(gap, bias), bias) == pytest.approx(0.5)


def test_without_a_liking_no_length_is_enough_and_equals_need_none():
    assert break_even(1, 0) == break_even(1000, 0.001) == math.inf
    assert break_even(0, 0) == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_slope_is_that_of_least_squares_with_a_mean_for_every_group(seed):
    rng = np.random.default_rng(seed)
    lengths, group, scores = rng.uniform(10, 400, 12), rng.integers(0, 3, 12), rng.standard_normal(12)
    design = np.column_stack([np.log(lengths), *(group == number for number in np.unique(group))])
    assert length_slope(scores, lengths, group) == pytest.approx(np.linalg.lstsq(design, scores)[0][0])
    assert length_slope(scores, lengths) == pytest.approx(np.polyfit(np.log(lengths), scores, 1)[0])


@given(st.integers(0, 10**6), st.floats(0, 3))
def test_the_slope_over_all_answers_holds_liking_and_merit_and_within_a_verdict_the_liking_alone(seed, bias):
    rng = np.random.default_rng(seed)
    lengths, right = rng.uniform(10, 400, 10), np.arange(10) % 2
    scores = judge_scores(GAP * right, lengths, bias)
    merit = np.polyfit(np.log(lengths), GAP * right, 1)[0]
    assert length_slope(scores, lengths) == pytest.approx(bias + merit)
    assert length_slope(scores, lengths, right) == pytest.approx(bias)
    assert length_slope(without_length(scores, lengths, bias + merit), lengths) == pytest.approx(0, abs=1e-9)


def test_where_no_lengths_differ_there_is_nothing_to_take_out():
    assert length_slope([1.0, 2.0], [7, 7]) == 0
    assert length_slope([1.0, 2.0], [7, 9], [0, 1]) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: judge_scores([1.0], [0.0], 1.0), "lengths = 0"),
        (lambda: judge_scores([1.0], [1.0, 2.0], 1.0), "shape"),
        (lambda: judge_scores([1.0], [1.0], -1.0), "bias = -1"),
        (lambda: break_even(-1, 1), "gap = -1"),
        (lambda: length_slope([1.0, 2.0], [1.0, 2.0], [0]), "shape"),
        (lambda: without_length([1.0], [1.0], math.nan), "slope = nan"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
