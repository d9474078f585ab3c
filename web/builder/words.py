"""The build's own check of the words: both languages hold the same entries and quote the same values, none is empty."""

import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from web import labs
from web.builder import BuildError
from web.labs.texts import LANGUAGES, load

WEB = Path(__file__).parents[1]


class WordsError(BuildError):
    """A word is missing in one language, is empty, or quotes something that the other language does not."""


def folders() -> list[Path]:
    """Every folder with a file for each language."""
    components = [WEB / name for name in labs.components()]
    parts = [path.parent for path in sorted((WEB / "course").glob("*/en.toml"))]
    own = (WEB / "labs" / name for name in labs.names())
    return [WEB / "shell", WEB / "labs", *components, *own, WEB / "course", *parts]


def leaves(text: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Every word with the path that leads to it."""
    for key, value in text.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def quoted(template: str) -> set[str]:
    """Names of the places that a template fills."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def check(folder: Path) -> None:
    """Compares the languages of one folder.

    Raises:
        WordsError: names the file, the entry and what is wrong.
    """
    words = {language: dict(leaves(load(folder, language))) for language in LANGUAGES}
    for language, entries in words.items():
        place = f"{folder.relative_to(WEB.parent)}/{language}.toml"
        for other, others in words.items():
            if missing := sorted(set(others) - set(entries)):
                raise WordsError(f"{place} lacks {', '.join(missing)}, which {other}.toml has")
        for path, text in entries.items():
            if not isinstance(text, str) or not text.strip():
                raise WordsError(f"{place}: {path} is empty or not a text")
            # In a formula braces are TeX's.
            if not path.endswith("formula") and quoted(text) != quoted(words[LANGUAGES[0]][path]):
                raise WordsError(f"{place}: {path} quotes other values than {LANGUAGES[0]}.toml")
