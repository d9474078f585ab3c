"""The policy term of a Protocol for a block of responses: which surrogate, at which ratio level."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pycore.protocol import Protocol
from pycore.ratio import (
    Floats,
    Surrogate,
    clipped_surrogate,
    importance_ratio,
    soft_gate,
    unclipped_surrogate,
    weighted_logprob,
)
from pycore.sequence_ratio import gamma_weight, geometric_surrogate


@dataclass(frozen=True)
class PolicyTerm:
    """The surrogate of a block of responses, to be maximised.

    Attributes:
        value: sum over the response's active tokens, shape (responses,).
        derivative: of `value` with respect to each log-prob, shape (responses, tokens) or (responses, 1) when all
            tokens of a response share it; meaningless at inactive tokens.
        ratio: importance ratio before any bound, shape (responses, tokens) or (responses, 1).
        clipped: where a bound is in force, shape as `ratio`, or per token for GMPO.
    """

    value: Floats
    derivative: Floats
    ratio: Floats
    clipped: NDArray[np.bool_]


def policy_term(
    protocol: Protocol,
    logp: Floats,
    logp_old: Floats,
    mask: NDArray[np.bool_],
    active: Floats,
    lengths: Floats,
    advantages: Floats,
    out: Floats | None = None,
) -> PolicyTerm:
    """The policy term of each response.

    Args:
        protocol: which surrogate.
        logp: current log-probs, moderate numbers at inactive tokens, shape (responses, tokens).
        logp_old: log-probs of the behaviour policy, likewise.
        mask: active tokens, likewise.
        active: `mask` as zeros and ones in the dtype of `logp`.
        lengths: active tokens of each response, shape (responses,).
        advantages: shape (responses,) or (responses, tokens).
        out: where the ratio of each token may be computed, shape and dtype of `logp`.

    Returns:
        PolicyTerm.

    Raises:
        DomainError: from the surrogates, for shapes and NaN.
    """
    log_ratio = np.subtract(logp, logp_old, out=out)
    if protocol.ratio.startswith("sequence"):
        return _by_response(protocol, log_ratio, mask, active, lengths.astype(logp.dtype), advantages)
    log_ratio *= active
    if protocol.ratio == "none":
        slope = np.broadcast_to(_column(advantages, logp), logp.shape)
        ones = np.ones((len(logp), 1), dtype=logp.dtype)
        return PolicyTerm(_total(slope * logp, active), slope, ones, np.zeros(ones.shape, dtype=bool))
    if protocol.clip == "gamma":
        weight = _column(gamma_weight(log_ratio, advantages, mask), logp) * _column(advantages, logp)
        return PolicyTerm(
            _total(weight * logp, active), weight, importance_ratio(log_ratio), np.zeros(logp.shape, dtype=bool)
        )
    token = _bounded(protocol, log_ratio, advantages, logp)
    return PolicyTerm(_total(token.value, active), token.derivative, token.ratio, token.clipped)


def _by_response(
    protocol: Protocol,
    log_ratio: Floats,
    mask: NDArray[np.bool_],
    active: Floats,
    length: Floats,
    advantages: Floats,
) -> PolicyTerm:
    if protocol.clip == "geometric":
        whole = geometric_surrogate(log_ratio, advantages, mask, low=protocol.clip_low, high=protocol.clip_high)
        # Each of the `length` tokens carries the response's value; the mean inside exp divides by `length` again.
        return PolicyTerm(whole.value * length, whole.derivative, whole.ratio[:, None], whole.clipped)
    exponent = _total(log_ratio, active)[:, None]
    if protocol.ratio == "sequence_mean":
        exponent = exponent / np.maximum(length, 1)[:, None]
    whole = _bounded(protocol, exponent, advantages, exponent)
    per_token = whole.derivative if protocol.ratio == "sequence_mean" else whole.derivative * length[:, None]
    return PolicyTerm(whole.value[:, 0] * length, per_token, whole.ratio, whole.clipped)


def _bounded(protocol: Protocol, log_ratio: Floats, advantages: Floats, logp: Floats) -> Surrogate:
    spare = log_ratio if log_ratio is not logp else None  # not needed again, so the ratio may take its place
    if protocol.clip == "none":
        return unclipped_surrogate(log_ratio, advantages)
    if protocol.clip == "soft":
        positive, negative = protocol.tau_positive, protocol.tau_negative
        return soft_gate(log_ratio, advantages, tau_positive=positive, tau_negative=negative)
    if protocol.clip == "weight":
        floor, ceiling = protocol.weight_floor, protocol.weight_ceiling
        return weighted_logprob(log_ratio, advantages, logp, floor=floor, ceiling=ceiling, out=spare)
    cap = {protocol.clip: protocol.clip_cap} if protocol.clip_cap is not None else {}
    return clipped_surrogate(log_ratio, advantages, low=protocol.clip_low, high=protocol.clip_high, out=spare, **cap)


def _column(advantages: Floats, like: Floats) -> Floats:
    column = advantages if advantages.ndim == 2 else advantages[:, None]
    return column.astype(like.dtype)


def _total(values: Floats, active: Floats) -> Floats:
    return np.asarray(np.vecdot(values, active))
