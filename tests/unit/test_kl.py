"""Oracle: sums over the vocabulary written out, central differences, and the numbers of the course."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pycore.domain import DomainError
from pycore.kl import ESTIMATORS, categorical_kl, estimator_moments, gradient_bias, kl_estimate

PI, REF = np.log([0.6, 0.3, 0.1]), np.log([0.3, 0.4, 0.3])
LOGITS = arrays(float, 4, elements=st.floats(-3, 3))


@pytest.mark.parametrize(
    ("p", "q", "estimator", "expected", "digits"),
    [
        (0.9, 0.3, "k1", 1.10, 2),
        (0.9, 0.3, "k3", 0.43, 2),
        (0.3, 0.9, "k1", -1.10, 2),
        (0.3, 0.9, "k3", 0.90, 2),
        (0.5, 0.25, "k3", 0.193, 3),
    ],
)
def test_the_values_of_the_lesson(p, q, estimator, expected, digits):
    assert kl_estimate(np.log([p]), np.log([q]), estimator).value.round(digits) == expected


def test_the_example_distributions_of_the_lesson():
    assert categorical_kl(PI, REF)[0].round(4) == 0.2197
    k1, k3 = (estimator_moments(PI, REF, estimator) for estimator in ("k1", "k3"))
    assert (round(k1.deviation, 2), round(k3.deviation, 2)) == (0.62, 0.24)
    assert k1.negative == pytest.approx(0.4, rel=1e-12)
    assert k3.negative == 0


@given(LOGITS, LOGITS)
def test_k1_and_k3_have_the_kl_as_their_mean(logits, reference):
    exact = float(categorical_kl(logits, reference)[0])
    for estimator in ("k1", "k3"):
        assert estimator_moments(logits, reference, estimator).mean == pytest.approx(exact, abs=1e-12)


def test_k2_overestimates_or_underestimates_by_a_third_order_term():
    # ref = pi tilted a little: the bias must fall with the cube of the tilt.
    bias = [
        estimator_moments(PI, PI + tilt * np.array([1.0, -1, 0]), "k2").mean
        - categorical_kl(PI, PI + tilt * np.array([1.0, -1, 0]))[0]
        for tilt in (0.1, 0.05)
    ]
    assert bias[0] / bias[1] == pytest.approx(8, rel=0.1)


@given(LOGITS, LOGITS, st.sampled_from(["k2", "k3"]))
def test_k2_and_k3_are_never_negative(logits, reference, estimator):
    assert estimator_moments(logits, reference, estimator).negative == 0


@given(st.floats(-5, 0), st.floats(-5, 0), st.sampled_from(ESTIMATORS))
def test_the_derivative_is_the_slope_of_the_value(logp, reference, estimator):
    step = 1e-6
    below, above = (kl_estimate([logp + side], [reference], estimator).value for side in (-step, step))
    slope = (above - below) / (2 * step)
    assert kl_estimate([logp], [reference], estimator).derivative == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_the_exact_gradient_is_the_slope_of_the_exact_value():
    logits, reference, step = np.array([0.3, -1.2, 0.7]), np.array([0.0, 0.5, -0.5]), 1e-6
    slopes = [
        (categorical_kl(logits + side, reference)[0] - categorical_kl(logits - side, reference)[0]) / (2 * step)
        for side in step * np.eye(3)
    ]
    assert categorical_kl(logits, reference)[1] == pytest.approx(slopes, abs=1e-9)


def by_hand(logits, reference, estimator, old, ratio):
    """Expected gradient, one vocabulary entry after the other."""
    p, q, b = (np.exp(x) / np.exp(x).sum() for x in (logits, reference, old))
    total = np.zeros_like(p)
    for v in range(len(p)):
        score = np.eye(len(p))[v] - p
        r = q[v] / p[v]
        value = {"k1": -np.log(r), "k2": np.log(r) ** 2 / 2, "k3": r - np.log(r) - 1}[estimator]
        slope = {"k1": 1.0, "k2": -np.log(r), "k3": 1 - r}[estimator]
        w = p[v] / b[v]
        total += b[v] * (w * (value + slope) if ratio else slope) * score
    return total


@given(LOGITS, LOGITS, LOGITS, st.sampled_from(ESTIMATORS), st.booleans())
def test_the_expected_gradient_enumerates_the_vocabulary(logits, reference, old, estimator, ratio):
    found = gradient_bias(logits, reference, estimator, logits_old=old, ratio=ratio)
    assert found.expected == pytest.approx(by_hand(logits, reference, estimator, old, ratio), rel=1e-9, abs=1e-9)


@given(LOGITS, LOGITS)
def test_on_policy_k1_has_no_gradient_k2_the_right_one_and_k3_that_of_the_other_direction(logits, reference):
    assert gradient_bias(logits, reference, "k1").expected == pytest.approx(0, abs=1e-12)
    assert gradient_bias(logits, reference, "k2").bias == pytest.approx(0, abs=1e-12)
    p, q = (np.exp(x) / np.exp(x).sum() for x in (logits, reference))
    assert gradient_bias(logits, reference, "k3").expected == pytest.approx(p - q, abs=1e-12)


@given(LOGITS, LOGITS, LOGITS)
def test_the_differentiable_ratio_makes_k1_and_k3_unbiased_for_any_behaviour_policy(logits, reference, old):
    for estimator in ("k1", "k3"):
        assert gradient_bias(logits, reference, estimator, logits_old=old, ratio=True).bias == pytest.approx(
            0, abs=1e-9
        )


def test_the_differentiable_ratio_spoils_k2():
    assert np.abs(gradient_bias(PI, REF, "k2", ratio=True).bias).max() > 0.01


def test_off_policy_without_the_ratio_no_estimator_is_unbiased():
    old = np.log([0.2, 0.3, 0.5])
    for estimator in ESTIMATORS:
        assert np.abs(gradient_bias(PI, REF, estimator, logits_old=old).bias).max() > 0.01


def test_equal_policies_have_no_kl_and_no_gradient():
    value, gradient = categorical_kl(PI, PI)
    assert value == 0
    assert np.all(gradient == 0)
    for estimator in ("k2", "k3"):
        assert np.all(kl_estimate(PI, PI, estimator).derivative == 0)


def test_a_token_pi_never_takes_adds_nothing_and_one_ref_never_takes_is_infinite():
    assert np.isfinite(categorical_kl([0.0, -np.inf], [0.0, 0.0])[0])
    assert categorical_kl([0.0, 0.0], [0.0, -np.inf])[0] == np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_overflowing_k3_is_held_and_keeps_its_precision(dtype):
    estimate = kl_estimate(np.array([-2e3], dtype=dtype), np.array([0], dtype=dtype), "k3")
    assert np.isfinite(estimate.value).all()
    assert np.isfinite(estimate.derivative).all()
    assert estimate.value.dtype == dtype


def test_k3_keeps_its_digits_for_nearly_equal_policies():
    x = 1e-7
    assert kl_estimate([-1.0], [-1.0 + x], "k3").value == pytest.approx(x * x / 2, rel=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kl_estimate([0.0], [0.0], "k4"), "one of k1, k2, k3"),
        (lambda: kl_estimate([0.0], [0.0, 0.0], "k1"), r"logp_ref\.shape"),
        (lambda: kl_estimate([np.nan], [0.0], "k1"), "nan"),
        (lambda: categorical_kl([0.0, np.nan], [0.0, 0.0]), "logits"),
        (lambda: categorical_kl([-np.inf, -np.inf], [0.0, 0.0]), "logits"),
        (lambda: gradient_bias([[0.0]], [0.0], "k1"), "vocabulary"),
        (lambda: gradient_bias([0.0, 1.0], [0.0], "k1"), r"logp_ref\.shape"),
        (lambda: gradient_bias([0.0, 1.0], [0.0, 1.0], "k1", logits_old=[0.0]), r"logits_old\.shape"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
