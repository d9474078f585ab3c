"""Oracle: all ordered groups by brute force, known expectations of each baseline, and Monte Carlo."""

from itertools import product

import numpy as np
import pytest

from pycore.domain import DomainError
from pycore.enumeration import response_tree, score_vectors, tree_log_probs
from pycore.estimator import estimator_moments, exact_gradient, groups

TREE = response_tree(3, 2)
LOGITS = np.random.default_rng(4).normal(size=(4, 3))
P = np.exp(tree_log_probs(TREE, LOGITS).sum(axis=1))
SCORES = score_vectors(TREE, LOGITS).sum(axis=1)
REWARDS = np.array([1.0, 0, 0, 0, 1, 0, 0, 0.5, 0])


def plain(rewards):
    return rewards


def fixed_baseline(rewards):
    return rewards - 0.4


def group_mean(rewards):
    return rewards - rewards.mean(axis=1, keepdims=True)


def leave_one_out(rewards):
    size = rewards.shape[1]
    return rewards - (rewards.sum(axis=1, keepdims=True) - rewards) / (size - 1)


def standardised(rewards):
    flat = rewards.max(axis=1, keepdims=True) == rewards.min(axis=1, keepdims=True)
    return np.where(flat, 0.0, group_mean(rewards) / (rewards.std(axis=1, keepdims=True) + 1e-6))


ALL = [plain, fixed_baseline, group_mean, leave_one_out, standardised]


def test_the_exact_gradient_is_the_slope_of_the_expected_reward():
    exact = exact_gradient(P, SCORES, REWARDS)
    for place in np.ndindex(LOGITS.shape):
        shift = np.zeros_like(LOGITS)
        shift[place] = 1e-6
        up, down = (np.exp(tree_log_probs(TREE, LOGITS + s * shift).sum(axis=1)) @ REWARDS for s in (1, -1))
        assert exact[place] == pytest.approx((up - down) / 2e-6, abs=1e-8)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_groups_up_to_order_carry_all_the_probability(size):
    members, weight = groups(P, size)
    assert weight.sum() == pytest.approx(1)
    ordered = {}
    for drawn in product(range(9), repeat=size):
        key = tuple(sorted(drawn))
        ordered[key] = ordered.get(key, 0.0) + np.prod(P[list(drawn)])
    assert {tuple(row): pytest.approx(value) for row, value in zip(members.tolist(), weight, strict=True)} == ordered


@pytest.mark.parametrize("advantages", ALL)
@pytest.mark.parametrize("size", [2, 3])
def test_moments_are_those_of_all_ordered_groups(advantages, size):
    drawn = np.array(list(product(range(9), repeat=size)))
    weight = np.prod(P[drawn], axis=1)
    gain = advantages(REWARDS[drawn])
    estimates = np.einsum("gi,gi...->g...", gain, SCORES[drawn]) / size
    mean = np.tensordot(weight, estimates, axes=1)
    found = estimator_moments(P, SCORES, REWARDS, size, advantages)
    bias = mean - exact_gradient(P, SCORES, REWARDS)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.bias == pytest.approx(bias, abs=1e-12)
    assert found.variance == pytest.approx(weight @ ((estimates - mean) ** 2).sum(axis=(1, 2)))
    assert found.mean_square_error == pytest.approx((bias**2).sum() + found.variance)
    assert found.silent == pytest.approx(weight[~gain.any(axis=1)].sum())


@pytest.mark.parametrize("advantages", [plain, fixed_baseline, leave_one_out])
@pytest.mark.parametrize("size", [2, 5])
def test_baselines_that_do_not_see_the_own_reward_are_unbiased(advantages, size):
    assert estimator_moments(P, SCORES, REWARDS, size, advantages).bias == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_the_shared_mean_shrinks_the_gradient_by_g_minus_1_over_g(size):
    mean = estimator_moments(P, SCORES, REWARDS, size, group_mean).mean
    assert mean == pytest.approx((size - 1) / size * exact_gradient(P, SCORES, REWARDS), abs=1e-12)


def test_dividing_by_the_std_changes_the_direction_too():
    exact = exact_gradient(P, SCORES, REWARDS).ravel()
    mean = estimator_moments(P, SCORES, REWARDS, 4, standardised).mean.ravel()
    cosine = mean @ exact / np.linalg.norm(mean) / np.linalg.norm(exact)
    assert 0.5 < cosine < 1 - 1e-6


def test_without_baseline_a_constant_added_to_the_rewards_is_all_variance():
    here, far = (estimator_moments(P, SCORES, REWARDS + shift, 3, plain).variance for shift in (0, 10))
    still = [estimator_moments(P, SCORES, REWARDS + shift, 3, leave_one_out).variance for shift in (0, 10)]
    assert far > 20 * here
    assert still[0] == pytest.approx(still[1])


def test_a_plain_estimate_averages_its_variance_over_the_group():
    one, four = (estimator_moments(P, SCORES, REWARDS, size, plain).variance for size in (1, 4))
    assert four == pytest.approx(one / 4)


def test_sampled_groups_have_the_exact_mean():
    draw = np.random.default_rng(0)
    drawn = draw.choice(9, size=(40_000, 4), p=P)
    estimates = np.einsum("gi,gi...->g...", standardised(REWARDS[drawn]), SCORES[drawn]) / 4
    error = estimates.std(axis=0) / np.sqrt(len(drawn))
    exact = estimator_moments(P, SCORES, REWARDS, 4, standardised).mean
    assert np.all(np.abs(estimates.mean(axis=0) - exact) < 4.5 * error)


def test_a_silent_group_of_a_binary_bandit_is_p_to_the_g_plus_q_to_the_g():
    found = estimator_moments([0.1, 0.9], [[0.9], [-0.1]], [1.0, 0.0], 8, standardised)
    assert found.silent == pytest.approx(0.1**8 + 0.9**8)
    assert round(1 - found.silent, 4) == 0.5695


def test_length_normalised_scores_are_biased_against_the_true_gradient():
    tree = response_tree(3, 2, end=0)
    logits = np.random.default_rng(2).normal(size=(tree.contexts, 3))
    p, tokens = np.exp(tree_log_probs(tree, logits).sum(axis=1)), score_vectors(tree, logits)
    rewards = np.arange(len(p)) % 2 * 1.0
    true = exact_gradient(p, tokens.sum(axis=1), rewards)
    averaged = tokens.sum(axis=1) / tree.mask.sum(axis=1)[:, None, None]
    assert estimator_moments(p, tokens.sum(axis=1), rewards, 3, plain, true).bias == pytest.approx(0, abs=1e-12)
    assert np.abs(estimator_moments(p, averaged, rewards, 3, plain, true).bias).max() > 0.01


def test_an_impossible_response_is_never_drawn():
    found = estimator_moments([0.5, 0.5, 0.0], np.eye(3), [1.0, 0.0, 100.0], 2, plain)
    assert found.mean == pytest.approx([0.5, 0, 0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: groups(P, 30), "group_size = 30: allowed is a size with at most 200000 different groups"),
        (lambda: groups([0.5, 0.4], 2), "probability sum"),
        (lambda: exact_gradient(P, SCORES[:3], REWARDS), r"scores\.shape"),
        (lambda: exact_gradient(P, SCORES, REWARDS[:3]), r"rewards\.shape"),
        (lambda: estimator_moments(P, SCORES, REWARDS, 2, lambda r: r[:, :1]), r"advantages\.shape"),
        (lambda: estimator_moments(P, SCORES, REWARDS, 2, lambda r: r * np.nan), "advantages = nan"),
        (lambda: estimator_moments(P, SCORES, REWARDS, 2, plain, np.zeros(3)), r"target\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
