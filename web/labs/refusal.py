"""What pycore refuses, said in the reader's language: its errors speak English, a page may not."""

import re
from functools import cache
from typing import Any, NamedTuple

from pycore.domain import DomainError
from pycore.rows import EntryError
from web import labs
from web.labs.texts import load

SPOKEN = "en"  # the language of pycore's own errors
LONGEST = 60
PLACE = re.compile(r"\{(\w+)\}")


class Phrase(NamedTuple):
    """One phrase of pycore, and how the reader's language says it."""

    spoken: re.Pattern[str]
    template: str


def sentence(error: DomainError, language: str, field: str = "") -> str:
    """One sentence that names what was refused, the value and what is allowed.

    Args:
        error: as pycore raised it.
        language: of the page.
        field: how the page calls the argument; without it the argument is named as a place in a file.
    """
    place = {"row": error.row, "column": error.column} if isinstance(error, EntryError) else {}
    template: str = _words(language)["problems"]["entry" if place else "out_of_range"]
    value = said("null" if error.value is None else str(error.value)[:LONGEST], language, "value")
    return template.format(
        field=field or said(error.argument, language, "place"),
        value=value,
        allowed=said(error.allowed, language),
        **place,
    )


def said(text: str, language: str, kind: str = "allowed") -> str:
    """A phrase of pycore in another language; what is no phrase, such as a range of numbers, stays as it is.

    Args:
        text: what pycore says.
        language: of the page.
        kind: what it says there: `place`, `value` or `allowed`. A learner's own text is no phrase of ours.

    >>> said("a list of at most 10 numbers", "ru")
    'список, в котором чисел не больше 10'
    >>> said("0..1", "ru")
    '0..1'
    """
    if language == SPOKEN:
        return text
    for phrase in _phrases(language, kind):
        if found := phrase.spoken.fullmatch(text):
            parts = {name: said(part, language, kind) for name, part in found.groupdict().items()}
            return phrase.template.format(**parts)
    return text


@cache
def _words(language: str) -> dict[str, Any]:
    return load(labs.HERE, language)


@cache
def _phrases(language: str, kind: str) -> tuple[Phrase, ...]:
    """Those that say most first: another one's open place would swallow the rest of them."""
    spoken, wanted = (_words(code)["refusal"][kind] for code in (SPOKEN, language))
    ordered = sorted(spoken, key=lambda name: -len(PLACE.sub("", spoken[name])))
    return tuple(Phrase(_pattern(spoken[name]), wanted[name]) for name in ordered)


def _pattern(template: str) -> re.Pattern[str]:
    parts = PLACE.split(template)  # text and names in turn
    return re.compile("".join(f"(?P<{p}>.+?)" if odd % 2 else re.escape(p) for odd, p in enumerate(parts)), re.DOTALL)
