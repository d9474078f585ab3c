"""Oracle: enumeration of all subsets, exact fractions, and the expectation over binomial counts."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.pass_at_k import expected_pass_at_k, pass_at_k, pass_at_k_curve


@given(st.integers(1, 8), st.data())
def test_it_is_the_share_of_subsets_with_a_right_answer(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    subsets = list(combinations([i < c for i in range(n)], k))
    assert float(pass_at_k(n, c, k)) == pytest.approx(sum(map(any, subsets)) / len(subsets), abs=1e-15)


@given(st.integers(1, 3000), st.data())
def test_large_counts_are_correctly_rounded(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    exact = 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    assert float(pass_at_k(n, c, k)) == float(exact)


def test_no_success_is_0_and_too_few_failures_is_1():
    assert pass_at_k([8, 8, 8], [0, 5, 8], 4).tolist() == [0, 1, 1]


@given(st.floats(0, 1), st.integers(1, 12), st.data())
def test_it_is_unbiased(p, n, data):
    k = data.draw(st.integers(1, n))
    chance = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    mean = np.dot(chance, pass_at_k(np.full(n + 1, n), np.arange(n + 1), k))
    assert mean == pytest.approx(float(expected_pass_at_k(p, k)), abs=1e-12)


def test_drawing_with_replacement_would_be_biased_low():
    plug_in = 1 - (1 - 1 / 4) ** 4
    assert float(pass_at_k(4, 1, 4)) == 1 > plug_in


def test_the_mean_success_rate_overstates_pass_at_k():
    rates = np.array([0.0, 1.0])
    assert expected_pass_at_k(rates, 4).mean() == 0.5 < float(expected_pass_at_k(rates.mean(), 4))


def test_a_tiny_rate_keeps_its_digits():
    assert float(expected_pass_at_k(1e-12, 8)) == pytest.approx(8e-12, rel=1e-10)


def test_curves_of_a_narrow_and_a_broad_model_cross():
    # The tuned model always solves half of the prompts; the base model solves every prompt now and then.
    base, tuned = np.full(20, 4), np.repeat([16, 0], 10)
    draw = np.random.default_rng(0)
    low, high = (pass_at_k_curve(np.full(20, 16), c, [1, 2, 4, 8], draw) for c in (base, tuned))
    difference = high.estimate - low.estimate
    assert difference[0] > 0 > difference[-1]
    assert np.all(np.diff(low.estimate) > 0)
    assert np.all(high.low < high.estimate)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pass_at_k([8, 4], [1, 1], 5), "k = 5.0: allowed is an integer from 1 to 4"),
        (lambda: pass_at_k(8, 9, 2), "correct = 9.0: allowed is at most the number of samples"),
        (lambda: pass_at_k(8, 1, 0), "k = 0.0"),
        (lambda: pass_at_k([8, 8], [1], 2), r"correct\.shape"),
        (lambda: pass_at_k([], [], 1), r"samples\.shape"),
        (lambda: pass_at_k_curve([8, 8], [1, 1], 2, np.random.default_rng(0)), r"ks\.shape"),
        (lambda: expected_pass_at_k(1.1, 2), "success = 1.1"),
        (lambda: expected_pass_at_k([0.1], [1, 2]), r"k\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
