"""Oracle: torch autograd on every published preset's own loss, written from its paper (`tests/oracle/papers.py`)."""

import numpy as np
import pytest
import torch

from pycore.objective import evaluate
from pycore.presets import PAPERS
from pycore.protocol import PRESETS
from tests.oracle.batches import random_batch, tensors
from tests.oracle.papers import LOSSES


def test_every_published_preset_has_its_oracle():
    assert set(LOSSES) == set(PAPERS)


def differences(name: str, seed: int, drift: float) -> tuple[float, float]:
    """Largest absolute difference of loss and of gradient."""
    batch = random_batch(np.random.default_rng(seed), drift=drift, advantages=name == "ppo_clip")
    found, wanted = evaluate(PRESETS[name], batch), tensors(batch)
    loss = LOSSES[name](wanted)
    loss.backward()
    assert wanted["logp"].grad is not None
    gradient = torch.where(wanted["mask"], wanted["logp"].grad, 0.0).numpy()
    return abs(found.loss - loss.item()), float(np.max(np.abs(found.grad - gradient)))


@pytest.mark.parametrize("drift", [0.0, 1e-3, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("name", LOSSES)
def test_loss_and_gradient_are_those_of_autograd(name, drift):
    for seed in range(10):
        assert max(differences(name, seed, drift)) < 1e-9


def test_the_gradient_array_drives_a_torch_model():
    rng = np.random.default_rng(3)
    batch = random_batch(rng)
    parameters = torch.from_numpy(rng.standard_normal(batch.shape)).requires_grad_()
    cleaned = torch.from_numpy(np.where(batch.mask, batch.logp, 0.0))
    logp = cleaned + parameters - parameters.detach()
    logp.backward(torch.from_numpy(evaluate(PRESETS["grpo"], batch).grad))
    wanted = tensors(batch)
    LOSSES["grpo"](wanted).backward()
    assert parameters.grad is not None
    assert wanted["logp"].grad is not None
    torch.testing.assert_close(parameters.grad, wanted["logp"].grad, rtol=0, atol=1e-12)
