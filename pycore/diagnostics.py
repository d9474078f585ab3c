"""What to log next to the mean reward: entropy, clip shares, the tails of the ratio, lengths and stop reasons.

A share over no tokens is NaN: "nothing to measure" is not zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Mask, boolean, scalar
from pycore.domain import Array, DomainError, integer, real, same_shape, within


@dataclass(frozen=True)
class ClipShares:
    """Where the symmetric or asymmetric clip cuts the gradient, positive and negative advantages apart.

    Attributes:
        positive: share of tokens with A > 0 that lie above 1 + high, where the clip takes their gradient.
        negative: share of tokens with A < 0 that lie below 1 - low.
        idle: share of tokens with A != 0 outside the interval that keep their gradient all the same.
    """

    positive: float
    negative: float
    idle: float


@dataclass(frozen=True)
class RatioTails:
    """How far the current policy has moved from the one that wrote the data.

    Attributes:
        largest_deviation: max |rho - 1|; above rounding before the first update it points at a bug.
        low: the `tail` quantile of rho.
        high: the 1 - `tail` quantile of rho.
        outside: share of tokens whose ratio is above `bound` or below 1 / `bound`.
        effective_share: effective sample size of the weights rho over the number of tokens, in (0, 1].
    """

    largest_deviation: float
    low: float
    high: float
    outside: float
    effective_share: float


@dataclass(frozen=True)
class LengthStatistics:
    """Lengths and ends of answers.

    Attributes:
        mean: tokens.
        median: tokens.
        tail: the 95th percentile, in tokens.
        longest: tokens.
        ended: share of answers that stopped by themselves.
        truncated: share of answers cut at the limit.
        mean_ended: mean length of the answers that stopped by themselves; NaN when none did.
    """

    mean: float
    median: float
    tail: float
    longest: float
    ended: float
    truncated: float
    mean_ended: float


def token_entropy(logits: ArrayLike) -> Array:
    """Entropy of the distribution behind each row of logits (log-probs are logits too).

    Args:
        logits: finite, or -inf for a forbidden token, shape (..., vocabulary).

    Returns:
        Entropy in nats, shape (...), in [0, log vocabulary].

    Raises:
        DomainError: NaN or +inf, or a row in which every token is forbidden.

    >>> token_entropy([[0.0, 0.0], [0.0, -np.inf]]).round(4).tolist()
    [0.6931, 0.0]

    Source: Shannon (1948).
    """
    score = within("logits", logits, -np.inf, np.inf, open_high=True)
    if score.ndim == 0 or score.shape[-1] == 0:
        raise DomainError("logits.shape", score.shape, "a last axis with at least one token")
    best = score.max(axis=-1, keepdims=True)
    if np.isneginf(best).any():
        raise DomainError("logits", -np.inf, "at least one token that is not forbidden in each row")
    with np.errstate(over="ignore"):
        shifted = score - best
    weight = np.exp(shifted)
    total = weight.sum(axis=-1)
    # A forbidden token contributes 0 log 0 = 0; its -inf must not meet its 0.
    mean = (weight * np.where(weight > 0, shifted, 0.0)).sum(axis=-1) / total
    return np.asarray(np.maximum(0.0, np.log(total) - mean))


def mean_by_position(values: ArrayLike, mask: ArrayLike) -> Array:
    """Mean over responses of any per-token quantity (entropy, KL, ratio), position by position.

    Args:
        values: finite on the mask, shape (responses, tokens).
        mask: True for the tokens of a response, same shape, at least one.

    Returns:
        Shape (tokens,), NaN at a position that no response reaches. Late positions speak of long responses only.

    Raises:
        DomainError: not two axes, different shapes, an empty mask, NaN on the mask.

    >>> mean_by_position([[1.0, 4.0], [3.0, 0.0]], [[True, True], [True, False]]).tolist()
    [2.0, 4.0]

    Source: definition.
    """
    active = boolean("mask", mask)
    (flat,) = _on_mask(active, values=values)
    if active.ndim != 2:
        raise DomainError("mask.shape", active.shape, "(responses, tokens)")
    filled = np.zeros(active.shape)
    filled[active] = flat
    reached = active.sum(axis=0)
    return np.asarray(np.where(reached > 0, filled.sum(axis=0) / np.maximum(reached, 1), np.nan))


def clip_shares(ratio: ArrayLike, advantages: ArrayLike, mask: ArrayLike, low: float, high: float) -> ClipShares:
    """Shares of tokens whose gradient min(rho A, clip(rho) A) removes.

    Args:
        ratio: rho > 0 on the mask, shape (...).
        advantages: finite on the mask, one per token, same shape.
        mask: True for the tokens that train, same shape, at least one.
        low: the interval's lower end is 1 - low, in [0, 1].
        high: its upper end is 1 + high, >= 0.

    Returns:
        `ClipShares`.

    Raises:
        DomainError: different shapes, an empty mask, a ratio <= 0, NaN on the mask.

    >>> clip_shares([1.5, 1.5, 0.5, 0.5], [1, -1, 1, -1], [True] * 4, 0.2, 0.2)
    ClipShares(positive=0.5, negative=0.5, idle=0.5)

    Source: PPO (2017).
    """
    rho, gain = _on_mask(mask, ratio=ratio, advantages=advantages)
    rho = within("ratio", rho, 0, np.inf, open_low=True, open_high=True)
    lower, upper = 1 - scalar("low", low, 0, 1), 1 + scalar("high", high, 0, np.inf, open_high=True)
    above, below = rho > upper, rho < lower
    idle = ((gain > 0) & below) | ((gain < 0) & above)
    return ClipShares(_share(above[gain > 0]), _share(below[gain < 0]), _share(idle[gain != 0]))


def ratio_tails(log_ratio: ArrayLike, mask: ArrayLike, tail: float = 0.01, bound: float = 2.0) -> RatioTails:
    """Spread of the importance ratio over the tokens that train.

    Args:
        log_ratio: log pi - log pi_old, finite on the mask, shape (...).
        mask: True for the tokens that train, same shape, at least one.
        tail: quantile, in [0, 0.5].
        bound: > 1.

    Returns:
        `RatioTails`.

    Raises:
        DomainError: different shapes, an empty mask, NaN on the mask, tail or bound out of range.

    >>> ratio_tails([0.0, 0.0], [True, True]).largest_deviation
    0.0

    Source: definitions; effective sample size by Kish (1965).
    """
    (log_rho,) = _on_mask(mask, log_ratio=log_ratio)
    quantile = scalar("tail", tail, 0, 0.5)
    edge = np.log(scalar("bound", bound, 1, np.inf, open_low=True, open_high=True))
    # A ratio too large for a float is reported as inf, which is what it is.
    with np.errstate(over="ignore"):
        low, high = np.exp(np.quantile(log_rho, [quantile, 1 - quantile]))
        largest = np.abs(np.expm1(log_rho)).max()
    weight = np.exp(log_rho - log_rho.max())
    effective = weight.sum() ** 2 / (weight**2).sum() / len(weight)
    outside = np.mean(np.abs(log_rho) > edge)
    return RatioTails(float(largest), float(low), float(high), float(outside), float(effective))


def length_statistics(lengths: ArrayLike, truncated: ArrayLike) -> LengthStatistics:
    """Lengths of answers and how they ended; a rising mean alone has many causes.

    Args:
        lengths: tokens of each answer, integers >= 0, shape (answers,), at least one.
        truncated: True for answers cut at the limit, same shape.

    Returns:
        `LengthStatistics`.

    Raises:
        DomainError: different shapes, no answers, a negative length.

    >>> length_statistics([10, 20, 30], [False, False, True]).mean_ended
    15.0

    Source: definitions.
    """
    tokens, cut = integer("lengths", lengths, 0), boolean("truncated", truncated)
    same_shape(lengths=tokens, truncated=cut)
    if tokens.ndim != 1 or tokens.size == 0:
        raise DomainError("lengths.shape", tokens.shape, "(answers,) with at least one answer")
    median, tail = np.quantile(tokens, [0.5, 0.95])
    return LengthStatistics(
        mean=float(tokens.mean()),
        median=float(median),
        tail=float(tail),
        longest=float(tokens.max()),
        ended=float(1 - cut.mean()),
        truncated=float(cut.mean()),
        mean_ended=float(tokens[~cut].mean()) if not cut.all() else float("nan"),
    )


def _share(hits: Mask) -> float:
    return float(hits.mean()) if hits.size else float("nan")


def _on_mask(mask: ArrayLike, **values: ArrayLike) -> list[Array]:
    active = boolean("mask", mask)
    arrays = {name: real(name, value) for name, value in values.items()}
    same_shape(mask=active, **arrays)
    if not active.any():
        raise DomainError("mask", False, "at least one token that trains")
    return [
        within(name, array[active], -np.inf, np.inf, open_low=True, open_high=True) for name, array in arrays.items()
    ]
