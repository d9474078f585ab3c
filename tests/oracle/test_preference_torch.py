"""Oracle: torch autograd for loss and slope, scipy for the normal law and for an independent fit."""

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import torch

from pycore.normal import log_normal_probability
from pycore.preference import comparison_loss
from pycore.ranking import fit_scores

DTYPE = torch.float64
torch.set_default_dtype(DTYPE)


def test_the_log_normal_probability_is_scipys():
    x = np.concatenate([np.linspace(-1e3, -20, 50), np.linspace(-20, 9, 2001)])
    np.testing.assert_allclose(log_normal_probability(x), scipy.special.log_ndtr(x), rtol=2e-10, atol=1e-300)


@pytest.mark.parametrize("noise", ["gumbel", "gaussian"])
def test_loss_and_slope_are_torchs(noise):
    draw = np.random.default_rng(0)
    a, b, label, scale = draw.normal(0, 3, 50), draw.normal(0, 3, 50), draw.uniform(size=50), 1.3
    score = torch.tensor(a, requires_grad=True)
    difference = score - torch.tensor(b)
    if noise == "gumbel":
        win, lose = (torch.nn.functional.logsigmoid(sign * difference / scale) for sign in (1, -1))
    else:
        win, lose = (torch.special.log_ndtr(sign * difference / (scale * 2**0.5)) for sign in (1, -1))
    loss = -(torch.tensor(label) * win + (1 - torch.tensor(label)) * lose)
    loss.sum().backward()
    ours = comparison_loss(a, b, label, noise, scale)
    np.testing.assert_allclose(ours.loss, loss.detach(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.gradient, score.grad, rtol=1e-8, atol=1e-12)


def test_the_fit_is_scipys_minimiser():
    draw = np.random.default_rng(1)
    for ridge in (0.0, 0.5):
        wins = draw.integers(1, 20, (5, 5)) * (1 - np.eye(5))

        def objective(scores, wins=wins, ridge=ridge):
            gap = scores[:, None] - scores[None, :]
            return -(wins * scipy.special.log_expit(gap)).sum() + ridge / 2 * (scores**2).sum()

        found = scipy.optimize.minimize(objective, np.zeros(5), method="BFGS", options={"gtol": 1e-5})
        np.testing.assert_allclose(fit_scores(wins, ridge).scores, found.x - found.x.mean(), atol=1e-5)
