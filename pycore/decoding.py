"""From logits to the policy that really wrote the tokens: temperature, top-k, top-p, grammar mask.

The denominator of the importance ratio is this *behaviour* policy. Storing the raw softmax instead makes the ratio
wrong before any update, by the factor `ratio_error`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, Mask, boolean, scalar, whole
from pycore.domain import Array, DomainError, integer, option, same_shape, within

ORDERS = ("mask first", "mask last")


@dataclass(frozen=True)
class Decoding:
    """How tokens are sampled; part of a rollout's passport.

    Attributes:
        temperature: > 0. Zero is refused: dividing by it has no value, and the greedy rule is `greedy_log_probs`.
        top_k: keep the k most probable tokens, >= 1; None keeps all. Tokens tied with the k-th all stay.
        top_p: keep the fewest most probable tokens whose mass reaches p, in (0, 1]; exactly 1 keeps all. Among
            equal tokens the lower id is kept first.
        order: "mask first" forbids tokens before the filters, as generation libraries do; "mask last" forbids them
            after, which can leave nothing.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    order: str = "mask first"

    def __post_init__(self) -> None:
        scalar("temperature", self.temperature, 0, np.inf, open_low=True, open_high=True)
        if self.top_k is not None:
            whole("top_k", self.top_k, 1)
        scalar("top_p", self.top_p, 0, 1, open_low=True)
        option("order", self.order, ORDERS)


def behaviour_log_probs(logits: ArrayLike, decoding: Decoding, allowed: ArrayLike | None = None) -> Array:
    """Log-probs of the policy that samples with these settings; this is what a rollout must store.

    Args:
        logits: finite, or -inf for an impossible token, shape (..., vocabulary).
        decoding: temperature, filters and their order.
        allowed: True for tokens the grammar permits, shape of `logits`; None permits all.

    Returns:
        Normalised log-probs, -inf for tokens that cannot be sampled, shape (..., vocabulary).

    Raises:
        DomainError: NaN or +inf, a mask of another shape, or a row in which no token is left.

    >>> behaviour_log_probs([2.0, 1.0, 0.0], Decoding(top_k=2)).round(4).tolist()
    [-0.3133, -1.3133, -inf]

    Source: Fan et al. (2018) for top-k, Holtzman et al. (2019) for top-p; temperature, then top-k, then top-p.
    """
    score = _logits(logits)
    permitted = np.ones(score.shape, dtype=bool) if allowed is None else boolean("allowed", allowed)
    same_shape(logits=score, allowed=permitted)
    early = decoding.order == "mask first"
    start = _refuse_empty(np.where(permitted, score, -np.inf)) if early else score
    best = start.max(axis=-1, keepdims=True)
    # The best logit is moved to 0 before the division, so that a tiny temperature sends the rest to -inf, not to NaN.
    with np.errstate(over="ignore"):
        scaled = (start - best) / decoding.temperature
    if decoding.top_k is not None and decoding.top_k < scaled.shape[-1]:
        least = np.partition(scaled, -decoding.top_k, axis=-1)[..., [-decoding.top_k]]
        scaled = np.where(scaled >= least, scaled, -np.inf)
    if decoding.top_p < 1:
        scaled = np.where(_nucleus(scaled, decoding.top_p), scaled, -np.inf)
    if not early:
        scaled = _refuse_empty(np.where(permitted, scaled, -np.inf))
    return _normalise(scaled)


def raw_log_probs(logits: ArrayLike) -> Array:
    """Log-softmax of the logits: temperature 1, no filter, no mask.

    Args:
        logits: finite, or -inf for an impossible token, shape (..., vocabulary).

    Returns:
        Normalised log-probs, same shape.

    Raises:
        DomainError: NaN or +inf, or a row in which no token is possible.

    >>> raw_log_probs([0.0, 0.0]).round(4).tolist()
    [-0.6931, -0.6931]

    Source: definition.
    """
    return _normalise(_logits(logits))


def greedy_log_probs(logits: ArrayLike) -> Array:
    """Log-probs of always taking the most probable token: the limit of temperature 0 with a rule for ties.

    Args:
        logits: finite, or -inf for an impossible token, shape (..., vocabulary).

    Returns:
        0 for the most probable token (the lowest id among equals) and -inf elsewhere, same shape. Such a policy has
        no usable ratio: every other token has probability 0.

    Raises:
        DomainError: NaN or +inf, or a row in which no token is possible.

    >>> greedy_log_probs([1.0, 3.0, 3.0]).tolist()
    [-inf, 0.0, -inf]

    Source: definition.
    """
    score = _logits(logits)
    first = score.argmax(axis=-1)[..., None]
    return np.asarray(np.where(np.arange(score.shape[-1]) == first, 0.0, -np.inf))


def token_log_probs(log_probs: ArrayLike, tokens: ArrayLike) -> Array:
    """Log-prob of each sampled token.

    Args:
        log_probs: <= 0, -inf allowed, shape (..., vocabulary).
        tokens: ids, integers from 0 to vocabulary - 1, shape (...).

    Returns:
        Shape (...).

    Raises:
        DomainError: shapes that do not fit, an id out of range.

    >>> token_log_probs([[-0.5, -1.0]], [1]).tolist()
    [-1.0]

    Source: definition.
    """
    table = within("log_probs", log_probs, -np.inf, 1e-9)
    if table.ndim == 0 or table.shape[-1] == 0:
        raise DomainError("log_probs.shape", table.shape, "a last axis with at least one token")
    ids = integer("tokens", tokens, 0, table.shape[-1] - 1)
    if ids.shape != table.shape[:-1]:
        raise DomainError("tokens.shape", ids.shape, f"{table.shape[:-1]}, one id per row of log_probs")
    return np.asarray(np.take_along_axis(table, ids.astype(np.int64)[..., None], axis=-1)[..., 0])


def ratio_error(logits: ArrayLike, tokens: ArrayLike, decoding: Decoding, allowed: ArrayLike | None = None) -> Array:
    """The ratio of a policy to itself when raw softmax log-probs were stored as the denominator.

    Args:
        logits: finite, or -inf for an impossible token, shape (..., vocabulary).
        tokens: ids that this decoding can sample, shape (...).
        decoding: settings the tokens were sampled with.
        allowed: True for tokens the grammar permits, shape of `logits`; None permits all.

    Returns:
        behaviour probability / raw probability, shape (...); 1 means that storing the raw value did no harm.

    Raises:
        DomainError: as `behaviour_log_probs`, or a token that cannot have been sampled.

    >>> ratio_error([2.0, 1.0, 0.0], 0, Decoding(top_k=2)).round(3).tolist()
    1.099

    Source: definition of the importance ratio; curriculum of this course, three policies.
    """
    stored = token_log_probs(raw_log_probs(logits), tokens)
    true = token_log_probs(behaviour_log_probs(logits, decoding, allowed), tokens)
    if np.isneginf(true).any():
        raise DomainError(
            "tokens", int(np.asarray(tokens)[np.isneginf(true)].flat[0]), "tokens this decoding can sample"
        )
    return np.asarray(np.exp(true - stored))


def sample(log_probs: ArrayLike, generator: np.random.Generator) -> Index:
    """One token per row, drawn by the Gumbel-max rule.

    Args:
        log_probs: logits or log-probs, finite or -inf, shape (..., vocabulary).
        generator: source of randomness.

    Returns:
        Ids, shape (...); a token at -inf is never drawn.

    Raises:
        DomainError: NaN or +inf, or a row in which no token is possible.

    >>> sample([[-np.inf, 0.0]], np.random.default_rng(0)).tolist()
    [1]

    Source: Gumbel (1954); the argmax of logits plus Gumbel noise is a draw from their softmax.
    """
    score = _logits(log_probs)
    return np.asarray((score + generator.gumbel(size=score.shape)).argmax(axis=-1), dtype=np.int64)


def _logits(logits: ArrayLike) -> Array:
    score = within("logits", logits, -np.inf, np.inf, open_high=True)
    if score.ndim == 0 or score.shape[-1] == 0:
        raise DomainError("logits.shape", score.shape, "a last axis with at least one token")
    return _refuse_empty(score)


def _refuse_empty(score: Array) -> Array:
    if np.isneginf(score.max(axis=-1)).any():
        raise DomainError("logits", -np.inf, "at least one token left in each row after masks and filters")
    return score


def _nucleus(scaled: Array, top_p: float) -> Mask:
    order = np.argsort(-scaled, axis=-1, kind="stable")
    ranked = np.take_along_axis(np.exp(_normalise(scaled)), order, axis=-1)
    before = np.cumsum(ranked, axis=-1) - ranked
    kept = np.zeros(scaled.shape, dtype=bool)
    np.put_along_axis(kept, order, before < top_p, axis=-1)
    return kept


def _normalise(score: Array) -> Array:
    shifted = score - score.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
