"""One group update, computed exactly: loss, gradient with respect to the current log-probs, and diagnostics.

    loss = -(sum over active tokens of weight_i * surrogate_{i,t}) + beta * KL term - entropy bonus

Surrogates live in `pycore.ratio` and `pycore.sequence_ratio`, advantages in `pycore.advantages`, weights in
`pycore.aggregate`, KL estimators in `pycore.kl`; this module puts them together, block of responses by block of
responses, so that memory stays small. The gradient is a plain array: in torch, `logp.backward(from_numpy(grad))`.
"""

from dataclasses import dataclass

import numpy as np

from pycore.advantages import flat_groups
from pycore.aggregate import response_weights
from pycore.batch import Batch, Bools
from pycore.domain import Array
from pycore.kl import kl_estimate
from pycore.protocol import Protocol
from pycore.ratio import Floats
from pycore.selection import needed, select
from pycore.surrogate import PolicyTerm, policy_term

__all__ = ["Batch", "Evaluation", "evaluate"]

# Tokens handled at once: a block of every array fits the second-level cache.
BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a protocol makes of a batch.

    Attributes:
        loss: to be minimised; the sum of the three parts below. The batch's `loss_scale` is in all of them.
        policy_loss: minus the weighted surrogate.
        kl_loss: coefficient included.
        entropy_loss: minus the bonus, coefficient included.
        grad: d loss / d logp, shape (prompts, group, tokens), zero at inactive tokens, dtype of `logp`.
        grad_kl: d loss / d kl of each active token of a response, shape (prompts, group); for the exact KL.
        grad_entropy: d loss / d entropy of each active token of a response, shape (prompts, group).
        advantages: shape (prompts, group), or that of `logp` when the batch brought such.
        ratio: importance ratio before any bound, shape of `logp` with 1 at inactive tokens, or (prompts, group) for
            the sequence levels and without a ratio.
        kl: per-token estimate, shape of `logp`, 0 at inactive tokens; None without a KL term in the loss.
        weights: weight of each active token of a response in the loss, shape (prompts, group).
        lengths: active tokens, shape (prompts, group).
        clip_share_positive: share of active tokens with A > 0 whose ratio a bound holds; NaN when there are none.
        clip_share_negative: the same for A < 0.
        informative_share: share of groups whose rewards differ.
    """

    loss: float
    policy_loss: float
    kl_loss: float
    entropy_loss: float
    grad: Floats
    grad_kl: Array
    grad_entropy: Array
    advantages: Array
    ratio: Floats
    kl: Floats | None
    weights: Array
    lengths: Array
    clip_share_positive: float
    clip_share_negative: float
    informative_share: float


def evaluate(protocol: Protocol, batch: Batch) -> Evaluation:
    """Loss, exact gradient and diagnostics of a batch under a protocol.

    Args:
        protocol: how the update is computed.
        batch: the responses.

    Returns:
        Evaluation. A batch without any active token has loss 0 and a gradient of zeros.

    Raises:
        DomainError: the protocol needs an array that the batch lacks.

    >>> batch = Batch(np.full((1, 2, 1), -1.0), np.full((1, 2, 1), -1.0), np.ones((1, 2, 1), bool), [[1, 0]])
    >>> evaluate(Protocol(eps=0), batch).grad.ravel()
    array([-0.5,  0.5])

    Source: DeepSeekMath (2024) for the default protocol; every preset is checked against torch autograd.
    """
    rows, tokens = batch.shape[0] * batch.shape[1], batch.shape[2]
    chosen = select(protocol, batch)
    weights = response_weights(
        chosen.lengths, protocol.aggregation, max_tokens=protocol.max_tokens, counted=chosen.counted
    )
    beta = protocol.kl_coefficient if protocol.kl_placement == "loss" else 0.0
    exact = protocol.kl == "exact"
    reference = needed(batch, "logp_ref").reshape(rows, tokens) if beta > 0 and not exact else None
    logp, logp_old = batch.logp.reshape(rows, tokens), batch.logp_old.reshape(rows, tokens)
    mask = batch.mask.reshape(rows, tokens)
    advantages = chosen.advantages.reshape((rows, tokens) if chosen.advantages.ndim == 3 else rows)
    weight, kept = weights.reshape(rows), chosen.kept.reshape(rows, 1)

    by_token = protocol.ratio == "token"
    grad, ratio = np.empty_like(logp), np.empty_like(logp if by_token else logp[:, :1])
    kl = None if reference is None else np.empty_like(logp)
    policy, penalty, clips = np.zeros(rows), np.zeros(rows), np.zeros((2, 2))
    step = max(1, BLOCK // tokens)
    for block in (slice(start, start + step) for start in range(0, rows, step)):
        active = mask[block] & kept[block]
        now, before = np.where(active, logp[block], 0), np.where(active, logp_old[block], 0)
        term = policy_term(protocol, now, before, active, advantages[block])
        policy[block], ratio[block], slope = term.value, term.ratio, -term.derivative
        if kl is not None and reference is not None:
            kl[block], kl_slope = _kl_term(protocol, now, np.where(active, reference[block], 0), active, term)
            penalty[block], slope = kl[block].sum(axis=1), slope + now.dtype.type(beta) * kl_slope
        np.multiply(slope, (batch.loss_scale * weight[block, None]).astype(grad.dtype), out=grad[block])
        np.copyto(grad[block], 0, where=~active)
        clips += _clip_counts(advantages[block], active, term.clipped)

    if beta > 0 and exact:
        penalty = _row_sums(needed(batch, "kl"), batch.mask & chosen.kept[..., None])
    entropy_weights, bonus = np.zeros_like(weights), np.zeros(rows)
    if protocol.entropy_coefficient > 0:
        bonus = _row_sums(needed(batch, "entropy"), batch.mask & chosen.kept[..., None])
        by_mean = protocol.entropy_aggregation == "token_mean"
        entropy_weights = response_weights(chosen.lengths, "token_mean") if by_mean else weights
    entropy_weights = protocol.entropy_coefficient * entropy_weights
    clip_shares = np.divide(clips[0], clips[1], out=np.full(2, np.nan), where=clips[1] > 0)
    policy_loss = -batch.loss_scale * float(weight @ policy)
    kl_loss = batch.loss_scale * beta * float(weight @ penalty)
    entropy_loss = -batch.loss_scale * float(entropy_weights.reshape(rows) @ bonus)
    return Evaluation(
        loss=policy_loss + kl_loss + entropy_loss,
        policy_loss=policy_loss,
        kl_loss=kl_loss,
        entropy_loss=entropy_loss,
        grad=grad.reshape(batch.shape),
        grad_kl=batch.loss_scale * (beta if exact else 0.0) * weights,
        grad_entropy=-batch.loss_scale * entropy_weights,
        advantages=chosen.advantages,
        ratio=ratio.reshape(batch.shape if by_token else batch.shape[:2]),
        kl=None if kl is None else kl.reshape(batch.shape),
        weights=weights,
        lengths=chosen.lengths,
        clip_share_positive=float(clip_shares[0]),
        clip_share_negative=float(clip_shares[1]),
        informative_share=1.0 - float(np.mean(flat_groups(batch.rewards))),
    )


def _kl_term(
    protocol: Protocol, logp: Floats, reference: Floats, active: Bools, term: PolicyTerm
) -> tuple[Floats, Floats]:
    """Per-token KL terms (0 at inactive tokens) and the derivative of their sum with respect to each log-prob."""
    estimate = kl_estimate(logp, reference, protocol.kl)
    if protocol.kl_gradient == "k2":
        return estimate.value, logp - reference
    if not protocol.kl_ratio:
        return estimate.value, estimate.derivative
    value = estimate.value * term.ratio
    if protocol.ratio == "token":
        return value, value + estimate.derivative * term.ratio
    # A sequence ratio depends on every token, so each log-prob moves the whole response's sum.
    through_ratio = value.sum(axis=1, keepdims=True)
    if protocol.ratio == "sequence_mean":
        through_ratio = through_ratio / np.maximum(active.sum(axis=1, keepdims=True), 1).astype(value.dtype)
    return value, through_ratio + estimate.derivative * term.ratio


def _row_sums(values: Array, active: Bools) -> Array:
    return np.asarray(np.sum(np.where(active, values, 0.0), axis=2, dtype=np.float64)).ravel()


def _clip_counts(advantages: Array, active: Bools, clipped: Bools) -> Array:
    """Rows: held tokens, all tokens; columns: A > 0, A < 0."""
    held = active & clipped
    if advantages.ndim == 1:
        masks = [(held[sign], active[sign]) for sign in (advantages > 0, advantages < 0)]
    else:
        masks = [(held & sign, active & sign) for sign in (advantages > 0, advantages < 0)]
    return np.array([[np.count_nonzero(flags) for flags in pair] for pair in masks], dtype=np.float64).T
