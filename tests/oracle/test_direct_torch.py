"""Oracle: torch autograd through each preference loss, written in torch's own words."""

import numpy as np
import pytest
import torch
from torch.nn.functional import logsigmoid

from pycore.direct import dpo, ipo, length_normalised_dpo, simpo

DTYPE = torch.float64
torch.set_default_dtype(DTYPE)


@pytest.mark.parametrize("name", ["dpo", "ipo", "simpo", "length_normalised_dpo"])
def test_loss_and_four_gradients_are_torchs(name):
    draw = np.random.default_rng(5)
    logps = -draw.exponential(20, (4, 200))
    lengths = draw.integers(1, 40, (2, 200))
    a, b, c, d = leaves = [torch.tensor(row, requires_grad=True) for row in logps]
    m, n = (torch.tensor(row) for row in lengths)
    beta, tau, gamma = 0.3, 0.2, 1.4
    match name:
        case "dpo":
            loss, ours = -logsigmoid(beta * ((a - c) - (b - d))), dpo(*logps, beta)
        case "ipo":
            loss, ours = ((a - c) - (b - d) - 1 / (2 * tau)) ** 2, ipo(*logps, tau)
        case "simpo":
            loss, ours = -logsigmoid(beta * (a / m - b / n) - gamma), simpo(*logps[:2], *lengths, beta, gamma)
        case _:
            loss = -logsigmoid(beta * ((a - c) / m - (b - d) / n))
            ours = length_normalised_dpo(*logps, *lengths, beta)
    loss.sum().backward()
    np.testing.assert_allclose(ours.loss, loss.detach(), rtol=1e-12)
    for leaf, field in zip(leaves, ("chosen", "rejected", "ref_chosen", "ref_rejected"), strict=True):
        expected = np.zeros(200) if leaf.grad is None else leaf.grad
        np.testing.assert_allclose(getattr(ours.gradient, field), expected, rtol=1e-12, atol=1e-15)
