"""Oracle: the products and geometric means of the papers, response by response, and central differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pycore.domain import DomainError
from pycore.sequence_ratio import gamma_weight, geometric_surrogate

ROW = arrays(float, (1, 5), elements=st.floats(-1, 1))
MASK = np.array([[True, True, False, True, True]])


@given(ROW, st.sampled_from([-1.5, 0.0, 2.0]))
def test_the_geometric_surrogate_is_the_papers_product_of_signed_minima(log_ratio, advantage):
    sign, rho = np.sign(advantage), np.exp(log_ratio)
    signed = np.minimum(rho**sign, np.clip(rho, np.exp(-0.3), np.exp(0.4)) ** sign) ** sign
    expected = advantage * np.prod(signed[MASK]) ** (1 / MASK.sum())
    found = geometric_surrogate(log_ratio, [advantage], MASK, low=0.3, high=0.4)
    assert found.value == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_the_geometric_surrogate_by_hand():
    found = geometric_surrogate(np.array([[0.0, 1.0]]), [2.0], [[True, True]], low=0.4, high=0.4)
    assert found.value == pytest.approx(2 * np.exp(0.2), rel=1e-14)
    assert found.clipped.tolist() == [[False, True]]
    assert found.derivative == pytest.approx(np.array([[2 * np.exp(0.2), 0]]), rel=1e-14)
    assert found.ratio == pytest.approx(np.exp(0.5), rel=1e-14)


@given(ROW, st.sampled_from([-1.5, 2.0]))
def test_the_geometric_derivative_over_the_length_is_the_slope(log_ratio, advantage):
    step = 1e-6
    if np.min(np.abs(np.abs(log_ratio) - 0.4)) < 10 * step:
        return
    found = geometric_surrogate(log_ratio, [advantage], MASK)
    for token in np.flatnonzero(MASK[0]):
        moved = step * np.eye(5)[token]
        above, below = (geometric_surrogate(log_ratio + side, [advantage], MASK).value for side in (moved, -moved))
        slope = (above - below) / (2 * step)
        assert found.derivative[0, token] / MASK.sum() == pytest.approx(slope[0], rel=1e-5, abs=1e-8)


@given(ROW, st.sampled_from([-1.5, 0.0, 2.0]))
def test_the_gamma_weight_is_w_to_the_k_times_an_exponential(log_ratio, advantage):
    k, rate = (2, 3) if advantage >= 0 else (3, 2)
    w = np.exp(np.sum(log_ratio[MASK]))
    assert gamma_weight(log_ratio, [advantage], MASK) == pytest.approx(w**k * np.exp(rate * (1 - w)), rel=1e-12)


def test_the_gamma_weight_is_one_on_policy_and_vanishes_far_from_it():
    on_policy = gamma_weight(np.zeros((2, 3)), [1.0, -1.0], np.ones((2, 3), dtype=bool))
    assert on_policy.tolist() == [1, 1]
    far = gamma_weight(np.full((1, 3), 5.0), [1.0], np.ones((1, 3), dtype=bool))
    assert far[0] < 1e-300


def test_inactive_tokens_do_not_take_part():
    log_ratio, other = np.array([[0.1, 0.2, 9.0]]), np.array([[0.1, 0.2, -7.0]])
    mask = np.array([[True, True, False]])
    assert np.array_equal(gamma_weight(log_ratio, [1.0], mask), gamma_weight(other, [1.0], mask))
    first, second = (geometric_surrogate(x, [1.0], mask) for x in (log_ratio, other))
    assert np.array_equal(first.value, second.value)
    assert not first.clipped[0, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_huge_ratios_stay_finite(dtype):
    x, mask = np.array([[500.0, 500.0], [-500.0, -500.0]], dtype=dtype), np.ones((2, 2), dtype=bool)
    for signs in ([1.0, 1.0], [-1.0, -1.0]):
        found = geometric_surrogate(x, signs, mask)
        assert np.isfinite(found.value).all()
        assert np.isfinite(found.ratio).all()
        assert np.isfinite(gamma_weight(x, signs, mask)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gamma_weight([0.0], [1.0], [True]), "log_ratio"),
        (lambda: gamma_weight([[np.nan]], [1.0], [[True]]), "log_ratio"),
        (lambda: gamma_weight([[0.0]], [1.0, 2.0], [[True]]), r"advantages\.shape"),
        (lambda: gamma_weight([[0.0]], [1.0], [[1]]), "booleans"),
        (lambda: gamma_weight([[0.0]], [1.0], [[True, True]]), "booleans of shape"),
        (lambda: geometric_surrogate([[0.0]], [1.0], [[True]], low=-1), "low = -1"),
        (lambda: geometric_surrogate([[0.0]], [1.0], [[True]], high=np.nan), "high"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
