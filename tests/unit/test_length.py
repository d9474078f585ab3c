"""Oracle: cases worked out by hand and the definitions written as branches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.length import kimi_length_reward, overlong_penalty


def test_short_pays_only_when_correct():
    lengths, correct = [100, 100, 200, 300, 300], [True, False, True, True, False]
    assert kimi_length_reward(lengths, correct).tolist() == [0.5, 0.0, 0.0, -0.5, -0.5]


def test_answers_of_one_length_get_nothing():
    assert kimi_length_reward([[7, 7], [5, 6]], [[True, False], [True, True]]).tolist() == [[0, 0], [0.5, -0.5]]


@given(st.lists(st.tuples(st.integers(1, 500), st.booleans()), min_size=1, max_size=8))
def test_the_length_reward_is_its_definition(group):
    lengths = [length for length, _ in group]
    low, high = min(lengths), max(lengths)
    expected = []
    for length, correct in group:
        lam = 0.0 if low == high else 0.5 - (length - low) / (high - low)
        expected.append(lam if correct else min(0.0, lam))
    assert kimi_length_reward(lengths, [right for _, right in group]) == pytest.approx(expected)


@given(st.integers(0, 3000), st.integers(1, 2000), st.data())
def test_the_overlong_penalty_is_its_three_branches(length, limit, data):
    cache = data.draw(st.integers(1, limit))
    if length <= limit - cache:
        expected = 0.0
    elif length <= limit:
        expected = ((limit - cache) - length) / cache
    else:
        expected = -1.0
    assert float(overlong_penalty(length, limit, cache)) == pytest.approx(expected)


def test_the_zone_of_a_16384_token_budget_with_4096_of_cache():
    assert overlong_penalty([12288, 14336, 16384, 20480], 16384, 4096).tolist() == [0, -0.5, -1, -1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kimi_length_reward([1, 2], [True]), r"correct\.shape"),
        (lambda: kimi_length_reward([1, 2], [1, 0]), "True and False"),
        (lambda: kimi_length_reward([0, 2], [True, True]), "lengths = 0.0"),
        (lambda: kimi_length_reward(np.zeros((2, 0)), np.zeros((2, 0), bool)), r"lengths\.shape"),
        (lambda: overlong_penalty(10, 100, 0), "cache = 0.0"),
        (lambda: overlong_penalty(10, 100, 101), "an integer from 1 to 100"),
        (lambda: overlong_penalty(-1, 100, 10), "lengths = -1.0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
