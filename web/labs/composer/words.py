"""The composed protocol in the words of others: the nearest published name, TRL's arguments, verl's overrides."""

from collections.abc import Callable, Mapping
from typing import Any

from colab import trl, verl
from colab.mapping import UnmappedError, adopt
from pycore.nearest import Difference, Nearest
from pycore.protocol import Protocol
from pycore.protocol_words import AXES, LANGUAGES, describe

Texts = dict[str, str]
FIXED = {"ru": "библиотека считает иначе", "en": "the library computes this differently"}
REFUSED = {"ru": "не выразить в этой библиотеке", "en": "this library cannot compute"}
NOTHING = {"ru": "Всё выбранное сочетается.", "en": "Everything chosen goes together."}
INSTEAD = {"ru": "вместо него", "en": "instead"}


def nearest_words(nearest: Nearest) -> Texts:
    """The closest preset, one difference a line."""
    return {
        language: "\n".join([nearest.name, *(f"  {describe(one, language)}" for one in nearest.differences)])
        for language in LANGUAGES
    }


def excluded_words(made: Protocol, excluded: Mapping[str, Any]) -> Texts:
    """What was chosen and cannot be, and what is computed instead."""
    return {
        language: "\n".join(
            describe(Difference(axis, value, getattr(made, axis)), language).replace(
                ("preset", "у пресета")[language == "ru"], INSTEAD[language]
            )
            for axis, value in excluded.items()
        )
        or NOTHING[language]
        for language in LANGUAGES
    }


def trl_words(made: Protocol, group: int, tokens: int) -> Texts:
    """A GRPOConfig, or the axes that TRL cannot follow."""
    return _library(trl, trl.arguments, made, group, tokens, "GRPOConfig(\n", "    {}={!r},\n", ")")


def verl_words(made: Protocol, group: int, tokens: int) -> Texts:
    """verl's overrides, or the axes that it cannot follow."""
    return _library(verl, verl.overrides, made, group, tokens, "", "{}={}\n", "")


def _library(
    library: Any,
    mapping: Callable[..., dict[str, Any]],
    made: Protocol,
    group: int,
    tokens: int,
    begin: str,
    line: str,
    end: str,
) -> Texts:
    adopted, changed = adopt(made, library.fixed(made))
    texts = {}
    for column, language in enumerate(LANGUAGES):
        comments = [f"# {library.LIBRARY}"]
        comments += [
            f"# {FIXED[language]}: {AXES[axis][column]}, {wished} → {fixed}"
            for axis, (wished, fixed) in changed.items()
        ]
        try:
            values = mapping(adopted, group=group, response_tokens=tokens)
            body = begin + "".join(line.format(key, value) for key, value in values.items()) + end
        except UnmappedError as error:
            comments += [f"# {REFUSED[language]}: {AXES[axis][column]}" for axis in error.reasons]
            body = "\n".join(f"#   {axis}: {reason}" for axis, reason in error.reasons.items())
        texts[language] = "\n".join([*comments, body]).rstrip()
    return texts
