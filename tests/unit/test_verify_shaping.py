"""Oracle: the papers' formulas written a second time as plain Python, and cases worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.verify.shaping import kimi_length_reward, language_consistency, overlong_penalty


@pytest.mark.parametrize(
    ("length", "penalty"), [(0, 0), (16, 0), (17, -0.25), (18, -0.5), (19, -0.75), (20, -1), (21, -1), (10**6, -1)]
)
def test_the_ramp_of_four_tokens_falls_by_a_quarter_each(length, penalty):
    assert overlong_penalty(length, maximum=20, cache=4) == penalty


@settings(deadline=None)
@given(st.integers(0, 5000), st.integers(1, 4000), st.data())
def test_the_penalty_is_the_papers_three_cases(length, maximum, data):
    cache = data.draw(st.integers(1, maximum))
    if length <= maximum - cache:
        expected = 0.0
    elif length <= maximum:
        expected = ((maximum - cache) - length) / cache
    else:
        expected = -1.0
    assert overlong_penalty(length, maximum, cache) == expected


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 20, 4), "length"),
        ((1.5, 20, 4), "length"),
        ((1, 0, 1), "maximum"),
        ((1, 20, 21), "cache"),
        ((1, 20, 0), "cache"),
    ],
)
def test_a_ramp_that_does_not_fit_is_refused(arguments, name):
    with pytest.raises(DomainError) as caught:
        overlong_penalty(*arguments)
    assert caught.value.argument == name


def test_short_right_answers_earn_and_short_wrong_ones_do_not():
    rewards = kimi_length_reward([10, 10, 20, 30, 30], [1, 0, 1, 1, 0])
    np.testing.assert_array_equal(rewards, [0.5, 0.0, 0.0, -0.5, -0.5])


def test_a_group_of_equal_lengths_earns_nothing():
    np.testing.assert_array_equal(kimi_length_reward([[7, 7], [5, 9]], [[1, 0], [1, 1]]), [[0, 0], [0.5, -0.5]])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9999), st.booleans()), min_size=1, max_size=12))
def test_the_length_reward_is_the_papers_formula(group):
    lengths = [length for length, _ in group]
    low, high = min(lengths), max(lengths)
    expected = []
    for length, correct in group:
        share = 0.0 if low == high else 0.5 - (length - low) / (high - low)
        expected.append(share if correct else min(0.0, share))
    np.testing.assert_array_equal(kimi_length_reward(lengths, [int(correct) for _, correct in group]), expected)


def test_lengths_and_verdicts_of_different_shapes_are_refused():
    with pytest.raises(DomainError, match="shape"):
        kimi_length_reward([1, 2, 3], [[1], [0], [1]])
    with pytest.raises(DomainError, match="shape"):
        kimi_length_reward([], [])
    with pytest.raises(DomainError, match="correct"):
        kimi_length_reward([1, 2], [0.5, 1])


@pytest.mark.parametrize(
    ("text", "language", "share"),
    [
        ("ответ", "ru", 1.0),
        ("ответ", "en", 0.0),
        ("да yes", "ru", 2 / 5),
        ("да yes", "en", 3 / 5),
        ("\\frac{1}{2} = 0,5", "ru", 1.0),
        ("да \\boxed{42}", "ru", 1.0),
        ("12 + 30 = 42", "en", 1.0),
        ("", "ru", 1.0),
        ("答案", "en", 0.0),
        ("да \ud800\u202e", "ru", 1.0),
    ],
)
def test_the_share_counts_letters_of_the_wanted_script(text, language, share):
    assert language_consistency(text, language) == share


def test_an_unknown_language_is_refused():
    with pytest.raises(DomainError, match="one of en, ru"):
        language_consistency("ja", "de")
