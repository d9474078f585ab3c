"""Oracle: enumeration of all reward vectors of a group, exact rational arithmetic, and seeded simulation."""

from fractions import Fraction
from itertools import product
from math import exp, lgamma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.groups import (
    empty_probability,
    expected_prompts,
    informative_probability,
    mixture_informative_probability,
    simulated_informative_share,
)

PROBABILITY = st.floats(0, 1)


def exact_informative(p: float, size: int) -> Fraction:
    exact = Fraction(p)
    return 1 - exact**size - (1 - exact) ** size


def test_the_formula_counts_the_reward_vectors_that_are_not_constant():
    p, size = 0.3, 4
    mixed = sum(
        p ** sum(rewards) * (1 - p) ** (size - sum(rewards))
        for rewards in product((0, 1), repeat=size)
        if 0 < sum(rewards) < size
    )
    assert informative_probability(p, size) == pytest.approx(mixed, rel=1e-14)


@pytest.mark.parametrize(
    ("p", "expected"), [(0.01, 0.0773), (0.1, 0.5695), (0.5, 0.9922), (0.9, 0.5695), (0.99, 0.0773)]
)
def test_the_table_for_eight_responses(p, expected):
    assert informative_probability(p, 8).round(4) == expected


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.02, [0.04, 0.08, 0.15, 0.28, 0.73]),
        (0.1, [0.18, 0.34, 0.57, 0.81, 0.999]),
        (0.5, [0.5, 0.88, 0.99, 1, 1]),
    ],
)
def test_the_table_by_group_size(p, expected):
    for value, wanted in zip(informative_probability(p, [2, 4, 8, 16, 64]), expected, strict=True):
        assert round(float(value), 3 if wanted == 0.999 else 2) == wanted


@pytest.mark.parametrize(
    ("p", "size", "percent", "digits"),
    [(0.5, 4, 12.5, 1), (0.9, 4, 66, 0), (0.97, 4, 89, 0), (0.9, 8, 43, 0), (0.9, 16, 18.5, 1)],
)
def test_the_share_of_empty_groups(p, size, percent, digits):
    assert round(100 * float(empty_probability(p, size)), digits) == percent


@given(PROBABILITY, st.integers(1, 64))
def test_every_digit_survives_near_zero_and_one(p, size):
    exact = exact_informative(p, size)
    assert informative_probability(p, size) == pytest.approx(float(exact), rel=1e-12, abs=1e-300)
    assert empty_probability(p, size) == pytest.approx(float(1 - exact), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("p", [1e-300, 2.0**-60, 1 - 2.0**-53])
def test_a_nearly_certain_outcome_informs_in_proportion_to_the_other_one(p):
    rare = min(p, 1 - p)
    assert informative_probability(p, 8) == pytest.approx(8 * rare, rel=1e-12)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_a_single_response_never_informs(p):
    assert informative_probability(p, 1) == 0
    assert empty_probability(p, 1) == 1
    assert expected_prompts(1, p, 1) == np.inf


def test_prompts_without_signal_are_never_enough():
    assert expected_prompts(32, [0.0, 1.0], 8).tolist() == [np.inf, np.inf]
    assert expected_prompts(0, 0.0, 8) == 0


def test_the_expected_number_of_prompts_is_the_mean_of_a_negative_binomial():
    share = float(informative_probability(0.1, 8))
    looked_at = np.arange(1, 4000)
    geometric = share * (1 - share) ** (looked_at - 1)
    assert expected_prompts(32, 0.1, 8) == pytest.approx(32 * np.sum(looked_at * geometric), rel=1e-10)


@given(st.floats(0.01, 0.99), st.integers(2, 12), st.floats(1e-6, 0.999))
def test_correlated_draws_follow_the_beta_binomial_law(p, size, rho):
    alpha, beta = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho

    def all_same(first: float, second: float) -> float:
        return exp(lgamma(first + size) - lgamma(first) + lgamma(first + second) - lgamma(first + second + size))

    # lgamma of large arguments loses digits when rho is small: hence the looser tolerance of the oracle.
    expected = 1 - all_same(alpha, beta) - all_same(beta, alpha)
    assert informative_probability(p, size, rho) == pytest.approx(expected, abs=1e-8)


@given(PROBABILITY, st.integers(2, 32))
def test_correlation_runs_from_independent_draws_to_one_repeated_answer(p, size):
    shares = informative_probability(p, size, [0.0, 1e-13, 0.1, 0.5, 1.0])
    assert shares[1] == pytest.approx(shares[0], rel=1e-9)
    assert np.all(np.diff(shares) <= 1e-12)
    assert shares[-1] == 0


def test_two_correlated_responses_differ_less_often_by_exactly_the_correlation():
    assert informative_probability(0.3, 2, 0.4) == pytest.approx(2 * 0.3 * 0.7 * (1 - 0.4), rel=1e-14)


@given(st.floats(0.05, 20), st.floats(0.05, 20), st.integers(1, 64))
def test_a_mixture_of_prompts_has_its_closed_form_in_beta_functions(alpha, beta, size):
    def log_beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    expected = 1 - exp(log_beta(alpha + size, beta) - log_beta(alpha, beta))
    expected -= exp(log_beta(alpha, beta + size) - log_beta(alpha, beta))
    assert mixture_informative_probability(alpha, beta, size) == pytest.approx(expected, abs=1e-11)


def test_a_mixture_with_correlated_draws_averages_the_correlated_share_over_prompts():
    nodes, weights = np.polynomial.legendre.leggauss(40)
    p = (nodes + 1) / 2
    density = 30 * p**1 * (1 - p) ** 4  # Beta(2, 5)
    average = np.sum(weights / 2 * density * informative_probability(p, 8, 0.3))
    assert mixture_informative_probability(2, 5, 8, 0.3) == pytest.approx(average, rel=1e-12)


@given(st.floats(0.05, 20), st.floats(0.05, 20), st.integers(2, 64))
def test_plugging_in_the_mean_success_promises_too_much(alpha, beta, size):
    mean = alpha / (alpha + beta)
    assert mixture_informative_probability(alpha, beta, size) <= informative_probability(mean, size) + 1e-12


@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("p", [0.02, 0.5, 0.9])
def test_the_simulation_agrees_with_the_formula_for_one_prompt(p, correlation):
    share = simulated_informative_share(np.full(20_000, p), 8, np.random.default_rng(1), correlation)
    assert abs(share.value - informative_probability(p, 8, correlation)) < 4 * share.standard_error


@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_the_simulation_agrees_with_the_formula_for_a_stream_of_prompts(correlation):
    rng = np.random.default_rng(2)
    share = simulated_informative_share(rng.beta(0.4, 1.2, 20_000), 8, rng, correlation)
    assert abs(share.value - mixture_informative_probability(0.4, 1.2, 8, correlation)) < 4 * share.standard_error


def test_the_standard_error_is_that_of_repeated_simulations_and_never_zero():
    rng = np.random.default_rng(3)
    shares = [simulated_informative_share(np.full(400, 0.1), 8, rng) for _ in range(400)]
    spread = np.std([share.value for share in shares])
    assert spread == pytest.approx(np.mean([share.standard_error for share in shares]), rel=0.15)
    assert simulated_informative_share(np.zeros(50), 8, rng).standard_error > 0


def test_the_same_seed_gives_the_same_share():
    first, second = (simulated_informative_share(np.full(99, 0.2), 4, np.random.default_rng(7)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: informative_probability(1.2, 8), r"success = 1\.2"),
        (lambda: informative_probability(np.nan, 8), "success = nan"),
        (lambda: informative_probability(0.5, 0), "group_size = 0"),
        (lambda: informative_probability(0.5, 2.5), r"group_size = 2\.5"),
        (lambda: informative_probability(0.5, 8, -0.1), "correlation"),
        (lambda: informative_probability([0.1, 0.2], [1, 2, 3]), "broadcastable"),
        (lambda: expected_prompts(-1, 0.5, 8), "informative = -1"),
        (lambda: mixture_informative_probability(0, 1, 8), "alpha = 0"),
        (lambda: mixture_informative_probability(1, np.inf, 8), "beta = inf"),
        (lambda: simulated_informative_share([], 8, np.random.default_rng(0)), r"success\.shape"),
        (lambda: simulated_informative_share(0.5, 8, np.random.default_rng(0)), r"success\.shape"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()


def test_the_simulation_takes_probabilities_too_small_to_be_multiplied():
    tiny = np.full(3, 5e-324)
    assert simulated_informative_share(tiny, 8, np.random.default_rng(0), 0.9).value == 0
