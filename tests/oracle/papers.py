"""Every published preset as a torch loss of its own, written from its paper's formula; autograd gives the gradient.

Nothing here reads a Protocol or calls `pycore`: each function states the whole algorithm, numbers included.
Arguments are dictionaries of tensors of shape (prompts, group, tokens) and rewards of shape (prompts, group).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Tensors = dict[str, Tensor]


def _length(b: Tensors) -> Tensor:
    return b["mask"].sum(-1).double()


def _ratio(b: Tensors) -> Tensor:
    return torch.exp(b["logp"] - b["logp_old"])


def _sequence_ratio(b: Tensors) -> Tensor:
    log_ratio = torch.where(b["mask"], b["logp"] - b["logp_old"], 0.0)
    return torch.exp(log_ratio.sum(-1) / _length(b).clamp(min=1))


def _z(rewards: Tensor) -> Tensor:
    centred = rewards - rewards.mean(1, keepdim=True)
    return centred / (torch.sqrt((centred**2).mean(1, keepdim=True)) + 1e-6)


def _ppo(rho: Tensor, advantage: Tensor, low: float, high: float) -> Tensor:
    return torch.minimum(rho * advantage, torch.clamp(rho, 1 - low, 1 + high) * advantage)


def _per_response(terms: Tensor, b: Tensors) -> Tensor:
    return (torch.where(b["mask"], terms, 0.0).sum(-1) / _length(b).clamp(min=1)).mean()


def _per_token(terms: Tensor, b: Tensors) -> Tensor:
    return torch.where(b["mask"], terms, 0.0).sum() / b["mask"].sum()


def _log_likelihood(b: Tensors) -> Tensor:
    return torch.where(b["mask"], b["logp"], 0.0).sum(-1)


def reinforce(b: Tensors) -> Tensor:
    return -(b["rewards"] * _log_likelihood(b)).mean()


def reinforce_baseline(b: Tensors) -> Tensor:
    return -((b["rewards"] - b["rewards"].mean(1, keepdim=True)) * _log_likelihood(b)).mean()


def rloo(b: Tensors) -> Tensor:
    others = (b["rewards"].sum(1, keepdim=True) - b["rewards"]) / (b["rewards"].shape[1] - 1)
    return -((b["rewards"] - others) * _log_likelihood(b)).mean()


def grpo(b: Tensors) -> Tensor:
    r = torch.exp(b["logp_ref"] - b["logp"])
    kl = r - torch.log(r) - 1
    return -_per_response(_ppo(_ratio(b), _z(b["rewards"])[..., None], 0.2, 0.2) - 0.04 * kl, b)


def dr_grpo(b: Tensors) -> Tensor:
    advantage = (b["rewards"] - b["rewards"].mean(1, keepdim=True))[..., None]
    terms = torch.where(b["mask"], _ppo(_ratio(b), advantage, 0.2, 0.2), 0.0)
    return -terms.sum() / (b["rewards"].numel() * 1024)


def dapo(b: Tensors) -> Tensor:
    # No response here is long enough for the overlong penalty; equal groups are not sampled.
    kept = b["rewards"].max(1).values > b["rewards"].min(1).values
    chosen = {name: tensor[kept] for name, tensor in b.items()}
    return -_per_token(_ppo(_ratio(chosen), _z(chosen["rewards"])[..., None], 0.2, 0.28), chosen)


def gspo(b: Tensors) -> Tensor:
    return -_ppo(_sequence_ratio(b), _z(b["rewards"]), 3e-4, 4e-4)[_length(b) > 0].sum() / b["rewards"].numel()


def cispo(b: Tensors) -> Tensor:
    weight = torch.clamp(_ratio(b), max=5.0).detach()
    return -_per_token(weight * _z(b["rewards"])[..., None] * b["logp"], b)


def gmpo(b: Tensors) -> Tensor:
    advantage = _z(b["rewards"])
    sign = torch.sign(advantage)[..., None]
    log_ratio = b["logp"] - b["logp_old"]
    # In log space the smaller of the signed terms is the pessimistic one.
    kept = sign * torch.minimum(sign * log_ratio, sign * torch.clamp(log_ratio, -0.4, 0.4))
    mean = torch.where(b["mask"], kept, 0.0).sum(-1) / _length(b).clamp(min=1)
    return -(advantage * torch.exp(mean))[_length(b) > 0].sum() / advantage.numel()


def sapo(b: Tensors) -> Tensor:
    advantage = _z(b["rewards"])[..., None]
    tau = 1.05 - 0.05 * (advantage > 0).double()  # torch.where with two numbers would make float32 of them
    return -_per_response(torch.sigmoid(tau * (_ratio(b) - 1)) * 4 / tau * advantage, b)


def luspo(b: Tensors) -> Tensor:
    return -(_ppo(_sequence_ratio(b), _z(b["rewards"]), 3e-4, 4e-4) * _length(b)).mean()


def maxrl(b: Tensors) -> Tensor:
    mean = b["rewards"].mean(1, keepdim=True)
    return -((b["rewards"] - mean) / (mean + 1e-6) * _log_likelihood(b)).mean()


def gpg(b: Tensors) -> Tensor:
    informative = (b["rewards"].max(1).values > b["rewards"].min(1).values).double().sum()
    advantage = len(b["rewards"]) / informative * (b["rewards"] - b["rewards"].mean(1, keepdim=True))
    return -_per_token(advantage[..., None] * b["logp"], b)


def opo(b: Tensors) -> Tensor:
    length = _length(b)
    baseline = (length * b["rewards"]).sum(1, keepdim=True) / length.sum(1, keepdim=True)
    # The exact baseline of a flat group is its reward; rounding must not leave a residue.
    flat = b["rewards"].max(1, keepdim=True).values == b["rewards"].min(1, keepdim=True).values
    return -(torch.where(flat, 0.0, b["rewards"] - baseline) * _log_likelihood(b)).mean()


def reinforce_pp(b: Tensors) -> Tensor:
    spread = b["rewards"][..., None].expand(b["mask"].shape)[b["mask"]]
    advantage = (b["rewards"] - spread.mean()) / (spread.std() + 1e-8)
    return -_per_token(_ppo(_ratio(b), advantage[..., None], 0.2, 0.2), b)


def ppo_clip(b: Tensors) -> Tensor:
    return -_per_token(_ppo(_ratio(b), b["advantages"], 0.2, 0.2), b)


LOSSES: dict[str, Callable[[Tensors], Any]] = {
    loss.__name__: loss
    for loss in (
        reinforce, reinforce_baseline, rloo, grpo, dr_grpo, dapo, gspo, cispo, gmpo, sapo, luspo, maxrl, gpg, opo,
        reinforce_pp, ppo_clip,
    )
}  # fmt: skip
