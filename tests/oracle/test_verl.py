"""Oracle: a second derivation of verl 0.9.1's losses in torch (`tests/oracle/verl_formulas.py`), by autograd."""

import numpy as np
import pytest
import torch

from pycore.advantages import group_advantages
from pycore.kl import kl_estimate
from pycore.objective import evaluate
from pycore.presets import LIBRARIES
from pycore.protocol import PRESETS
from tests.oracle.batches import random_batch, tensors
from tests.oracle.verl_formulas import LOSSES

# verl's 1e-8 beside a length is a relative difference of that size.
TOLERANCE = 1e-7


def test_every_verl_preset_has_its_oracle():
    assert {f"verl-0.9.1/{name}" for name in LOSSES} == {name for name in LIBRARIES if name.startswith("verl")}


def differences(name: str, seed: int, drift: float) -> tuple[float, float]:
    """Largest absolute difference of loss and of gradient."""
    batch = random_batch(np.random.default_rng(seed), drift=drift)
    found, wanted = evaluate(PRESETS[f"verl-0.9.1/{name}"], batch), tensors(batch)
    loss = LOSSES[name](wanted)
    loss.backward()
    gradient = torch.where(wanted["mask"], wanted["logp"].grad, 0.0).numpy()
    return abs(found.loss - loss.item()), float(np.max(np.abs(found.grad - gradient)))


@pytest.mark.parametrize("drift", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("name", LOSSES)
def test_loss_and_gradient_are_those_of_autograd(name, drift):
    for seed in range(10):
        assert max(differences(name, seed, drift)) < TOLERANCE


def test_a_single_response_keeps_its_reward():
    kept = group_advantages([[0.7]], ddof=1, eps=1e-6, singleton="reward")
    assert kept == pytest.approx(0.7 / (1 + 1e-6), rel=1e-15)


def test_a_plus_sign_means_the_gradient_of_k2_under_the_value_of_k3():
    logp = torch.tensor([-0.3, -1.0, -2.0], dtype=torch.float64, requires_grad=True)
    reference = torch.tensor([-1.0, -0.5, -2.0], dtype=torch.float64)
    squared = 0.5 * (logp - reference) ** 2
    value = torch.exp(reference - logp) - (reference - logp) - 1
    (squared - squared.detach() + value.detach()).sum().backward()
    k2, k3 = (kl_estimate(logp.detach().numpy(), reference.numpy(), name) for name in ("k2", "k3"))
    assert logp.grad is not None
    assert k2.derivative == pytest.approx(logp.grad.numpy(), rel=1e-14)
    assert k3.value == pytest.approx(value.detach().numpy(), rel=1e-12)


@pytest.mark.parametrize("name", ["vanilla", "cispo", "sapo"])
def test_deliberate_difference_verl_bounds_log_ratios_to_twenty_which_moves_loss_and_gradient_by_under_1e_7(name):
    drift = 15.0
    ratios = [
        evaluate(PRESETS[f"verl-0.9.1/{name}"], random_batch(np.random.default_rng(s), drift=drift)).ratio
        for s in range(5)
    ]
    assert min(ratio.min() for ratio in ratios) < np.exp(-20)
    assert max(max(differences(name, seed, drift)) for seed in range(5)) < TOLERANCE
