"""Oracle: hand-computed values, finite differences, and simulated noisy utilities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.preference import comparison_loss, log_sigmoid, luce_probability, score_gap, win_probability

scores = st.floats(-30, 30)
noises = st.sampled_from(["gumbel", "gaussian"])


def test_a_lead_of_one_wins_73_percent_and_costs_0_313_nat():
    assert float(win_probability(2, 1)) == pytest.approx(1 / (1 + math.exp(-1)))
    assert round(float(win_probability(2, 1)), 3) == 0.731
    assert round(float(comparison_loss(2, 1).loss), 3) == 0.313


@given(scores, scores, noises)
def test_the_two_orders_of_one_pair_sum_to_one(a, b, noise):
    assert float(win_probability(a, b, noise) + win_probability(b, a, noise)) == pytest.approx(1)


@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(-1000, 1000), noises)
def test_a_common_shift_changes_nothing(a, b, shift, noise):
    assert win_probability(a + shift, b + shift, noise) == win_probability(a, b, noise)
    assert comparison_loss(a + shift, b + shift, 1.0, noise).loss == comparison_loss(a, b, 1.0, noise).loss


@given(scores, scores, st.floats(0, 1), noises, st.floats(0.5, 3))
def test_the_slope_is_the_finite_difference_of_the_loss(a, b, label, noise, scale):
    step = 1e-5
    up, down = (comparison_loss(a + s, b, label, noise, scale).loss for s in (step, -step))
    slope = float(comparison_loss(a, b, label, noise, scale).gradient)
    assert slope == pytest.approx(float(up - down) / (2 * step), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("noise", ["gumbel", "gaussian"])
def test_noisy_utilities_win_as_often_as_the_formula_says(noise):
    draw = np.random.default_rng(7)
    count, scale, gap = 200_000, 1.7, 0.9
    sample = draw.gumbel if noise == "gumbel" else draw.normal
    share = np.mean(gap + sample(0, scale, count) > sample(0, scale, count))
    p = float(win_probability(gap, 0, noise, scale))
    assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / count)


def test_a_hopeless_pair_has_a_finite_loss_and_slope():
    for noise in ("gumbel", "gaussian"):
        worst = comparison_loss(-500, 500, 1.0, noise)
        assert np.isfinite(worst.loss)
        assert np.isfinite(worst.gradient)
        assert worst.gradient < 0
    assert float(log_sigmoid(-1e4)) == -1e4


def test_luce_with_two_alternatives_is_bradley_terry():
    assert luce_probability([2.0, 1.0])[0] == pytest.approx(float(win_probability(2, 1)))


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=6))
def test_the_odds_of_two_alternatives_ignore_the_others(values):
    every, pair = luce_probability(values), luce_probability(values[:2])
    assert every[0] / every[1] == pytest.approx(pair[0] / pair[1])
    assert every.sum() == pytest.approx(1)


def test_luce_is_the_first_place_of_gumbel_utilities():
    draw = np.random.default_rng(3)
    values, count = np.array([1.0, 0.0, -0.5, 0.3]), 100_000
    first = np.argmax(values + draw.gumbel(size=(count, 4)), axis=1)
    share = np.bincount(first, minlength=4) / count
    p = luce_probability(values)
    assert np.all(np.abs(share - p) < 4 * np.sqrt(p * (1 - p) / count))


def test_seventy_percent_asks_for_a_gap_of_0_847():
    assert float(score_gap(0.7)) == pytest.approx(math.log(7 / 3))
    assert round(3 * float(score_gap(0.7)), 2) == 2.54


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: win_probability([1, 2], [1]), r"score_b\.shape = \(1,\)"),
        (lambda: win_probability(np.nan, 0), "score_a = nan"),
        (lambda: win_probability(0, 0, "uniform"), "one of gumbel, gaussian"),
        (lambda: win_probability(0, 0, scale=0), "scale = 0.0"),
        (lambda: comparison_loss(0, 0, 1.1), "label = 1.1"),
        (lambda: comparison_loss([0, 0], [0, 0], [1, 1, 1]), r"label\.shape"),
        (lambda: luce_probability([]), r"scores\.shape"),
        (lambda: luce_probability(1.0), r"scores\.shape"),
        (lambda: score_gap(1.0), "probability = 1.0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
