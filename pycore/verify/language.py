"""Language consistency: does a response keep to the language it was asked for?"""

import unicodedata

from pycore.domain import option

_SCRIPTS = {"en": "LATIN", "ru": "CYRILLIC"}


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
