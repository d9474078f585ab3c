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
from pycore.block import over_blocks
from pycore.domain import Array
from pycore.kl import kl_estimate
from pycore.protocol import Protocol
from pycore.ratio import Floats
from pycore.selection import Selection, needed, select
from pycore.surrogate import PolicyTerm, policy_term

__all__ = ["Batch", "Evaluation", "evaluate"]

# Tokens handled at once: few enough to stay in cache and to cost little memory, enough to hide NumPy's call overhead.
BLOCK = 1 << 17


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
        informative_share: share of groups whose rewards, as the protocol shapes and drops them, differ.
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
    chosen = select(protocol, batch)
    weights = response_weights(
        chosen.lengths, protocol.aggregation, max_tokens=protocol.max_tokens, counted=chosen.counted
    )
    beta = protocol.kl_coefficient if protocol.kl_placement == "loss" else 0.0
    exact_beta = beta if protocol.kl == "exact" else 0.0
    tokens = _token_terms(protocol, batch, chosen, weights, beta - exact_beta)
    penalty, entropy, entropy_weights = tokens.penalty, np.zeros_like(weights), np.zeros_like(weights)
    if exact_beta > 0:
        penalty = _response_sums(needed(batch, "kl"), batch, chosen)
    if protocol.entropy_coefficient > 0:
        entropy = _response_sums(needed(batch, "entropy"), batch, chosen)
        by_mean = protocol.entropy_aggregation == "token_mean"
        mean_weights = response_weights(chosen.lengths, "token_mean") if by_mean else weights
        entropy_weights = protocol.entropy_coefficient * mean_weights
    policy_loss = -batch.loss_scale * float(np.vdot(weights, tokens.policy))
    kl_loss = batch.loss_scale * beta * float(np.vdot(weights, penalty))
    entropy_loss = -batch.loss_scale * float(np.vdot(entropy_weights, entropy))
    signed = _signed_tokens(chosen, batch)
    clip_shares = np.divide(tokens.held, signed, out=np.full(2, np.nan), where=signed > 0)
    return Evaluation(
        loss=policy_loss + kl_loss + entropy_loss,
        policy_loss=policy_loss,
        kl_loss=kl_loss,
        entropy_loss=entropy_loss,
        grad=tokens.grad,
        grad_kl=batch.loss_scale * exact_beta * weights,
        grad_entropy=-batch.loss_scale * entropy_weights,
        advantages=chosen.advantages,
        ratio=tokens.ratio,
        kl=tokens.kl,
        weights=weights,
        lengths=chosen.lengths,
        clip_share_positive=float(clip_shares[0]),
        clip_share_negative=float(clip_shares[1]),
        informative_share=1.0 - float(np.mean(flat_groups(chosen.rewards))),
    )


@dataclass(frozen=True, eq=False)
class _TokenTerms:
    """What one pass over the tokens finds: per-response sums, per-token arrays, and the tokens held by a bound."""

    policy: Array
    penalty: Array
    grad: Floats
    ratio: Floats
    kl: Floats | None
    held: Array


def _token_terms(protocol: Protocol, batch: Batch, chosen: Selection, weights: Array, beta: float) -> _TokenTerms:
    """Surrogate and estimated KL of every response; `beta` is 0 when no estimator is wanted in the loss."""
    shape, rows, width = batch.shape, weights.size, batch.shape[2]
    reference = needed(batch, "logp_ref").reshape(rows, width) if beta > 0 else None
    logp, logp_old = batch.logp.reshape(rows, width), batch.logp_old.reshape(rows, width)
    mask = batch.mask.reshape(rows, width)
    advantages = chosen.advantages.reshape((rows, width) if chosen.advantages.ndim == 3 else rows)
    weight, kept, lengths = weights.reshape(rows, 1), chosen.kept.reshape(rows, 1), chosen.lengths.reshape(rows)

    by_token = protocol.ratio == "token"
    grad, ratio = np.empty_like(logp), np.empty_like(logp if by_token else logp[:, :1])
    kl = None if reference is None else np.empty_like(logp)
    policy, penalty = np.zeros(rows), np.zeros(rows)
    # A sequence ratio takes few passes over the tokens, so there its calls weigh more than the cache.
    step, whole = max(1, (1 if by_token else 2) * BLOCK // width), bool(chosen.kept.all())

    def fill(start: int) -> list[int]:
        block = slice(start, start + step)
        active = mask[block] if whole else mask[block] & kept[block]
        present = active.astype(logp.dtype)  # as numbers, by which multiplying is quicker than choosing

        def tamed(values: Floats) -> Floats:
            """Nothing that could overflow or spread: zero at inactive entries unless all are moderate numbers."""
            return values[block] if batch.moderate else np.where(active, values[block], logp.dtype.type(0))

        now = tamed(logp)
        place = ratio[block] if by_token else None
        old, length = tamed(logp_old), lengths[block]
        term = policy_term(protocol, now, old, active, present, length, advantages[block], place)
        policy[block], slope = term.value, term.derivative
        if term.ratio is not place:
            ratio[block] = term.ratio
        if kl is not None and reference is not None:
            kl[block], kl_slope = _kl_term(protocol, now, tamed(reference), present, term)
            penalty[block], slope = kl[block].sum(axis=1), slope - now.dtype.type(beta) * kl_slope
        scale = (-batch.loss_scale * weight[block]).astype(grad.dtype)
        np.multiply(present, scale * slope if slope.shape[1] == 1 else slope, out=grad[block])
        if slope.shape[1] > 1:
            grad[block] *= scale
        return _held_tokens(advantages[block], term.clipped, active, length)

    held = np.sum([[0, 0], *over_blocks(fill, range(0, rows, step))], axis=0)
    return _TokenTerms(
        policy.reshape(weights.shape),
        penalty.reshape(weights.shape),
        grad.reshape(shape),
        ratio.reshape(shape if by_token else weights.shape),
        None if kl is None else kl.reshape(shape),
        held,
    )


def _kl_term(
    protocol: Protocol, logp: Floats, reference: Floats, active: Floats, term: PolicyTerm
) -> tuple[Floats, Floats]:
    """Per-token KL terms (0 at inactive tokens), and the derivative of their sum by each active log-prob."""
    estimate = kl_estimate(logp, reference, protocol.kl)
    plain = np.multiply(estimate.value, active, out=estimate.value)
    if protocol.kl_gradient == "k2":
        return plain, logp - reference
    if not protocol.kl_ratio:
        return plain, estimate.derivative
    value = plain * term.ratio
    if protocol.ratio == "token":
        return value, value + estimate.derivative * term.ratio
    # A sequence ratio depends on every token, so each log-prob moves the whole response's sum.
    through_ratio = value.sum(axis=1, keepdims=True)
    if protocol.ratio == "sequence_mean":
        through_ratio = through_ratio / np.maximum(active.sum(axis=1, keepdims=True), 1)
    return value, through_ratio + estimate.derivative * term.ratio


def _response_sums(values: Array, batch: Batch, chosen: Selection) -> Array:
    """Sum over the active tokens of each response, shape (prompts, group)."""
    active = batch.mask & chosen.kept[..., None]
    return np.asarray(np.sum(np.where(active, values, 0.0), axis=2, dtype=np.float64))


def _held_tokens(advantages: Array, clipped: Bools, active: Bools, lengths: Array) -> list[int]:
    """How many tokens with A > 0 and with A < 0 a bound holds."""
    if not clipped.any():
        return [0, 0]
    signs = (advantages > 0, advantages < 0)
    if advantages.ndim == 1 and clipped.shape[1] == 1:  # a bound holds whole responses
        return [int(lengths[sign & clipped[:, 0]].sum()) for sign in signs]
    held = active & clipped
    return [int(np.count_nonzero(held[sign] if sign.ndim == 1 else held & sign)) for sign in signs]


def _signed_tokens(chosen: Selection, batch: Batch) -> Array:
    """Active tokens with A > 0 and with A < 0."""
    signs = (chosen.advantages > 0, chosen.advantages < 0)
    if chosen.advantages.ndim == 2:
        return np.array([chosen.lengths[sign].sum() for sign in signs])
    active = batch.mask & chosen.kept[..., None]
    return np.array([np.count_nonzero(active & sign) for sign in signs], dtype=np.float64)
