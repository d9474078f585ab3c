"""Oracle: the equation that defines Wilson's bounds, the normal approximation of a mean, and simulated coverage."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.interval import bootstrap_mean, wilson


@given(st.integers(1, 5000), st.data(), st.floats(0.5, 0.999))
def test_at_a_wilson_bound_the_estimate_is_z_standard_errors_away(trials, data, level):
    successes = data.draw(st.integers(0, trials))
    found = wilson(successes, trials, level)
    z = NormalDist().inv_cdf((1 + level) / 2)
    for bound in (float(found.low), float(found.high)):
        distance = (successes / trials - bound) ** 2
        assert distance == pytest.approx(z**2 * bound * (1 - bound) / trials, abs=1e-10)
    assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_all_successes_do_not_prove_certainty():
    found = wilson([0, 20], [20, 20])
    assert (found.low[0], found.high[1]) == (0, 1)
    assert found.high[0] > 0.1
    assert found.low[1] < 0.9


def test_wilson_covers_the_truth_about_as_often_as_it_says():
    p, trials = 0.2, 30
    chance = [math.comb(trials, c) * p**c * (1 - p) ** (trials - c) for c in range(trials + 1)]
    found = wilson(np.arange(trials + 1), np.full(trials + 1, trials))
    assert 0.93 < sum(q for q, low, high in zip(chance, found.low, found.high, strict=True) if low <= p <= high) < 0.98


def test_the_bootstrap_of_many_prompts_is_the_normal_interval():
    draw = np.random.default_rng(0)
    values = draw.exponential(size=(400, 2))
    found = bootstrap_mean(values, draw, level=0.9, resamples=4000)
    half = NormalDist().inv_cdf(0.95) * values.std(axis=0) / math.sqrt(400)
    assert found.estimate == pytest.approx(values.mean(axis=0))
    assert found.high - found.estimate == pytest.approx(half, rel=0.1)
    assert found.estimate - found.low == pytest.approx(half, rel=0.1)


def test_columns_share_their_resampled_prompts():
    values = np.random.default_rng(1).normal(size=30)
    found = bootstrap_mean(np.stack([values, 2 * values], axis=1), np.random.default_rng(2))
    assert 2 * found.low[0] == pytest.approx(found.low[1])


def test_the_same_seed_gives_the_same_band():
    one, two = (bootstrap_mean([0.0, 1.0, 0.5], np.random.default_rng(5)) for _ in range(2))
    assert (one.low, one.high) == (two.low, two.high)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wilson(5, 4), "successes = 5.0: allowed is at most the number of trials"),
        (lambda: wilson(0, 0), "trials = 0.0"),
        (lambda: wilson([1, 2], [3]), r"trials\.shape"),
        (lambda: wilson(1, 2, level=1), "level = 1.0"),
        (lambda: bootstrap_mean([1.0], np.random.default_rng(0)), "at least two prompts"),
        (lambda: bootstrap_mean([1.0, np.nan], np.random.default_rng(0)), "values = nan"),
        (lambda: bootstrap_mean([1.0, 2.0], np.random.default_rng(0), resamples=10), "resamples = 10"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
