"""Rewards that depend on the length of an answer: Kimi's length reward and DAPO's soft overlong penalty."""

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import boolean, whole
from pycore.domain import Array, DomainError, integer, same_shape


def kimi_length_reward(lengths: ArrayLike, correct: ArrayLike) -> Array:
    """Bonus for short and malus for long answers, relative to the other answers to the same prompt.

    lambda = 1/2 - (length - shortest) / (longest - shortest); a correct answer gets lambda, a wrong one
    min(0, lambda): being short never pays for a wrong answer.

    Args:
        lengths: tokens of each answer, integers >= 0, shape (..., group).
        correct: True for correct answers, same shape.

    Returns:
        Rewards in [-1/2, 1/2], shape (..., group); 0 for a group whose answers have one length.

    Raises:
        DomainError: mismatched shapes, no group axis, lengths below 0.

    >>> kimi_length_reward([100, 200, 300], [True, False, True]).tolist()
    [0.5, 0.0, -0.5]

    Source: Kimi k1.5 (2025), section 2.3.3; left out of the first phase of training there.
    """
    tokens, right = integer("lengths", lengths, 0), boolean("correct", correct)
    same_shape(lengths=tokens, correct=right)
    if tokens.ndim == 0 or tokens.shape[-1] == 0:
        raise DomainError("lengths.shape", tokens.shape, "a last axis with at least one answer")
    shortest, longest = tokens.min(axis=-1, keepdims=True), tokens.max(axis=-1, keepdims=True)
    spread = longest - shortest
    relative = np.where(spread > 0, 0.5 - (tokens - shortest) / np.where(spread > 0, spread, 1.0), 0.0)
    return np.asarray(np.where(right, relative, np.minimum(0.0, relative)))


def overlong_penalty(lengths: ArrayLike, limit: int, cache: int) -> Array:
    """DAPO's soft penalty: 0 up to limit - cache, then falling linearly to -1 at the limit, -1 beyond.

    Args:
        lengths: tokens of each answer, integers >= 0, shape (...).
        limit: the longest answer that is not cut, L_max >= 1.
        cache: width of the soft zone, L_cache, from 1 to limit.

    Returns:
        Penalties in [-1, 0], shape (...), to be added to the reward.

    Raises:
        DomainError: a length that is not whole or negative, a cache of 0 or wider than the limit.

    >>> overlong_penalty([1000, 1900, 2000, 2100], limit=2000, cache=200).tolist()
    [0.0, -0.5, -1.0, -1.0]

    Source: DAPO (2025), equation 13.
    """
    tokens = integer("lengths", lengths, 0)
    longest = whole("limit", limit, 1)
    width = whole("cache", cache, 1, longest)
    return np.asarray(np.clip((longest - width - tokens) / width, -1.0, 0.0))
