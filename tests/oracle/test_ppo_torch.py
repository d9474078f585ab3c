"""Oracle: torch autograd for the critic and the squared surrogate, a recursive filter of scipy for GAE."""

import numpy as np
import pytest
import torch
from scipy.signal import lfilter

from pycore.kimi import squared_surrogate
from pycore.ppo import generalised_advantages, value_loss

DTYPE = torch.float64
torch.set_default_dtype(DTYPE)


def test_gae_is_a_first_order_filter_run_backwards():
    draw = np.random.default_rng(0)
    rewards, values = draw.normal(size=(5, 200)), draw.normal(size=(5, 200))
    gamma, lam = 0.99, 0.95
    delta = rewards + gamma * np.pad(values[:, 1:], ((0, 0), (0, 1))) - values
    expected = lfilter([1], [1, -gamma * lam], delta[:, ::-1], axis=1)[:, ::-1]
    ours = generalised_advantages(rewards, values, np.ones((5, 200), bool), gamma, lam)
    np.testing.assert_allclose(ours.advantages, expected, atol=1e-12)


@pytest.mark.parametrize("clip", [None, 0.2])
def test_the_critics_loss_and_gradient_are_torchs(clip):
    draw = np.random.default_rng(1)
    values, old, returns = draw.normal(size=(3, 8, 50))
    mask = draw.uniform(size=(8, 50)) < 0.7
    mask[:, 0] = True
    leaf, before, target = torch.tensor(values, requires_grad=True), torch.tensor(old), torch.tensor(returns)
    error = (leaf - target) ** 2
    if clip is not None:
        error = torch.maximum(error, (before + (leaf - before).clamp(-clip, clip) - target) ** 2)
    loss = 0.5 * error[torch.tensor(mask)].mean()
    loss.backward()
    ours = value_loss(values, returns, mask, old, clip)
    assert ours.loss == pytest.approx(loss.item(), abs=1e-12)
    np.testing.assert_allclose(ours.gradient, leaf.grad, atol=1e-12)


def test_the_squared_surrogate_is_torchs():
    draw = np.random.default_rng(2)
    logp, old, rewards, tau = -draw.exponential(9, (4, 8)), -draw.exponential(9, (4, 8)), draw.normal(size=(4, 8)), 0.4
    leaf, reward = torch.tensor(logp, requires_grad=True), torch.tensor(rewards)
    log_z = torch.logsumexp(reward / tau, dim=1, keepdim=True) - np.log(8)
    loss = ((reward - tau * log_z - tau * (leaf - torch.tensor(old))) ** 2).mean()
    loss.backward()
    ours = squared_surrogate(logp, old, rewards, tau)
    assert ours.loss == pytest.approx(loss.item(), rel=1e-12)
    np.testing.assert_allclose(ours.gradient, leaf.grad, rtol=1e-10, atol=1e-14)
