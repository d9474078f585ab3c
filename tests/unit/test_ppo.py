"""Oracle: the defining double sum of GAE, hand-computed episodes, and finite differences of the critic's loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.ppo import fit_critic, generalised_advantages, shaped_rewards, value_loss

unit = st.floats(0, 1)
seeds = st.integers(0, 10**6)


def episode(seed, tokens=6):
    draw = np.random.default_rng(seed)
    mask = draw.uniform(size=(3, tokens)) < 0.6
    mask[:, 0] = True
    return draw.normal(size=(3, tokens)), draw.normal(size=(3, tokens)), mask


def by_definition(rewards, values, gamma, lam, after=0.0):
    following = np.append(values[1:], after)
    delta = rewards + gamma * following - values
    return [sum((gamma * lam) ** k * delta[t + k] for k in range(len(delta) - t)) for t in range(len(delta))]


@given(seeds, unit, unit, st.floats(-2, 2))
def test_advantages_are_the_discounted_sum_of_errors_over_the_answers_tokens(seed, gamma, lam, after):
    rewards, values, mask = episode(seed)
    estimate = generalised_advantages(rewards, values, mask, gamma, lam, bootstrap=np.full(3, after))
    for row in range(3):
        here = mask[row]
        expected = by_definition(rewards[row, here], values[row, here], gamma, lam, after)
        assert estimate.advantages[row, here] == pytest.approx(expected, abs=1e-12)
        assert estimate.returns[row, here] == pytest.approx(expected + values[row, here], abs=1e-12)
        assert not estimate.advantages[row, ~here].any()


@given(seeds)
def test_with_one_terminal_reward_and_no_discount_the_advantage_is_return_minus_value(seed):
    _, values, _ = episode(seed)
    rewards = np.zeros((3, 6))
    rewards[:, -1] = [1.0, 0.0, -0.5]
    advantages = generalised_advantages(rewards, values, np.ones((3, 6), bool), gamma=1, lam=1).advantages
    assert advantages == pytest.approx(rewards[:, -1:] - values)


@given(seeds, unit)
def test_lambda_zero_looks_one_token_ahead(seed, gamma):
    rewards, values, _ = episode(seed)
    advantages = generalised_advantages(rewards, values, np.ones((3, 6), bool), gamma, lam=0).advantages
    assert advantages[:, :-1] == pytest.approx(rewards[:, :-1] + gamma * values[:, 1:] - values[:, :-1])


def test_what_lies_outside_the_mask_never_leaks():
    rewards, values, mask = episode(1)
    clean = generalised_advantages(rewards, values, mask, 0.9, 0.8)
    dirty = [np.where(mask, array, np.nan) for array in (rewards, values)]
    spoiled = generalised_advantages(*dirty, mask, 0.9, 0.8)
    assert np.array_equal(clean.advantages, spoiled.advantages)
    assert np.array_equal(clean.returns, spoiled.returns)
    loss, again = value_loss(values, rewards, mask), value_loss(*dirty[::-1], mask)
    assert loss.loss == again.loss
    assert np.array_equal(loss.gradient, again.gradient)
    logp = np.where(mask, -np.abs(values), np.nan)
    assert np.isfinite(shaped_rewards(logp, logp, mask, [1, 1, 1], 0.1)).all()


def test_a_truncated_answer_is_not_an_ended_one():
    given = ([[0.0, 0.0]], [[0.5, 0.5]], [[True, True]], 1, 1)
    assert generalised_advantages(*given).advantages.tolist() == [[-0.5, -0.5]]
    assert generalised_advantages(*given, bootstrap=[0.5]).advantages.tolist() == [[0, 0]]


def test_the_score_is_paid_on_the_last_token_of_the_answer():
    rewards = shaped_rewards([[-1.0, -2.0, -3.0]], [[-1.5, -1.0, -3.0]], [[True, True, False]], [2.0], beta=0.1)
    assert rewards == pytest.approx(np.array([[-0.05, 0.1 + 2.0, 0.0]]))


@given(seeds, st.floats(0, 1))
def test_without_the_clamp_the_rewards_of_an_episode_sum_to_score_minus_beta_log_ratio(seed, beta):
    logp, logp_ref, mask = episode(seed)
    logp, logp_ref, score = -np.abs(logp), -np.abs(logp_ref), np.array([1.0, 0.0, 2.0])
    total = shaped_rewards(logp, logp_ref, mask, score, beta).sum(axis=1)
    ratio = np.where(mask, logp - logp_ref, 0).sum(axis=1)
    assert total == pytest.approx(score - beta * ratio)
    assert np.all(shaped_rewards(logp, logp_ref, mask, score, beta, clamp=True).sum(axis=1) <= score + 1e-12)


def test_the_clamp_charges_more_than_the_divergence():
    policy, reference = np.log([0.6, 0.3, 0.1]), np.log([0.3, 0.4, 0.3])
    mask, score = np.ones((3, 1), bool), np.zeros(3)
    plain, clamped = (
        -np.exp(policy) @ shaped_rewards(policy[:, None], reference[:, None], mask, score, 1.0, clamp)[:, 0]
        for clamp in (False, True)
    )
    assert round(float(plain), 4) == 0.2197
    assert float(clamped) == pytest.approx(0.6 * np.log(2))


@pytest.mark.parametrize("clip", [None, 0.3])
@given(seeds)
def test_the_critics_gradient_is_the_finite_difference(clip, seed):
    values, returns, mask = episode(seed)
    old = values + np.random.default_rng(seed + 1).normal(0, 0.5, values.shape)
    exact = value_loss(values, returns, mask, old, clip)
    for place in np.ndindex(values.shape):
        shift = np.zeros_like(values)
        shift[place] = 1e-6
        up, down = (value_loss(values + sign * shift, returns, mask, old, clip).loss for sign in (1, -1))
        assert exact.gradient[place] == pytest.approx((up - down) / 2e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("value", "old", "target", "gradient"),
    [
        (0.5, 0.0, 1.0, 0.0),  # moved towards the target beyond the clip: held
        (-0.5, 0.0, 1.0, -1.5),  # moved away from the target: pulled back at full strength
        (0.1, 0.0, 1.0, -0.9),  # inside the clip: the plain error
        (2.0, 1.9, 1.0, 1.0),  # the same on the other side of the target
    ],
)
def test_the_clip_holds_only_a_critic_that_moved_towards_its_target(value, old, target, gradient):
    loss = value_loss([[value]], [[target]], [[True]], [[old]], clip=0.2)
    assert loss.gradient[0, 0] == pytest.approx(gradient)
    assert loss.clipped_share == (gradient == 0)


@given(seeds)
def test_no_linear_critic_has_a_smaller_loss_than_the_fit(seed):
    _, returns, mask = episode(seed)
    features = np.random.default_rng(seed + 1).normal(size=(3, 6, 2))
    fitted = value_loss(fit_critic(features, returns, mask), returns, mask).loss
    other = features @ np.random.default_rng(seed + 2).normal(size=2)
    assert fitted <= value_loss(other, returns, mask).loss + 1e-12


def test_collinear_features_and_nan_outside_the_mask_are_no_obstacle_to_the_fit():
    features = np.array([[[1.0, 2.0], [1.0, 2.0], [np.nan, np.nan]]])
    assert fit_critic(features, [[0.0, 1.0, 5.0]], [[True, True, False]]) == pytest.approx(np.array([[0.5, 0.5, 0]]))


ONE = [[True, True]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shaped_rewards([[0.1, -1]], [[-1, -1]], ONE, [1], 0.1), "logp = 0.1"),
        (lambda: shaped_rewards([[-1, -1]], [[-1]], ONE, [1], 0.1), r"logp_ref\.shape"),
        (lambda: shaped_rewards([[-1, -1]], [[-1, -1]], ONE, [1, 2], 0.1), r"score\.shape"),
        (lambda: shaped_rewards([[-1, -1]], [[-1, -1]], [[False, False]], [1], 0.1), "episode 0 empty"),
        (lambda: shaped_rewards([[-1, -1]], [[-1, -1]], [[1, 1]], [1], 0.1), "True and False"),
        (lambda: generalised_advantages([[0, np.nan]], [[0, 0]], ONE, 1, 1), "rewards = nan"),
        (lambda: generalised_advantages([[0, 0]], [[0, 0]], ONE, 1.1, 1), "gamma = 1.1"),
        (lambda: generalised_advantages([[0, 0]], [[0, 0]], ONE, 1, -0.1), "lam = -0.1"),
        (lambda: generalised_advantages([[0, 0]], [[0, 0]], ONE, 1, 1, [0, 0]), r"bootstrap\.shape"),
        (lambda: value_loss([[0, 0]], [[0, 0]], ONE, clip=0.2), "old_values = None"),
        (lambda: value_loss([[0, 0]], [[0, 0]], ONE, [[0, 0]], clip=0), "clip = 0.0"),
        (lambda: value_loss([0, 0], [0, 0], [True, True]), r"mask\.shape"),
        (lambda: fit_critic([[1, 1]], [[0, 0]], ONE), r"features\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
