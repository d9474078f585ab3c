"""Oracle: the published piecewise formulas written with min and clip as in the papers, and central differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.ratio import (
    clipped_surrogate,
    importance_ratio,
    soft_gate,
    unclipped_surrogate,
    weighted_logprob,
)

LOG_RATIO = st.floats(-3, 3)
ADVANTAGE = st.floats(-5, 5)

# sign of A, rho, value / |A|, derivative / |A|, with clip range 0.2 on both sides
QUADRANTS = [
    (+1, 0.5, 0.5, 0.5),  # good answer grown rarer: pull it back up in full
    (+1, 1.1, 1.1, 1.1),
    (+1, 1.5, 1.2, 0.0),  # good answer already more likely: enough
    (-1, 0.5, -0.8, 0.0),  # bad answer already rarer: enough
    (-1, 0.9, -0.9, -0.9),
    (-1, 1.5, -1.5, -1.5),  # bad answer grown more likely: push it down in full, without bound
]


@pytest.mark.parametrize(("sign", "rho", "value", "derivative"), QUADRANTS)
@pytest.mark.parametrize("size", [1.0, 2.5])
def test_the_clip_binds_in_two_of_four_quadrants(sign, rho, value, derivative, size):
    surrogate = clipped_surrogate(np.log([rho]), [sign * size])
    assert surrogate.value == pytest.approx(value * size, rel=1e-14)
    assert surrogate.derivative == pytest.approx(derivative * size, rel=1e-14)
    assert surrogate.clipped == (derivative == 0)


@pytest.mark.parametrize(
    ("sign", "rho", "value", "derivative"),
    [
        (+1, 1.25, 1.25, 1.25),  # below 1 + 0.28
        (+1, 1.5, 1.28, 0.0),
        (-1, 0.85, -0.9, 0.0),  # above 1 - 0.2, but not above 1 - 0.1
        (-1, 0.95, -0.95, -0.95),
    ],
)
def test_the_two_clip_ranges_are_independent(sign, rho, value, derivative):
    surrogate = clipped_surrogate(np.log([rho]), [sign], low=0.1, high=0.28)
    assert surrogate.value == pytest.approx(value, rel=1e-14)
    assert surrogate.derivative == pytest.approx(derivative, rel=1e-14)


@given(LOG_RATIO, ADVANTAGE, st.floats(0, 1), st.floats(0, 2))
def test_the_value_is_the_minimum_of_the_plain_and_the_clipped_term(log_ratio, advantage, low, high):
    rho = np.exp(log_ratio)
    expected = min(rho * advantage, np.clip(rho, 1 - low, 1 + high) * advantage)
    assert clipped_surrogate([log_ratio], [advantage], low=low, high=high).value == pytest.approx(expected, rel=1e-12)


@given(LOG_RATIO, ADVANTAGE, st.floats(1.01, 10))
def test_the_dual_clip_bounds_the_loss_of_bad_answers_only(log_ratio, advantage, bound):
    rho = np.exp(log_ratio)
    pessimistic = min(rho * advantage, np.clip(rho, 0.8, 1.2) * advantage)
    expected = max(pessimistic, bound * advantage) if advantage < 0 else pessimistic
    assert clipped_surrogate([log_ratio], [advantage], dual=bound).value == pytest.approx(expected, rel=1e-12)


@given(LOG_RATIO, ADVANTAGE, st.floats(1.21, 10))
def test_the_delta_cap_and_the_dual_clip_are_the_same_bound(log_ratio, advantage, bound):
    rho = np.exp(log_ratio)
    expected = min(min(rho, bound) * advantage, np.clip(rho, 0.8, 1.2) * advantage)
    capped = clipped_surrogate([log_ratio], [advantage], delta=bound)
    dual = clipped_surrogate([log_ratio], [advantage], dual=bound)
    assert capped.value == pytest.approx(expected, rel=1e-12)
    assert (capped.value, capped.derivative, capped.clipped) == (dual.value, dual.derivative, dual.clipped)


def test_the_dual_clip_by_hand():
    surrogate = clipped_surrogate(np.log([2.0, 4.0, 4.0]), [-1.0, -1.0, 1.0], dual=3.0)
    assert surrogate.value == pytest.approx([-2.0, -3.0, 1.2], rel=1e-14)
    assert surrogate.derivative == pytest.approx([-2.0, 0.0, 0.0], rel=1e-14)


FAMILIES = {
    "symmetric": lambda x, a: clipped_surrogate(x, a),
    "asymmetric": lambda x, a: clipped_surrogate(x, a, low=0.1, high=0.3),
    "dual": lambda x, a: clipped_surrogate(x, a, dual=3.0),
    "delta": lambda x, a: clipped_surrogate(x, a, delta=2.0),
    "none": unclipped_surrogate,
    "soft": soft_gate,
}


@pytest.mark.parametrize("family", FAMILIES)
@given(log_ratio=LOG_RATIO, advantage=ADVANTAGE)
def test_the_derivative_is_the_slope_of_the_value(family, log_ratio, advantage):
    step = 1e-6
    kinks = np.log([0.7, 0.8, 0.9, 1.2, 1.3, 2.0, 3.0])
    if np.min(np.abs(log_ratio - kinks)) < 10 * step:
        return
    below, above = (FAMILIES[family]([log_ratio + side], [advantage]).value for side in (-step, step))
    slope = (above - below) / (2 * step)
    assert FAMILIES[family]([log_ratio], [advantage]).derivative == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_at_ratio_one_every_family_has_the_policy_gradient(family):
    surrogate = FAMILIES[family]([0.0, 0.0], [2.0, -3.0])
    assert surrogate.derivative == pytest.approx([2.0, -3.0], rel=1e-14)
    assert not surrogate.clipped.any()


def test_at_the_bound_itself_the_gradient_still_flows():
    # 0.5 and 1.5 are exact in binary and so are their logarithms' exponentials here.
    log_ratio = np.log([1.5, 0.5])
    assert np.array_equal(np.exp(log_ratio), [1.5, 0.5])
    surrogate = clipped_surrogate(log_ratio, [1.0, -1.0], low=0.5, high=0.5)
    assert surrogate.derivative.tolist() == [1.5, -0.5]


def test_a_held_weight_never_silences_a_token():
    surrogate = weighted_logprob(np.log([0.5, 1.0, 9.0]), [1.0, -1.0, 1.0], [-0.1, -0.2, -0.3], ceiling=5.0)
    assert surrogate.derivative == pytest.approx([0.5, -1.0, 5.0], rel=1e-14)
    assert surrogate.value == pytest.approx([-0.05, 0.2, -1.5], rel=1e-14)
    assert surrogate.clipped.tolist() == [False, False, True]
    two_sided = weighted_logprob(np.log([0.5]), [1.0], [-0.1], floor=0.8, ceiling=5.0)
    assert two_sided.derivative == pytest.approx([0.8], rel=1e-14)


def test_a_ceiling_of_a_fifth_makes_every_gradient_five_times_too_small():
    assert weighted_logprob([0.0], [1.0], [-1.0], ceiling=0.2).derivative.tolist() == [0.2]


def test_the_soft_gate_by_its_formula():
    for advantage, tau in ((2.0, 1.0), (-2.0, 1.05)):
        for rho in (0.2, 1.0, 3.0):
            expected = 4 / tau / (1 + np.exp(-tau * (rho - 1))) * advantage
            assert soft_gate([np.log(rho)], [advantage]).value == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("log_ratio", [-1e30, -1000.0, 88.8, 800.0, 1e30, np.inf, -np.inf])
@pytest.mark.parametrize("advantage", [-1.5, 0.0, 1.5])
def test_a_huge_log_ratio_never_becomes_infinite_or_nan(dtype, log_ratio, advantage):
    x, a = np.array([log_ratio], dtype=dtype), np.array([advantage], dtype=dtype)
    for family in FAMILIES.values():
        surrogate = family(x, a)
        assert np.isfinite(surrogate.value).all()
        assert np.isfinite(surrogate.derivative).all()
        assert surrogate.value.dtype == surrogate.derivative.dtype == dtype


def test_a_zero_advantage_is_never_counted_as_clipped():
    assert not clipped_surrogate([3.0, -3.0], [0.0, 0.0]).clipped.any()


def test_one_advantage_per_response_reaches_each_of_its_tokens():
    log_ratio = np.log([[0.5, 1.5], [0.5, 1.5]])
    by_response = clipped_surrogate(log_ratio, [1.0, -1.0])
    by_token = clipped_surrogate(log_ratio, [[1.0, 1.0], [-1.0, -1.0]])
    assert np.array_equal(by_response.value, by_token.value)
    assert np.array_equal(by_response.derivative, by_token.derivative)


def test_the_ratio_of_moderate_arguments_is_the_exponential():
    assert np.array_equal(importance_ratio([-2.0, 0.0, 3.0]), np.exp([-2.0, 0.0, 3.0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clipped_surrogate([0.0, 0.0], [1.0, 1.0, 1.0]), r"advantages\.shape = \(3,\)"),
        (lambda: clipped_surrogate(np.zeros((2, 3)), np.zeros((2, 1))), r"advantages\.shape = \(2, 1\)"),
        (lambda: clipped_surrogate([np.nan], [1.0]), "log_ratio = nan"),
        (lambda: clipped_surrogate([0.0], [np.nan]), "advantages = nan"),
        (lambda: clipped_surrogate([0.0], [1.0], low=-0.1), r"low = -0\.1"),
        (lambda: clipped_surrogate([0.0], [1.0], low=1.1), r"low = 1\.1"),
        (lambda: clipped_surrogate([0.0], [1.0], high=-0.1), "high"),
        (lambda: clipped_surrogate([0.0], [1.0], dual=1.0), "dual"),
        (lambda: clipped_surrogate([0.0], [1.0], delta=1.1), "delta"),
        (lambda: clipped_surrogate([0.0], [1.0], dual=3.0, delta=3.0), "one of them"),
        (lambda: weighted_logprob([0.0], [1.0], [-1.0, -1.0]), r"logp\.shape"),
        (lambda: weighted_logprob([0.0], [1.0], [-1.0], floor=2.0, ceiling=1.0), "ceiling"),
        (lambda: soft_gate([0.0], [1.0], tau_positive=0.0), "tau_positive"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
