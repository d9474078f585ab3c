"""verl 0.9.1's default losses, derived a second time in torch: advantages by its GRPO rule, six policy losses.

verl is not installed with the tests (it needs ray). These functions follow the description of its behaviour, not our
Protocol; they state the two guards that verl adds and we do not copy: log-ratios bounded to [-20, 20], and 1e-8 added
to lengths. Tensors have the shape (prompts, group, tokens).
"""

from collections.abc import Callable

import torch
from torch import Tensor

Tensors = dict[str, Tensor]


def _advantage(b: Tensors) -> Tensor:
    rewards = b["rewards"]
    if rewards.shape[1] == 1:
        return rewards / (1 + 1e-6)
    return (rewards - rewards.mean(1, keepdim=True)) / (torch.std(rewards, dim=1, keepdim=True) + 1e-6)


def _log_ratio(b: Tensors) -> Tensor:
    return torch.clamp(b["logp"] - b["logp_old"], -20.0, 20.0)


def _token_mean(loss: Tensor, b: Tensors) -> Tensor:
    return torch.where(b["mask"], loss, 0.0).sum() / b["mask"].sum()


def _seq_mean_token_mean(loss: Tensor, b: Tensors) -> Tensor:
    length = b["mask"].sum(-1)
    rows = torch.where(b["mask"], loss, 0.0).sum(-1) / (length + 1e-8)
    return rows.sum() / (length > 0).sum()


def vanilla(b: Tensors) -> Tensor:
    a, rho = _advantage(b)[..., None], torch.exp(_log_ratio(b))
    clipped = torch.maximum(-a * rho, -a * torch.clamp(rho, 0.8, 1.2))
    return _token_mean(torch.where(a < 0, torch.minimum(-a * 3.0, clipped), clipped), b)


def gspo(b: Tensors) -> Tensor:
    a, length = _advantage(b)[..., None], b["mask"].sum(-1).clamp(min=1)
    mean = torch.where(b["mask"], b["logp"] - b["logp_old"], 0.0).sum(-1) / length
    # Straight-through at token level: value s_i, gradient s_i times that of the token's log-prob.
    s = torch.exp(torch.clamp(b["logp"] - b["logp"].detach() + mean.detach()[..., None], max=10.0))
    return _token_mean(torch.maximum(-a * s, -a * torch.clamp(s, 0.8, 1.2)), b)


def sapo(b: Tensors) -> Tensor:
    a, rho = _advantage(b)[..., None], torch.exp(_log_ratio(b))
    tau = 1.05 - 0.05 * (a > 0).double()
    return _seq_mean_token_mean(-torch.sigmoid(tau * (rho - 1)) * (4 / tau) * a, b)


def gpg(b: Tensors) -> Tensor:
    return _token_mean(-b["logp"] * _advantage(b)[..., None], b)


def geo_mean(b: Tensors) -> Tensor:
    a, length = _advantage(b), b["mask"].sum(-1)
    sign, x = torch.sign(a)[..., None], b["logp"] - b["logp_old"]
    kept = sign * torch.minimum(sign * x, sign * torch.clamp(x, -0.2, 0.2))
    ratio = torch.exp(torch.where(b["mask"], kept, 0.0).sum(-1) / (length + 1e-8))
    # The advantage is averaged over the response's tokens: zero for a response without any.
    return (-(a * length / (length + 1e-8)) * ratio).mean()


def cispo(b: Tensors) -> Tensor:
    weight = torch.clamp(torch.exp(_log_ratio(b)), 0.8, 1.2).detach()
    return _token_mean(-weight * _advantage(b)[..., None] * b["logp"], b)


LOSSES: dict[str, Callable[[Tensors], Tensor]] = {
    loss.__name__: loss for loss in (vanilla, gspo, sapo, gpg, geo_mean, cispo)
}
