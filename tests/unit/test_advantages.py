"""Oracle: the definitions written out with Python's statistics module and exact fractions, group by group."""

from statistics import fmean, pstdev, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pycore.advantages import BASELINES, SCALES, flat_groups, graded_rewards, group_advantages
from pycore.domain import DomainError

GROUPS = arrays(float, st.tuples(st.integers(1, 4), st.integers(2, 9)), elements=st.sampled_from([-1.0, 0, 0.5, 1, 2]))
WITHIN_GROUP = ("mean", "leave_one_out", "length_weighted")


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([1, 0, 0, 0], [1.73, -0.58, -0.58, -0.58]),
        ([1, 1, 0, 0], [1, 1, -1, -1]),
        ([1, 1, 1, 0], [0.58, 0.58, 0.58, -1.73]),
        ([1, 1, 0, 0, 0], [1.22, 1.22, -0.82, -0.82, -0.82]),
        ([1, 1, 1, 1], [0, 0, 0, 0]),
    ],
)
def test_the_groups_of_the_lesson(rewards, expected):
    assert group_advantages([rewards]).round(2).tolist() == [expected]


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_one_success_is_worth_the_root_of_the_group_size_minus_one(size):
    advantages = group_advantages([[1] + [0] * (size - 1)], eps=0)
    assert advantages[0, 0] == pytest.approx((size - 1) ** 0.5, rel=1e-14)
    assert advantages[0, 1:] == pytest.approx(-((size - 1) ** -0.5), rel=1e-14)


def test_the_sample_std_shrinks_the_same_group():
    assert group_advantages([[1, 0, 0, 0]], ddof=1, eps=0).tolist() == [[1.5, -0.5, -0.5, -0.5]]


def test_the_std_forgets_how_far_apart_the_rewards_were():
    wide, narrow = group_advantages([[-0.75, 0.25, 0.25, 0.25], [-0.075, 0.025, 0.025, 0.025]], eps=0)
    assert wide == pytest.approx(narrow, rel=1e-12)


def test_the_std_amplifies_rare_successes():
    rare, even = [1] + [0] * 15, [1] * 8 + [0] * 8
    plain = group_advantages([rare, even], scale="none")
    scaled = group_advantages([rare, even], eps=0)
    assert (plain[0, 0], plain[1, 0]) == (0.9375, 0.5)
    assert scaled[:, 0].round(2).tolist() == [3.87, 1.0]
    assert (scaled / plain)[:, 0].round(1).tolist() == [4.1, 2.0]
    assert (1 / (scaled / plain))[:, 0].round(3).tolist() == [0.242, 0.5]


@given(GROUPS, st.sampled_from([0, 1]))
def test_the_canonical_advantage_is_the_textbook_z_score(rewards, ddof):
    spread = pstdev if ddof == 0 else stdev
    for row, advantages in zip(rewards, group_advantages(rewards, ddof=ddof, eps=1e-4), strict=True):
        expected = [(r - fmean(row)) / (spread(row.tolist()) + 1e-4) for r in row]
        assert advantages == pytest.approx(expected, abs=1e-9)


@given(GROUPS)
def test_leave_one_out_subtracts_the_mean_of_the_others(rewards):
    advantages = group_advantages(rewards, baseline="leave_one_out", scale="none")
    for row, values in zip(rewards, advantages, strict=True):
        assert values == pytest.approx([r - fmean(np.delete(row, i)) for i, r in enumerate(row)], abs=1e-12)


@given(GROUPS)
def test_leave_one_out_is_the_mean_baseline_times_n_over_n_minus_one(rewards):
    size = rewards.shape[1]
    mean = group_advantages(rewards, scale="none")
    assert group_advantages(rewards, baseline="leave_one_out", scale="none") == pytest.approx(
        mean * size / (size - 1), abs=1e-12
    )


def test_the_length_weighted_baseline_is_the_mean_over_tokens_of_the_group():
    advantages = group_advantages([[1, 0]], baseline="length_weighted", scale="none", lengths=[[1, 3]])
    assert advantages.tolist() == [[0.75, -0.25]]


def test_the_batch_kinds_look_over_the_borders_of_groups():
    rewards = [[1, 1], [0, 2]]
    assert group_advantages(rewards, baseline="batch", scale="none").tolist() == [[0, 0], [-1, 1]]
    scaled = group_advantages(rewards, scale="batch_std", ddof=1, eps=0)
    assert scaled[1] == pytest.approx(np.array([-1, 1]) / stdev([1, 1, 0, 2]), rel=1e-14)


def test_token_whitening_repeats_each_reward_for_each_of_its_tokens():
    rewards, lengths = [[1.0, 0.0], [3.0, 1.0]], [[2, 1], [3, 4]]
    tokens = [1.0] * 2 + [0.0] + [3.0] * 3 + [1.0] * 4
    advantages = group_advantages(
        rewards, baseline="batch_token", scale="batch_token_std", ddof=1, eps=0, lengths=lengths
    )
    expected = (np.array(rewards) - fmean(tokens)) / stdev(tokens)
    assert advantages == pytest.approx(expected, rel=1e-13)


def test_the_mean_scale_divides_by_the_success_rate():
    advantages = group_advantages([[1, 0, 0, 0], [1, 1, 1, 0]], scale="mean", eps=0)
    assert advantages == pytest.approx(np.array([[3, -1, -1, -1], [1 / 3, 1 / 3, 1 / 3, -1]]), rel=1e-14)


def test_the_informative_share_pays_back_what_flat_groups_dilute():
    advantages = group_advantages([[1, 0], [1, 1], [0, 0], [0, 0]], scale="informative_share")
    assert advantages.tolist() == [[2, -2], [0, 0], [0, 0], [0, 0]]
    assert group_advantages([[1, 1]], scale="informative_share").tolist() == [[0, 0]]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("baseline", WITHIN_GROUP)
@pytest.mark.parametrize("reward", [0.0, 1.0, 0.1, 1.2, 1e6, 12345.678])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_flat_group_has_zero_advantage(scale, baseline, reward, dtype):
    rewards = np.full((3, 7), reward, dtype=dtype)
    rewards[2, 0] += 1
    advantages = group_advantages(rewards, baseline=baseline, scale=scale, lengths=np.full((3, 7), 5))
    assert np.all(advantages[:2] == 0)
    assert np.all(advantages[2] != 0)


def test_a_group_equal_up_to_the_rounding_of_float32_is_flat():
    summed = np.float32(1.0) + np.float32(0.2) * np.float32(1.0)
    apart = np.array([[np.float32(summed), 1.2, np.nextafter(np.float32(1.2), np.float32(2))]])
    assert len(np.unique(apart)) > 1
    assert flat_groups(apart).tolist() == [True]
    assert np.all(group_advantages(apart) == 0)


def test_rewards_a_thousandth_apart_are_not_flat():
    assert flat_groups([[1000.0, 1000.001], [1e-30, 2e-30]]).tolist() == [False, False]


def test_the_variance_by_squares_would_call_equal_rewards_different():
    rewards = np.full((1, 7), 0.1)
    by_squares = np.mean(rewards**2, axis=1) - np.mean(rewards, axis=1) ** 2
    assert by_squares != 0
    assert flat_groups(rewards).tolist() == [True]


def test_without_a_baseline_a_flat_group_keeps_its_rewards():
    assert group_advantages([[1, 1]], baseline="none", scale="none").tolist() == [[1, 1]]


def test_a_flat_batch_gives_nothing_to_the_batch_kinds():
    ones = np.ones((2, 3))
    assert np.all(group_advantages(ones, baseline="none", scale="batch_std", eps=0) == 0)
    assert np.all(group_advantages(ones, baseline="batch", scale="none") == 0)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_reward_takes_no_part_and_gets_nothing(missing):
    advantages = group_advantages([[1, missing, 0, 0]])
    assert advantages[0, [0, 2, 3]] == pytest.approx(group_advantages([[1, 0, 0]])[0], rel=1e-14)
    assert advantages[0, 1] == 0


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("scale", SCALES)
def test_missing_rewards_never_poison_a_group(baseline, scale):
    rewards = [[1, None, 0, 2], [None, None, None, None], [None, 1, None, None]]
    advantages = group_advantages(rewards, baseline=baseline, scale=scale, lengths=np.ones((3, 4)))
    assert np.all(np.isfinite(advantages))
    assert np.all(advantages[~graded_rewards(rewards)[1]] == 0)


@pytest.mark.parametrize("ddof", [0, 1])
def test_a_single_graded_response_is_a_flat_group_unless_it_keeps_its_reward(ddof):
    assert group_advantages([[0.7]], ddof=ddof).tolist() == [[0]]
    assert group_advantages([[0.7, None]], ddof=ddof).tolist() == [[0, 0]]
    kept = group_advantages([[0.7, None], [1, 0]], ddof=ddof, eps=1e-6, singleton="reward")
    assert kept[0].tolist() == [0.7 / (1 + 1e-6), 0]


@given(GROUPS, st.floats(-100, 100), st.floats(0.1, 10))
def test_a_z_score_forgets_shift_and_unit(rewards, shift, unit):
    moved = group_advantages(rewards * unit + shift, eps=0)
    assert moved == pytest.approx(group_advantages(rewards, eps=0), abs=1e-7)


@given(GROUPS, st.sampled_from(WITHIN_GROUP[:2]), st.sampled_from(["group_std", "batch_std", "none"]))
def test_advantages_of_a_group_sum_to_zero(rewards, baseline, scale):
    sums = group_advantages(rewards, baseline=baseline, scale=scale).sum(axis=1)
    assert sums == pytest.approx(np.zeros(len(rewards)), abs=1e-9)


@given(GROUPS, st.randoms(use_true_random=False))
def test_the_order_of_responses_does_not_matter(rewards, random):
    order = list(range(rewards.shape[1]))
    random.shuffle(order)
    assert group_advantages(rewards[:, order]) == pytest.approx(group_advantages(rewards)[:, order], abs=1e-9)


def test_the_rewards_given_are_not_changed():
    rewards = np.array([[1.0, np.nan, 0.0]])
    before = rewards.copy()
    group_advantages(rewards)
    assert np.array_equal(rewards, before, equal_nan=True)


@pytest.mark.parametrize(
    ("rewards", "options", "message"),
    [
        ([1, 0], {}, r"rewards\.shape = \(2,\)"),
        (np.zeros((0, 4)), {}, r"rewards\.shape"),
        ([[1, np.inf]], {}, "rewards = inf"),
        ([["1", "0"]], {}, "rewards"),
        ([[1], [1, 2]], {}, "rewards"),
        ([[1, "1"]], {}, "rewards"),
        ([[1, 0]], {"baseline": "median"}, "one of mean, leave_one_out"),
        ([[1, 0]], {"scale": "iqr"}, "one of group_std"),
        ([[1, 0]], {"ddof": 2}, "ddof = 2"),
        ([[1, 0]], {"eps": -1e-6}, "eps"),
        ([[1, 0]], {"eps": np.nan}, "eps"),
        ([[1, 0]], {"baseline": "length_weighted"}, "lengths = None"),
        ([[1, 0]], {"scale": "batch_token_std"}, "lengths = None"),
        ([[1, 0]], {"baseline": "length_weighted", "lengths": [[1]]}, r"lengths\.shape = \(1, 1\)"),
        ([[1, -1]], {"scale": "mean"}, "rewards = -1"),
        ([[1, 0]], {"singleton": "nan"}, "singleton"),
    ],
)
def test_what_lies_outside_is_refused_by_name(rewards, options, message):
    with pytest.raises(DomainError, match=message):
        group_advantages(rewards, **options)


@pytest.mark.parametrize("argument", ["eps", "ddof"])
@pytest.mark.parametrize("value", [[0], [0, 1], np.zeros(2)])
def test_a_number_is_never_a_list_that_broadcasts(argument, value):
    with pytest.raises(DomainError, match=argument):
        group_advantages([[1, 0]], **{argument: value})


@pytest.mark.parametrize("kind", [int, float, np.float32, np.float64, np.int64, np.uint8, np.bool_])
def test_a_missing_reward_may_stand_beside_numbers_of_any_type(kind):
    expected = group_advantages([[1.0, None, 0.0]])
    assert np.array_equal(group_advantages([[kind(1), None, kind(0)]]), expected)


def test_a_reward_beyond_float64_is_refused_by_name():
    with pytest.raises(DomainError, match="rewards"):
        group_advantages([[10**400, None]])


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("eps", [0.0, 1e-8])
def test_a_response_without_tokens_cannot_make_the_others_explode(baseline, eps):
    advantages = group_advantages([[1, 0, 1]], baseline=baseline, scale="batch_token_std", lengths=[[3, 0, 5]], eps=eps)
    assert np.array_equal(advantages, np.zeros((1, 3)))
