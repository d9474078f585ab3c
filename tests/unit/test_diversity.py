"""Oracle: enumeration of subsets, hand-computed Hill numbers, and simulation."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.diversity import (
    distinct_rows,
    distinct_share,
    effective_support,
    expected_distinct,
    rarefied_distinct,
    strategy_coverage,
)
from pycore.domain import DomainError

probabilities = st.lists(st.floats(0.001, 1), min_size=1, max_size=5).map(lambda w: np.array(w) / sum(w))


def test_hill_numbers_by_hand():
    p = [0.5, 0.25, 0.25, 0.0]
    assert effective_support(p, 0) == pytest.approx(3)
    assert effective_support(p, 1) == pytest.approx(2**1.5)
    assert effective_support(p, 2) == pytest.approx(1 / 0.375)
    assert effective_support(p, math.inf) == 2


@given(probabilities, st.floats(0, 8), st.floats(0, 8))
def test_a_higher_order_never_sees_more_answers(p, one, two):
    low, high = sorted((one, two))
    assert 1 - 1e-9 <= effective_support(p, high) <= effective_support(p, low) + 1e-6 <= len(p) + 2e-6


@given(st.integers(1, 9), st.sampled_from([0, 0.5, 1, 2, 100, math.inf]))
def test_equal_answers_count_in_full_at_every_order(answers, order):
    assert effective_support(np.full(answers, 1 / answers), order) == pytest.approx(answers)


def test_a_very_high_order_sees_only_the_most_frequent_answer():
    assert effective_support([0.9, 0.1], 1000) == pytest.approx(0.9 ** (1000 / -999))


@given(probabilities)
def test_order_one_is_the_limit_of_its_neighbours(p):
    assert effective_support(p, 1.0) == pytest.approx(effective_support(p, 1 + 1e-6), rel=1e-4)


@given(probabilities, st.integers(1, 3))
def test_distinct_answers_are_counted_as_enumeration_counts_them(p, draws):
    tuples = product(range(len(p)), repeat=draws)
    expected = sum(len(set(drawn)) * np.prod(p[list(drawn)]) for drawn in tuples)
    assert expected_distinct(p, draws) == pytest.approx(expected)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(any), st.data())
def test_rarefaction_is_the_mean_over_all_parts(counts, data):
    sample = [label for label, count in enumerate(counts) for _ in range(count)]
    draws = data.draw(st.integers(1, len(sample)))
    parts = [len(set(part)) for part in combinations(sample, draws)]
    assert rarefied_distinct(counts, draws) == pytest.approx(sum(parts) / len(parts))


def test_two_strategies_under_a_budget():
    assert strategy_coverage([[4, 0], [2, 2], [3, 1]], 2) == pytest.approx([1 / 2, (2 * 5 / 6) / 2, (1 + 0.5) / 2])
    assert strategy_coverage([[2, 2]], 4).tolist() == [1]


def test_coverage_is_unbiased_for_the_coverage_of_k_fresh_answers():
    p, k, samples = np.array([0.7, 0.2, 0.1]), 4, 8
    counts = np.random.default_rng(0).multinomial(samples, p, size=20_000)
    found = strategy_coverage(counts, k)
    assert abs(found.mean() - expected_distinct(p, k) / 3) < 4 * found.std() / math.sqrt(len(found))


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 2**31]), st.tuples(*[st.integers(1, 6)] * 3))
def test_rows_of_tokens_are_told_apart_as_tuples_are(seed, vocabulary, shape):
    generator = np.random.default_rng(seed)
    tokens = generator.integers(0, vocabulary, shape)
    tokens[:, ::2] = tokens[:, :1]  # repetitions, also where chance makes none
    expected = [len({tuple(answer) for answer in answers}) / shape[1] for answers in tokens.tolist()]
    assert distinct_rows(tokens).tolist() == expected


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: effective_support([0.5, 0.4]), "probability sum"),
        (lambda: effective_support([1.0], -1), "order = -1.0"),
        (lambda: expected_distinct([1.0], 0), "draws = 0"),
        (lambda: rarefied_distinct([0, 0], 1), "at least one occurrence"),
        (lambda: rarefied_distinct([1, 1], 3), "draws = 3.0: allowed is an integer from 1 to 2"),
        (lambda: distinct_share("abc"), "a list of at least one string"),
        (lambda: distinct_share([]), "a list of at least one string"),
        (lambda: distinct_rows([[1, 2]]), r"tokens\.shape"),
        (lambda: distinct_rows([[[1, -1]]]), "tokens = -1.0"),
        (lambda: strategy_coverage([[1, 1], [0, 0]], 1), "no samples in row 1"),
        (lambda: strategy_coverage([[1, 1]], 3), "k = 3.0"),
        (lambda: strategy_coverage([1, 1], 1), r"counts\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
