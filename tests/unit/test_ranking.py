"""Oracle: closed-form fits of two answers, the stationarity of the likelihood, and the cycle worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pycore.domain import DomainError
from pycore.preference import win_probability
from pycore.ranking import fit_scores, loss_floor

CYCLE = np.array([[0, 0.7, 0.3], [0.3, 0, 0.7], [0.7, 0.3, 0]])


def square(values):
    wins = np.array(values, dtype=float)
    np.fill_diagonal(wins, 0)
    return wins


positive_counts = st.integers(2, 5).flatmap(lambda n: arrays(float, (n, n), elements=st.floats(0.1, 50))).map(square)
sparse_counts = st.integers(2, 6).flatmap(lambda n: arrays(float, (n, n), elements=st.sampled_from([0, 0, 1, 3])))


@pytest.mark.parametrize(("won", "lost"), [(3, 1), (70, 30), (1, 1), (1, 1e6)])
def test_two_answers_differ_by_their_log_odds(won, lost):
    fit = fit_scores([[0, won], [lost, 0]])
    assert fit.scores[0] - fit.scores[1] == pytest.approx(math.log(won / lost), abs=1e-9)


@given(positive_counts)
def test_at_the_fit_every_answer_wins_as_often_as_expected(wins):
    scores = fit_scores(wins).scores
    pairs = wins + wins.T
    expected = pairs * win_probability(*np.broadcast_arrays(scores[:, None], scores[None, :]))
    assert (expected.sum(axis=1) - np.diag(expected)) == pytest.approx(wins.sum(axis=1), rel=1e-9)
    assert scores.sum() == pytest.approx(0, abs=1e-9)


def test_scores_that_made_the_probabilities_are_recovered():
    truth = np.array([1.5, 0.2, -0.4, -1.3])
    wins = square(win_probability(*np.broadcast_arrays(truth[:, None], truth[None, :])))
    assert fit_scores(wins).scores == pytest.approx(truth, abs=1e-12)
    assert loss_floor(wins).gap == pytest.approx(0, abs=1e-12)


def test_on_a_70_percent_cycle_the_best_loss_is_ln_2_and_0_082_nat_stay_above_the_entropy():
    fit, floor = fit_scores(CYCLE), loss_floor(CYCLE)
    assert fit.scores == pytest.approx([0, 0, 0], abs=1e-12)
    assert floor.best == pytest.approx(math.log(2), abs=1e-12)
    assert round(floor.entropy, 3) == 0.611
    assert round(floor.gap, 3) == 0.082


@given(positive_counts, st.integers(0, 10**6))
def test_no_scores_go_below_the_floor(wins, seed):
    floor = loss_floor(wins)
    near = fit_scores(wins).scores + 0.1 * np.random.default_rng(seed).normal(size=len(wins))
    log_win = np.log(win_probability(*np.broadcast_arrays(near[:, None], near[None, :])))
    assert -(wins * log_win).sum() / wins.sum() >= floor.best - 1e-9
    assert floor.gap >= 0


def test_separable_data_name_the_answers_that_never_lost():
    with pytest.raises(DomainError, match=r"wins = \[1\]: allowed is counts in which every set of answers has lost"):
        fit_scores([[0, 0, 2], [5, 0, 4], [1, 0, 0]])
    with pytest.raises(DomainError, match=r"wins = \[0, 1\]"):
        fit_scores([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])


def test_a_ridge_makes_separable_data_finite():
    fit = fit_scores([[0, 5], [0, 0]], ridge=0.1)
    first = fit.scores[0]
    # Stationary point of 5 log(1 + e^{-2s}) + 0.1 (s^2 + s^2) / 2.
    assert 5 * float(win_probability(-first, first)) == pytest.approx(0.1 * first)


def test_separable_data_reach_a_floor_of_zero_in_the_limit():
    floor = loss_floor([[0, 5, 5], [0, 0, 5], [0, 0, 0]])
    assert (floor.best, floor.entropy, floor.gap) == (0, 0, 0)


@given(sparse_counts.map(square).filter(lambda wins: wins.sum() > 0))
def test_the_floor_of_separable_data_is_the_limit_of_vanishing_ridges(wins):
    floor = loss_floor(wins)
    assert fit_scores(wins, ridge=1e-7).loss == pytest.approx(floor.best, abs=1e-4)


def test_half_a_cycle_beside_a_certain_loser_averages_both():
    wins = np.zeros((4, 4))
    wins[:3, :3] = CYCLE
    wins[:3, 3] = 1
    assert loss_floor(wins).best == pytest.approx(math.log(2) / 2)


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0, 1]], r"wins\.shape = \(1, 2\)"),
        ([[0, 0], [0, 0]], "at least one comparison"),
        ([[1, 2], [1, 0]], "nothing is compared with itself"),
        ([[0, -1], [1, 0]], "wins = -1.0"),
        ([[0, np.nan], [1, 0]], "wins = nan"),
    ],
)
def test_bad_counts_are_named(wins, words):
    for function in (fit_scores, loss_floor):
        with pytest.raises(DomainError, match=words):
            function(wins)
