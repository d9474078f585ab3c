"""Oracle: all responses, and all groups of them, of a two-step, three-token policy (`tests/oracle/tiny_policy.py`).

Expectations are finite sums, so bias is exact: what an estimator's update is on average, against the true gradient.
"""

from math import comb, sqrt

import numpy as np
import pytest

from pycore.protocol import PRESETS, Protocol
from tests.oracle.tiny_policy import CORRECT, LENGTHS, RESPONSES, TinyPolicy, expected_update

rng = np.random.default_rng(5)
POLICY, OLD, REFERENCE = (TinyPolicy(rng.standard_normal((3, 3))) for _ in range(3))
GRADED = np.array([0.2, 1.0, -0.5, 0.7, 0.0, 2.0, 0.3])
PLAIN = {"ratio": "none", "clip": "none", "scale": "none", "aggregation": "sequence_sum"}
SUCCESS = float(POLICY.probability @ CORRECT)


def cosine(first, second):
    return float(np.sum(first * second) / np.linalg.norm(first) / np.linalg.norm(second))


def test_the_seven_responses_are_a_distribution_and_its_scores_average_to_zero():
    assert POLICY.probability.sum() == pytest.approx(1, rel=1e-14)
    assert np.einsum("r,rtsv->sv", POLICY.probability, POLICY.score) == pytest.approx(0, abs=1e-14)


def test_the_exact_gradient_is_the_slope_of_the_expected_reward():
    step = 1e-6
    for index in np.ndindex(3, 3):
        moved = np.zeros((3, 3))
        moved[index] = step
        up, down = (TinyPolicy(POLICY.logits + side).probability @ GRADED for side in (moved, -moved))
        assert POLICY.reward_gradient(GRADED)[index] == pytest.approx((up - down) / (2 * step), abs=1e-9)


@pytest.mark.parametrize("group", [1, 2, 3])
def test_reinforce_without_a_baseline_is_unbiased(group):
    assert expected_update(PRESETS["reinforce"], POLICY, GRADED, group) == pytest.approx(
        POLICY.reward_gradient(GRADED), abs=1e-12
    )


@pytest.mark.parametrize("group", [2, 3, 4])
def test_leave_one_out_is_unbiased(group):
    found = expected_update(PRESETS["rloo"], POLICY, GRADED, group)
    assert found == pytest.approx(POLICY.reward_gradient(GRADED), abs=1e-12)


@pytest.mark.parametrize("group", [2, 3, 4])
def test_the_shared_mean_shrinks_the_gradient_by_g_minus_1_over_g(group):
    found = expected_update(PRESETS["reinforce_baseline"], POLICY, GRADED, group)
    assert found == pytest.approx((group - 1) / group * POLICY.reward_gradient(GRADED), abs=1e-12)


@pytest.mark.parametrize("group", [2, 3])
def test_a_constant_divisor_keeps_the_direction_of_the_true_gradient(group):
    protocol = Protocol(**{**PLAIN, "aggregation": "constant", "max_tokens": 2})
    found = expected_update(protocol, POLICY, GRADED, group)
    assert found == pytest.approx((group - 1) / group / 2 * POLICY.reward_gradient(GRADED), abs=1e-12)


def test_dividing_by_each_responses_length_bends_the_direction():
    protocol = Protocol(**{**PLAIN, "aggregation": "response_mean"})
    found = expected_update(protocol, POLICY, GRADED, 3)
    centred = GRADED - POLICY.probability @ GRADED
    assert cosine(found, POLICY.reward_gradient(GRADED)) < 0.999
    # What it follows instead: centred rewards divided by length, times the shared mean's (G-1)/G.
    divided = np.einsum("r,r,rtsv->sv", POLICY.probability, centred / LENGTHS, POLICY.score)
    assert found == pytest.approx(2 / 3 * divided, abs=1e-12)


def test_the_length_weighted_baseline_is_biased_in_small_groups():
    found = expected_update(PRESETS["opo"], POLICY, GRADED, 2)
    assert np.abs(found - POLICY.reward_gradient(GRADED)).max() > 1e-3


@pytest.mark.parametrize("group", [2, 3, 4])
def test_the_group_std_reweights_a_prompt_by_a_known_function_of_its_success_rate(group):
    protocol = Protocol(**{**PLAIN, "scale": "group_std", "eps": 0})
    found = expected_update(protocol, POLICY, CORRECT, group)
    p = SUCCESS
    weight = sum(
        comb(group, k) * p**k * (1 - p) ** (group - k) * sqrt(k * (group - k)) / (group * p * (1 - p))
        for k in range(1, group)
    )
    assert found == pytest.approx(weight * POLICY.reward_gradient(CORRECT), abs=1e-12)


@pytest.mark.parametrize("group", [2, 3, 4])
def test_dividing_by_the_mean_climbs_the_logarithm_of_the_success_rate_cut_at_the_group_size(group):
    protocol = Protocol(**{**PLAIN, "scale": "mean", "eps": 0})
    found = expected_update(protocol, POLICY, CORRECT, group)
    weight = (1 - (1 - SUCCESS) ** (group - 1)) / SUCCESS
    assert found == pytest.approx(weight * POLICY.reward_gradient(CORRECT), abs=1e-12)


def test_with_graded_rewards_the_group_std_changes_the_direction_too():
    protocol = Protocol(**{**PLAIN, "scale": "group_std", "eps": 0})
    assert cosine(expected_update(protocol, POLICY, GRADED, 3), POLICY.reward_gradient(GRADED)) < 0.9999


def test_off_policy_the_product_of_ratios_is_unbiased_the_token_ratio_and_the_geometric_mean_are_not():
    exact = POLICY.reward_gradient(GRADED)

    def update(ratio):
        axes = {**PLAIN, "baseline": "none", "ratio": ratio}
        # One term per response: the mean over its tokens removes the repetition of a response's value.
        aggregation = "sequence_sum" if ratio == "token" else "response_mean"
        return expected_update(Protocol(**{**axes, "aggregation": aggregation}), POLICY, GRADED, 1, behaviour=OLD)

    assert update("sequence_product") == pytest.approx(exact, abs=1e-12)
    assert np.abs(update("token") - exact).max() > 1e-2
    assert np.abs(update("sequence_mean") - exact).max() > 1e-2


def test_off_policy_the_clip_is_a_bias():
    axes = {**PLAIN, "baseline": "none", "ratio": "sequence_product", "aggregation": "response_mean"}
    clipped = expected_update(Protocol(**{**axes, "clip": "symmetric"}), POLICY, GRADED, 1, behaviour=OLD)
    assert np.abs(clipped - POLICY.reward_gradient(GRADED)).max() > 1e-2


@pytest.mark.parametrize("name", ["grpo", "gspo", "cispo", "gmpo", "sapo", "luspo"])
def test_on_policy_no_clip_family_changes_the_expected_update(name):
    family = {axis: getattr(PRESETS[name], axis) for axis in ("ratio", "clip", "clip_low", "clip_high")}
    protocol = Protocol(scale="none", aggregation="sequence_sum", **family)
    # Sequence levels repeat one value for each token and share its gradient: the same sum.
    plain = expected_update(PRESETS["reinforce_baseline"], POLICY, GRADED, 2)
    assert expected_update(protocol, POLICY, GRADED, 2) == pytest.approx(plain, abs=1e-12)


def step_kls(policy):
    """KL(policy || reference) of the three conditional distributions."""
    p, q = policy.log_table, REFERENCE.log_table
    return np.sum(np.exp(p) * (p - q), axis=1)


def response_kl(policy):
    """KL between the two distributions over whole responses."""
    return float(policy.probability @ (policy.logp - REFERENCE.logp).sum(axis=1))


def slope(function):
    found, step = np.zeros((3, 3)), 1e-5
    for index in np.ndindex(3, 3):
        moved = np.zeros((3, 3))
        moved[index] = step
        up, down = (function(TinyPolicy(POLICY.logits + side)) for side in (moved, -moved))
        found[index] = (up - down) / (2 * step)
    return found


def visits():
    """Probability of visiting each of the three states under the current policy."""
    first = np.exp(POLICY.log_table[0])
    return np.array([1.0, first[0], first[1]])


def kl_update(estimator, **axes):
    protocol = Protocol(**{**PLAIN, "ratio": "token", "kl": estimator, "kl_coefficient": 1.0, **axes})
    return -expected_update(protocol, POLICY, np.zeros(len(RESPONSES)), 1, reference=REFERENCE)


def test_as_a_loss_k1_pulls_nowhere():
    assert kl_update("k1") == pytest.approx(0, abs=1e-13)


def test_as_a_loss_k2_pulls_along_each_visited_states_kl_but_not_along_the_choice_of_states():
    fixed_states = slope(lambda policy: float(visits() @ step_kls(policy)))
    assert kl_update("k2") == pytest.approx(fixed_states, abs=1e-8)
    assert np.abs(fixed_states - slope(response_kl)).max() > 1e-2


def test_as_a_loss_k3_pulls_along_the_opposite_direction_of_kl():
    p, q = np.exp(POLICY.log_table), np.exp(REFERENCE.log_table)
    assert kl_update("k3") == pytest.approx(visits()[:, None] * (p - q), abs=1e-12)


@pytest.mark.parametrize("estimator", ["k1", "k3"])
def test_the_differentiable_ratio_gives_k1_and_k3_the_gradient_of_k2(estimator):
    assert kl_update(estimator, kl_ratio=True) == pytest.approx(kl_update("k2"), abs=1e-12)


def test_straight_through_gives_k3_the_gradient_of_k2():
    assert kl_update("k3", kl_gradient="k2") == pytest.approx(kl_update("k2"), abs=1e-13)


def test_the_product_ratio_gives_k1_the_gradient_of_the_whole_responses_kl():
    axes = {"ratio": "sequence_product", "kl_ratio": True}
    assert kl_update("k1", **axes) == pytest.approx(slope(response_kl), abs=1e-8)


def test_k1_in_the_reward_is_an_unbiased_pull_along_the_whole_responses_kl():
    protocol = Protocol(
        **{**PLAIN, "baseline": "leave_one_out", "kl": "k1", "kl_coefficient": 1.0, "kl_placement": "reward"}
    )
    found = expected_update(protocol, POLICY, np.zeros(len(RESPONSES)), 2, reference=REFERENCE)
    assert -found == pytest.approx(slope(response_kl), abs=1e-8)
