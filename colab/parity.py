"""One batch, three ways to its loss: the core with our policy, TRL's trainer, and the formula in plain NumPy."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from colab.mapping import adopt
from colab.policy import LoraPolicy
from colab.prefix import attended
from colab.trl import fixed
from colab.trl_practice import TrlPractice
from pycore.batch import Batch
from pycore.domain import Array
from pycore.objective import evaluate
from pycore.policy import Rollout
from pycore.protocol import Protocol
from pycore.ratio import Floats
from pycore.train.task import Graded


@dataclass(frozen=True)
class Parity:
    """Losses of one batch and what differs.

    Attributes:
        loop: by `pycore.objective` on our policy's log-probs.
        trl: by `GRPOTrainer._compute_loss` with its own forward pass.
        numpy: by the formula written out.
        gradient: largest difference between an adapter's gradient in our loop and in TRL.
        largest: the largest such gradient.
        clipped: share of tokens whose ratio left the clip range: without any, half of the formula would go unseen.
    """

    loop: float
    trl: float
    numpy: float
    gradient: float
    largest: float
    clipped: float

    @property
    def worst(self) -> float:
        """The largest difference between two of the losses."""
        found = (self.loop, self.trl, self.numpy)
        return max(found) - min(found)


def parity(practice: TrlPractice, rollout: Rollout, graded: Graded) -> Parity:
    """Compares on a rollout that the model has moved away from: the ratios are not 1.

    Args:
        practice: plan and model; the plan's protocol must be one that TRL can follow, on one pass.
        rollout: sampled earlier.
        graded: its rewards.
    """
    policy, protocol = practice.policy, practice.plan.protocol
    scores = policy.logp(rollout)
    reference = policy.copy().logp(rollout).logp if protocol.kl_coefficient else None
    found = evaluate(
        protocol,
        Batch(
            scores.logp,
            rollout.logp,
            rollout.mask,
            graded.reward,
            logp_ref=reference,
            entropy=scores.entropy,
            truncated=rollout.truncated,
        ),
    )
    policy.backward(found.grad, found.grad_entropy if protocol.entropy_coefficient else None)
    mine = [weight.grad.clone() for weight in policy.trained if weight.grad is not None]
    loss, theirs = _by_trl(practice, policy, rollout, found.advantages, reference)
    ratio = np.exp(scores.logp - rollout.logp)[rollout.mask]
    outside = (ratio < 1 - protocol.clip_low) | (ratio > 1 + protocol.clip_high)
    return Parity(
        found.loss,
        loss,
        plain_loss(protocol, scores.logp, rollout, graded.reward, reference),
        max(float((one - other).abs().max()) for one, other in zip(mine, theirs, strict=True)),
        max(float(one.abs().max()) for one in mine),
        float(outside.mean()),
    )


def plain(protocol: Protocol) -> Protocol | None:
    """The protocol with TRL's fixed axes where `plain_loss` and TRL both know it, else None.

    >>> plain(Protocol(ratio="sequence_mean")) is None
    True
    """
    made = adopt(replace(protocol, accumulation="mean", dynamic_sampling=False, iterations=1), fixed(protocol))[0]
    known = (
        made.clip in ("symmetric", "asymmetric")
        and (made.ratio, made.baseline, made.truncation) == ("token", "mean", "keep")
        and made.scale in ("group_std", "none")
        and made.aggregation in ("response_mean", "token_mean", "constant", "sequence_sum")
        and not made.entropy_coefficient
        and (made.kl == "k3" or not made.kl_coefficient)
    )
    return made if known else None


def plain_loss(protocol: Protocol, logp: Floats, rollout: Rollout, reward: Array, reference: Floats | None) -> float:
    """The clipped surrogate of GRPO and its relatives by hand: no function of ours, so that it can disagree.

    Token ratios, group mean, group std with ddof, means over responses, tokens or a constant, and k3.
    """
    centred = reward - reward.mean(axis=1, keepdims=True)
    if protocol.scale == "group_std":
        centred = centred / (reward.std(axis=1, ddof=protocol.ddof, keepdims=True) + protocol.eps)
    advantage, mask = centred[..., None], rollout.mask
    ratio = np.exp(np.where(mask, logp - rollout.logp, 0.0))
    bounded = np.clip(ratio, 1 - protocol.clip_low, 1 + protocol.clip_high)
    term = -np.minimum(ratio * advantage, bounded * advantage)
    if reference is not None:
        gap = np.where(mask, reference - logp, 0.0)
        term = term + protocol.kl_coefficient * (np.exp(gap) - gap - 1) * (ratio if protocol.kl_ratio else 1.0)
    term = np.where(mask, term, 0.0)
    divisor = {
        "response_mean": mask.sum(axis=2) * mask.shape[0] * mask.shape[1],
        "token_mean": mask.sum(),
        "constant": mask.shape[0] * mask.shape[1] * protocol.max_tokens,
        "sequence_sum": mask.shape[0] * mask.shape[1],
    }[protocol.aggregation]
    return float((term.sum(axis=2) / divisor).sum())


def _by_trl(
    practice: TrlPractice, policy: LoraPolicy, rollout: Rollout, advantages: Array, reference: Floats | None
) -> tuple[float, list[torch.Tensor]]:
    """TRL's loss on the same ids, read by its own forward pass, and its gradient."""
    total = rollout.lengths.size
    trainer: Any = practice.trainer(
        per_device_train_batch_size=total, gradient_accumulation_steps=1, fp16=False, bf16=False
    )
    device = next(policy.model.parameters()).device

    def flat(values: Any, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(device=device, dtype=dtype).reshape(total, -1)

    prompts = flat(np.repeat(rollout.prompts, rollout.shape[1], axis=0), torch.long)
    inputs = {
        "prompt_ids": prompts,
        "prompt_mask": attended(prompts, policy.pad),
        "completion_ids": flat(rollout.tokens, torch.long),
        "completion_mask": flat(rollout.mask, torch.long),
        "advantages": flat(advantages)[:, 0],
        "old_per_token_logps": flat(rollout.logp),
        "ref_per_token_logps": None if reference is None else flat(reference),
        "num_items_in_batch": torch.tensor(float(rollout.mask.sum()), device=device),
    }
    for weight in policy.trained:
        weight.grad = None
    trainer.current_gradient_accumulation_steps = 1
    trainer.args.steps_per_generation = 1
    loss = trainer._compute_loss(policy.model, inputs)
    loss.backward()
    return float(loss.detach()), [weight.grad.clone() for weight in policy.trained if weight.grad is not None]
