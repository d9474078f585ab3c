"""Reading an entry of a TOML file: only what is allowed, and every text in both languages."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from web.builder.course import CourseError
from web.labs.texts import LANGUAGES


def both(where: object, entry: Any) -> dict[str, str]:
    """The text of each language.

    Raises:
        CourseError: a language is missing or empty.
    """
    for language in LANGUAGES:
        text = entry.get(language) if isinstance(entry, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            raise CourseError(f"{where} lacks its text in `{language}`")
    # The first line keeps its indentation: it may be a line of a program.
    return {language: entry[language].strip("\n").rstrip() for language in LANGUAGES}


def only(where: object, entry: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    """Nothing but the allowed keys.

    Raises:
        CourseError: names the first unknown one.
    """
    if unknown := sorted(set(entry) - set(allowed)):
        raise CourseError(f"{where} has the unknown entry `{unknown[0]}`; allowed are {', '.join(allowed)}")


def toml(path: Path) -> dict[str, Any]:
    """A TOML file.

    Raises:
        CourseError: it is missing or not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CourseError(f"{path} is missing") from error
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: {error}") from error
