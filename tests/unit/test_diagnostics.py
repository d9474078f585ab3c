"""Oracle: hand-computed distributions and the gradient of the clipped term by finite differences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.diagnostics import clip_shares, length_statistics, mean_by_position, ratio_tails, token_entropy
from pycore.domain import DomainError


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=8), st.floats(-50, 50))
def test_the_entropy_is_its_definition_and_ignores_a_shift(logits, shift):
    p = np.exp(np.array(logits) - max(logits))
    p /= p.sum()
    expected = -sum(q * math.log(q) for q in p)
    assert float(token_entropy(logits)) == pytest.approx(expected, abs=1e-9)
    assert float(token_entropy(np.array(logits) + shift)) == pytest.approx(expected, abs=1e-9)


def test_equal_tokens_have_the_largest_entropy_and_forbidden_ones_do_not_count():
    assert float(token_entropy(np.zeros(16))) == pytest.approx(math.log(16))
    assert float(token_entropy([0, 0, -np.inf, -np.inf])) == pytest.approx(math.log(2))
    assert token_entropy([1e308, -1e308]) == 0


@given(st.integers(0, 10**6))
def test_a_counted_token_is_one_whose_gradient_the_clip_removed(seed):
    draw = np.random.default_rng(seed)
    rho, gain, mask = draw.uniform(0.4, 1.8, 40), draw.normal(size=40), draw.uniform(size=40) < 0.8
    mask[0] = True

    def term(r):
        return np.minimum(r * gain, np.clip(r, 0.8, 1.3) * gain)

    gone = (term(rho + 1e-7) - term(rho - 1e-7)) == 0
    shares = clip_shares(rho, gain, mask, 0.2, 0.3)
    for share, side in ((shares.positive, gain > 0), (shares.negative, gain < 0)):
        chosen = mask & side
        assert (share == pytest.approx(gone[chosen].mean())) if chosen.any() else math.isnan(share)
    outside = (rho < 0.8) | (rho > 1.3)
    assert shares.idle == pytest.approx((outside & ~gone)[mask].mean())


def test_the_four_quadrants_of_sign_and_side():
    assert clip_shares([1.5], [1.0], [True], 0.2, 0.2).positive == 1
    assert clip_shares([0.5], [1.0], [True], 0.2, 0.2).positive == 0
    assert clip_shares([1.5], [-1.0], [True], 0.2, 0.2).negative == 0
    assert clip_shares([0.5], [-1.0], [True], 0.2, 0.2).negative == 1


def test_a_share_over_nothing_is_not_zero():
    assert math.isnan(clip_shares([1.0], [1.0], [True], 0.2, 0.2).negative)
    assert math.isnan(clip_shares([1.0], [0.0], [True], 0.2, 0.2).idle)
    assert math.isnan(length_statistics([5], [True]).mean_ended)


def test_masked_tokens_do_not_leak():
    shares = clip_shares([1.5, np.nan], [1.0, np.nan], [True, False], 0.2, 0.2)
    assert (shares.positive, shares.idle) == (1, 0)
    assert ratio_tails([0.1, np.nan], [True, False]).largest_deviation == pytest.approx(math.expm1(0.1))


def test_positions_are_averaged_over_the_responses_that_reach_them():
    values = np.array([[1.0, 2.0, 9.0], [3.0, np.nan, np.nan]])
    found = mean_by_position(values, [[True, True, False], [True, False, False]])
    assert found[:2].tolist() == [2, 2]
    assert math.isnan(found[2])


def test_the_ratios_of_a_forgotten_dropout_show_at_once():
    tails = ratio_tails(np.log([0.9, 1.15]), [True, True])
    assert tails.largest_deviation == pytest.approx(0.15)


def test_one_dominating_ratio_leaves_one_effective_token():
    tails = ratio_tails([100.0, 0.0, 0.0, 0.0], [True] * 4, tail=0.0)
    assert tails.effective_share == pytest.approx(0.25)
    assert tails.outside == 0.25
    assert (tails.low, tails.high) == pytest.approx((1, math.exp(100)))
    assert ratio_tails([5000.0, 0.0], [True, True]).largest_deviation == math.inf
    assert ratio_tails(np.zeros(7), np.ones(7, bool)).effective_share == 1


def test_lengths_by_hand():
    found = length_statistics([1, 2, 3, 4, 100], [False, False, False, False, True])
    assert (found.mean, found.median, found.longest, found.ended, found.truncated) == (22, 3, 100, 0.8, 0.2)
    assert found.mean_ended == 2.5
    assert found.tail == pytest.approx(4 + 0.8 * 96)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: token_entropy([-np.inf, -np.inf]), "at least one token that is not forbidden"),
        (lambda: token_entropy([np.nan, 0]), "logits = nan"),
        (lambda: token_entropy([np.inf, 0]), "logits = inf"),
        (lambda: token_entropy(np.zeros((2, 0))), r"logits\.shape"),
        (lambda: mean_by_position([1.0], [True]), r"mask\.shape"),
        (lambda: mean_by_position([[1.0, 2.0]], [[True]]), r"values\.shape"),
        (lambda: clip_shares([1.0], [1.0], [False], 0.2, 0.2), "mask = False"),
        (lambda: clip_shares([0.0], [1.0], [True], 0.2, 0.2), "ratio = 0.0"),
        (lambda: clip_shares([1.0], [1.0, 2.0], [True], 0.2, 0.2), r"advantages\.shape"),
        (lambda: clip_shares([1.0], [1.0], [True], 1.2, 0.2), "low = 1.2"),
        (lambda: ratio_tails([0.0], [True], bound=1), "bound = 1.0"),
        (lambda: ratio_tails([np.nan], [True]), "log_ratio = nan"),
        (lambda: length_statistics([], np.zeros(0, bool)), r"lengths\.shape"),
        (lambda: length_statistics([1, 2], [True]), r"truncated\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
