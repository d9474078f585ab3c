"""Oracle: the closed-form KL-regularised optimum, finite differences, and counted draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.kimi import curriculum_weights, kept_as_hard, sample_prompts, squared_surrogate
from pycore.tilt import tilted_policy


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=6), st.floats(0.2, 5))
def test_the_loss_is_zero_exactly_at_the_tilted_policy(rewards, tau):
    # A uniform old policy and a group that holds every answer once make the group's log Z exact.
    old = np.full(len(rewards), 1 / len(rewards))
    best = tilted_policy(old, rewards, tau).probability
    at_best = squared_surrogate([np.log(best)], [np.log(old)], [rewards], tau)
    assert at_best.residual == pytest.approx(0, abs=1e-9)
    assert squared_surrogate([np.log(best) - 0.1], [np.log(old)], [rewards], tau).loss > 1e-5


@given(st.integers(0, 10**6), st.floats(0.1, 4), st.sampled_from(["softmax", "mean"]))
def test_the_gradient_is_the_finite_difference(seed, tau, normaliser):
    draw = np.random.default_rng(seed)
    logp, old, rewards = -draw.exponential(3, (2, 3)) - 0.1, -draw.exponential(3, (2, 3)), draw.normal(size=(2, 3))
    exact = squared_surrogate(logp, old, rewards, tau, normaliser).gradient
    for place in np.ndindex(2, 3):
        shift = np.zeros((2, 3))
        shift[place] = 1e-5
        up, down = (squared_surrogate(logp + s * shift, old, rewards, tau, normaliser).loss for s in (1, -1))
        assert exact[place] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)


def test_on_fresh_samples_the_step_is_the_group_baseline_policy_gradient():
    logp, rewards, tau = np.full((1, 4), -2.0), np.array([[1.0, 0.0, 0.0, 0.0]]), 0.7
    step = squared_surrogate(logp, logp, rewards, tau, "mean").gradient
    assert -step / (2 * tau) == pytest.approx((rewards - 0.25) / 4)


def test_the_mean_reward_is_the_normaliser_of_a_large_tau():
    logp, rewards = np.full((1, 3), -2.0), np.array([[1.0, 0.0, 3.0]])
    soft, mean = (squared_surrogate(logp, logp, rewards, 1e6, name).residual for name in ("softmax", "mean"))
    assert soft == pytest.approx(mean, abs=1e-5)


def test_a_tiny_tau_stays_finite():
    step = squared_surrogate([[-1.0, -1.0]], [[-1.0, -1.0]], [[100.0, 0.0]], 1e-307)
    assert np.isfinite(step.gradient).all()


def test_prompts_are_chosen_in_proportion_to_their_failures():
    success = [0.9, 0.5, 1.0, 0.0]
    weights = curriculum_weights(success)
    assert weights == pytest.approx(np.array([0.1, 0.5, 0.0, 1.0]) / 1.6)
    chosen = sample_prompts(success, 40_000, np.random.default_rng(0))
    share = np.bincount(chosen, minlength=4) / len(chosen)
    assert np.all(np.abs(share - weights) <= 4 * np.sqrt(weights * (1 - weights) / len(chosen)))


def test_a_prompt_solved_half_the_time_survives_eight_failures_once_in_256():
    assert kept_as_hard([0.0, 0.5, 1.0], 8).tolist() == [1, 1 / 256, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: squared_surrogate([[-1]], [[-1, -1]], [[1]], 1), r"logp_old\.shape"),
        (lambda: squared_surrogate([[1]], [[-1]], [[1]], 1), "logp = 1.0"),
        (lambda: squared_surrogate([[-1]], [[-1]], [[np.nan]], 1), "rewards = nan"),
        (lambda: squared_surrogate([[-1]], [[-1]], [[1]], 0), "tau = 0.0"),
        (lambda: squared_surrogate([[-1]], [[-1]], [[1]], 1, "median"), "one of softmax, mean"),
        (lambda: curriculum_weights([1.0, 1.0]), "at least one prompt below 1"),
        (lambda: curriculum_weights([1.2]), "success = 1.2"),
        (lambda: sample_prompts([0.5], 0, np.random.default_rng(0)), "count = 0"),
        (lambda: kept_as_hard(0.5, 0), "attempts = 0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
