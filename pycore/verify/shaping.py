"""Components that do not look at the answer: length penalties and language consistency."""

import unicodedata

import numpy as np
from numpy.typing import ArrayLike

from pycore.domain import Array, DomainError, integer, option, same_shape

_SCRIPTS = {"en": "LATIN", "ru": "CYRILLIC"}


def overlong_penalty(length: ArrayLike, maximum: int, cache: int) -> Array:
    """DAPO's soft penalty for long responses.

    Args:
        length: response lengths in tokens, integers >= 0, shape (...).
        maximum: the length from which the whole penalty applies, an integer >= 1.
        cache: width of the ramp before it, an integer from 1 to `maximum`.

    Returns:
        0 up to `maximum - cache`, then (maximum - cache - length) / cache, and -1 beyond `maximum`; shape (...).

    Raises:
        DomainError: a length below 0 or not whole, or a ramp that does not fit.

    >>> overlong_penalty([10, 16, 18, 20, 30], maximum=20, cache=4)
    array([ 0. ,  0. , -0.5, -1. , -1. ])

    Source: DAPO (2025), soft overlong punishment.
    """
    tokens = integer("length", length, 0)
    whole, ramp = float(integer("maximum", maximum, 1)), float(integer("cache", cache, 1, maximum))
    # 0 inside, linear on the ramp, -1 outside; both ends are continuous, so clipping the line is the definition.
    return np.clip((whole - ramp - tokens) / ramp, -1.0, 0.0)


def kimi_length_reward(length: ArrayLike, correct: ArrayLike) -> Array:
    """Kimi k1.5's length reward within one group: shorter is better, and a wrong answer never earns from being short.

    Args:
        length: response lengths in tokens, integers >= 0, shape (..., group).
        correct: 1 for a correct response, 0 for a wrong one, the same shape.

    Returns:
        lambda = 0.5 - (length - min) / (max - min) for correct responses and min(0, lambda) for wrong ones, shape
        (..., group). When all lengths of a group are equal every entry is 0.

    Raises:
        DomainError: unequal shapes, an empty group, or entries outside their range.

    >>> kimi_length_reward([10, 20, 30], [1, 0, 0])
    array([ 0.5,  0. , -0.5])

    Source: Kimi k1.5 (2025), length penalty.
    """
    tokens, right = integer("length", length, 0), integer("correct", correct, 0, 1)
    same_shape(length=tokens, correct=right)
    if tokens.ndim == 0 or tokens.shape[-1] == 0:
        raise DomainError("length.shape", tokens.shape, "(..., group) with at least one response")
    shortest, longest = tokens.min(axis=-1, keepdims=True), tokens.max(axis=-1, keepdims=True)
    spread = longest - shortest
    # A group of equal lengths has no order to reward; the divisor 1 only avoids 0/0 in the branch not taken.
    share = np.where(spread > 0, 0.5 - (tokens - shortest) / np.where(spread > 0, spread, 1.0), 0.0)
    return np.where(right == 1, share, np.minimum(share, 0.0))


def language_consistency(text: str, language: str) -> float:
    """Share of a text's letters that belong to the script of the wanted language.

    Digits, spaces, punctuation and TeX commands (`\\frac`, `\\boxed`) belong to no language. Formula letters such as x
    do count as Latin.

    Args:
        text: a response.
        language: "en" (Latin) or "ru" (Cyrillic).

    Returns:
        A number in [0, 1]; 1.0 for a text without letters, since it mixes nothing.

    Raises:
        DomainError: another language.

    >>> language_consistency("ответ 42, ok", "ru").__round__(3)
    0.714

    Source: DeepSeek-R1 (2025) pays the share of target-language words; letters need no tokeniser.
    """
    script = _SCRIPTS[option("language", language, _SCRIPTS)]
    letters = [character for character in _without_commands(text) if character.isalpha()]
    if not letters:
        return 1.0
    return sum(unicodedata.name(letter, "").startswith(script) for letter in letters) / len(letters)


def _without_commands(text: str) -> str:
    first, *rest = text.split("\\")
    return first + "".join(piece.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") for piece in rest)
