"""Largest absolute differences between `pycore` and an oracle: used by the tests and by `tests.oracle.report`."""

from typing import Any

import numpy as np
import torch

from pycore.objective import Batch, evaluate
from pycore.protocol import PRESETS, Protocol
from tests.oracle import papers, verl_formulas
from tests.oracle.batches import random_batch, tensors
from tests.oracle.trl_loss import trl_loss


def paper_difference(name: str, seed: int, drift: float) -> tuple[float, float]:
    """Loss and gradient of a published preset against autograd on its paper's loss."""
    batch = random_batch(np.random.default_rng(seed), drift=drift, advantages=name == "ppo_clip")
    return _against(papers.LOSSES[name], PRESETS[name], batch)


def verl_difference(loss: str, seed: int, drift: float) -> tuple[float, float]:
    """Loss and gradient of a verl preset against autograd on the second derivation."""
    batch = random_batch(np.random.default_rng(seed), drift=drift)
    return _against(verl_formulas.LOSSES[loss], PRESETS[f"verl-0.9.1/{loss}"], batch)


def trl_difference(protocol: Protocol, batch: Batch, settings: Any) -> tuple[float, float, float]:
    """Loss, gradient and entropy gradient against TRL's own loss code under `settings`."""
    found, wanted = evaluate(protocol, batch), flattened(batch)
    loss = trl_loss(settings, wanted, trl_advantages(np.asarray(batch.rewards)))
    loss.backward()
    gradient, entropy = (_gradient(wanted[name], wanted["mask"], batch) for name in ("logp", "entropy"))
    mine = np.where(batch.mask, found.grad_entropy[..., None], 0.0)
    return abs(found.loss - loss.item()), _largest(found.grad - gradient), _largest(mine - entropy)


def slope_difference(protocol: Protocol, batch: Batch, step: float = 1e-6) -> float:
    """Gradient against central differences of the loss itself."""
    gradient, largest = evaluate(protocol, batch).grad, 0.0
    for index in zip(*np.nonzero(batch.mask), strict=True):
        losses = []
        for side in (step, -step):
            logp = batch.logp.copy()
            logp[index] += side
            moved = Batch(logp, batch.logp_old, batch.mask, batch.rewards, batch.logp_ref, advantages=batch.advantages)
            losses.append(evaluate(protocol, moved).loss)
        largest = max(largest, abs(float(gradient[index]) - (losses[0] - losses[1]) / (2 * step)))
    return largest


def flattened(batch: Batch) -> dict[str, torch.Tensor]:
    """Per-token tensors of shape (responses, tokens); `logp` and `entropy` are leaves of autograd."""
    found = {
        name: value.detach().reshape(-1, batch.shape[2]) for name, value in tensors(batch).items() if value.dim() == 3
    }
    for name in ("logp", "entropy"):
        found[name].requires_grad_()
    return found


def trl_advantages(rewards: np.ndarray) -> torch.Tensor:
    """TRL's advantages for groups of `rewards.shape[1]` generations and scale_rewards = "group"."""
    grouped = torch.from_numpy(rewards)
    centred = grouped - grouped.mean(dim=1, keepdim=True)
    return (centred / (grouped.std(dim=1, keepdim=True) + 1e-4)).reshape(-1)


def _against(oracle: Any, protocol: Protocol, batch: Batch) -> tuple[float, float]:
    found, wanted = evaluate(protocol, batch), tensors(batch)
    loss = oracle(wanted)
    loss.backward()
    return abs(found.loss - loss.item()), _largest(found.grad - _gradient(wanted["logp"], wanted["mask"], batch))


def _gradient(leaf: torch.Tensor, mask: torch.Tensor, batch: Batch) -> np.ndarray:
    if leaf.grad is None:
        return np.zeros(batch.shape)
    return np.asarray(torch.where(mask, leaf.grad, 0.0).numpy()).reshape(batch.shape)


def _largest(difference: np.ndarray) -> float:
    return float(np.max(np.abs(difference)))
