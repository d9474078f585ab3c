"""Oracle: sets of unordered pairs, and the definition of each mistake."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore import arithmetic
from pycore.domain import DomainError
from pycore.split import PAIRS, Sizes, demonstrate, split


def unordered(pairs):
    return [frozenset(map(int, pair)) for pair in pairs]


@given(st.integers(0, 2**31), st.sampled_from([2, 48, 256, 2048, 2083]))
def test_no_sum_stands_on_two_sides_in_either_order(seed, prompts):
    dealt = split(Sizes(prompts=prompts), np.random.default_rng(seed))
    sides = [unordered(side) for side in (dealt.train, dealt.held_out, dealt.demonstrations, dealt.probe)]
    assert [len(side) for side in sides] == [prompts, 256, 1500, 256]
    everything = [pair for side in sides for pair in side]
    assert len(set(everything)) == len(everything)


def test_there_are_4095_unordered_pairs():
    assert len({frozenset((a, b)) for a in range(10, 100) for b in range(10, 100)}) == PAIRS


def test_more_prompts_leave_the_other_sides_and_the_first_prompts_as_they_are():
    small, large = (split(Sizes(prompts=count), np.random.default_rng(4)) for count in (48, 2048))
    assert np.array_equal(small.held_out, large.held_out)
    assert np.array_equal(small.demonstrations, large.demonstrations)
    assert np.array_equal(small.train, large.train[:48])


def test_both_orders_of_operands_occur():
    train = split(Sizes(), np.random.default_rng(0)).train
    share = np.mean(train[:, 0] > train[:, 1])
    assert 0.45 < share < 0.55


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_difficulty_is_the_share_of_sums_with_a_carry(share):
    dealt = split(Sizes(prompts=200, carry_share=share), np.random.default_rng(1))
    assert np.mean(arithmetic.carries(dealt.train) > 0) == share
    assert len(set(unordered(dealt.train)) | set(unordered(dealt.held_out))) == 456


def test_demonstrations_without_corruption_are_the_answers():
    pairs = split(Sizes(), np.random.default_rng(0)).demonstrations
    assert np.array_equal(demonstrate(pairs, 0.0, np.random.default_rng(0)), arithmetic.answers(pairs))


def test_every_corrupted_demonstration_has_exactly_one_mistake_of_three_kinds():
    pairs = split(Sizes(), np.random.default_rng(0)).demonstrations
    wrong = demonstrate(pairs, 1.0, np.random.default_rng(0)) != arithmetic.answers(pairs)
    assert (wrong.sum(axis=1) == 1).all()
    kinds = wrong.sum(axis=0)
    assert kinds[3:].sum() == 0
    # 1,500 mistakes, a third of each kind; four standard deviations.
    assert np.abs(kinds[:3] - 500).max() < 4 * np.sqrt(1500 * 2 / 9)


def test_the_share_of_mistakes_is_the_one_asked_for():
    pairs = np.tile([[27, 58]], (4000, 1))
    tokens = demonstrate(pairs, 0.3, np.random.default_rng(0))
    share = np.mean((tokens != arithmetic.answers(pairs)).any(axis=1))
    assert share == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / 4000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Sizes(prompts=2084), "prompts = 2084: allowed is an integer from 2 to 2083"),
        (lambda: Sizes(prompts=1), "prompts = 1"),
        (lambda: Sizes(held_out=True, prompts=5000), "held_out|prompts"),
        (lambda: Sizes(carry_share=1.1), r"carry_share = 1\.1"),
        (lambda: split(Sizes(prompts=2000, carry_share=0.0), np.random.default_rng(0)), "pairs without carry"),
        (lambda: demonstrate(np.array([[10, 10]]), 1.5, np.random.default_rng(0)), "corruption"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
