"""Oracle: enumeration of every tuple of n answers."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.best_of_n import choose_best
from pycore.domain import DomainError
from pycore.overoptimisation import best_of_n_kl

rewards = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=2, max_size=4)


def by_enumeration(probability, proxy, n):
    chosen = np.zeros(len(probability))
    for drawn in product(range(len(probability)), repeat=n):
        best = max(proxy[i] for i in drawn)
        winners = [i for i in drawn if proxy[i] == best]
        for i in winners:
            chosen[i] += np.prod([probability[j] for j in drawn]) / len(winners)
    return chosen


@given(rewards, st.integers(1, 4), st.integers(0, 10**6))
def test_every_answer_is_chosen_as_often_as_enumeration_says(proxy, n, seed):
    probability = np.random.default_rng(seed).dirichlet(np.ones(len(proxy)))
    choice = choose_best(probability, proxy, np.arange(len(proxy)), n)
    expected = by_enumeration(probability, proxy, n)
    assert choice.probability == pytest.approx(expected, abs=1e-12)
    assert choice.true == pytest.approx(expected @ np.arange(len(proxy)))
    assert choice.proxy == pytest.approx(expected @ np.array(proxy))
    assert choice.kl == pytest.approx((expected * np.log(expected / probability)).sum(), abs=1e-12)


@given(rewards, st.integers(1, 1000), st.integers(0, 10**6))
def test_with_ties_the_formula_for_the_kl_is_only_a_bound(proxy, n, seed):
    probability = np.random.default_rng(seed).dirichlet(np.ones(len(proxy)))
    assert choose_best(probability, proxy, proxy, n).kl <= float(best_of_n_kl(n)) + 1e-9


def test_with_many_rare_answers_the_bound_is_reached():
    answers = 20_000
    choice = choose_best(np.full(answers, 1 / answers), np.arange(answers), np.arange(answers), 16)
    assert choice.kl == pytest.approx(float(best_of_n_kl(16)), rel=1e-3)


def test_a_binary_judge_moves_at_most_to_its_paid_answers():
    choice = choose_best([0.5, 0.3, 0.2], [0, 1, 1], [0, 1, 0], 10**6)
    assert choice.probability == pytest.approx([0, 0.6, 0.4])
    assert choice.kl == pytest.approx(np.log(2))


def test_a_rare_loophole_becomes_the_answer():
    probability, proxy, true = [0.499, 0.5, 0.001], [0.0, 1.0, 5.0], [0.0, 1.0, -1.0]
    few, many = (choose_best(probability, proxy, true, n) for n in (8, 10_000))
    assert few.true > 0.9
    assert many.true < -0.9
    assert many.proxy > few.proxy


def test_heavy_noise_alone_takes_true_quality_back_to_where_it_began():
    # Cauchy errors on 2001 levels: n stays far below that, or the last level would be searched for its best answer.
    quality, noise = np.linspace(-2, 2, 21), np.tan(np.pi * (np.arange(2001) + 0.5) / 2001 - np.pi / 2)
    weight = np.exp(-(quality**2) / 2) / np.exp(-(quality**2) / 2).sum()
    probability = np.repeat(weight, 2001) / 2001
    true, error = np.repeat(quality, 2001), np.tile(noise, 21)
    gains = [choose_best(probability / probability.sum(), true + error, true, 4**k).true for k in range(5)]
    assert max(gains) > 3 * abs(gains[-1])
    assert 0 < int(np.argmax(gains)) < 4


def test_a_level_far_below_rounding_keeps_its_digits():
    choice = choose_best([1 - 1e-18, 1e-18], [0.0, 1.0], [0.0, 1.0], 10)
    assert choice.true == pytest.approx(1e-17)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: choose_best([0.5, 0.6], [0, 1], [0, 1], 2), "probability sum"),
        (lambda: choose_best([0.5, 0.5], [0, 1, 2], [0, 1], 2), r"proxy\.shape"),
        (lambda: choose_best([0.5, 0.5], [0, np.nan], [0, 1], 2), "proxy = nan"),
        (lambda: choose_best([0.5, 0.5], [0, 1], [0, 1], 0), "n = 0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
