"""Oracle: the code that quotes the words. Both languages say the same things, and nothing that is quoted is missing."""

import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pycore.control import Choice
from pycore.scenario import Scenario
from web import labs
from web.labs import engine
from web.labs.texts import LANGUAGES, load

WEB = Path(__file__).parents[2] / "web"
FOLDERS = [WEB / "shell", WEB / "labs", *(WEB / "labs" / name for name in labs.names())]
folders = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
each_lab = pytest.mark.parametrize("name", labs.names())
each_language = pytest.mark.parametrize("language", LANGUAGES)


def leaves(text: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Every word with the path that leads to it."""
    for key, value in text.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def fields(template: str) -> set[str]:
    """Names of the places that a template fills."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@folders
def test_both_languages_have_the_same_entries(folder: Path) -> None:
    first, second = (dict(leaves(load(folder, language))) for language in LANGUAGES)
    assert set(first) == set(second)


@folders
def test_both_languages_quote_the_same_values(folder: Path) -> None:
    first, second = (dict(leaves(load(folder, language))) for language in LANGUAGES)
    for path in first:
        if path.endswith("formula"):
            continue  # braces are TeX's there
        # A number may be turned the other way round in a sentence; what it quotes is the same.
        assert fields(first[path]) == fields(second[path]), path


@folders
@each_language
def test_no_entry_is_empty_and_none_ends_in_a_space(folder: Path, language: str) -> None:
    for path, text in leaves(load(folder, language)):
        assert isinstance(text, str), path
        assert text == text.strip(), path
        assert text, path


@folders
def test_translations_are_in_their_own_alphabet(folder: Path) -> None:
    cyrillic = {
        path for path, text in leaves(load(folder, "en")) if any("а" <= letter.lower() <= "я" for letter in text)
    }
    assert cyrillic <= {"other_language"}


@each_lab
@each_language
def test_every_quoted_value_is_in_the_frame(name: str, language: str) -> None:
    text, lab = engine.words(name, language), engine.lab_of(name)
    frame = lab.compute(engine.values_of(Scenario(name), name))
    for template in [*text["summary"].values(), *(readout["value"] for readout in text["readouts"].values())]:
        assert fields(template) <= set(frame.values), template
    for source, template in text.get("labels", {}).items():
        assert fields(template) <= set(frame.values) | set(frame.sources[source]), template
    assert set(text["table"]["columns"]) <= set(frame.table)


@each_lab
@each_language
def test_every_control_has_its_words_and_no_word_is_left_over(name: str, language: str) -> None:
    words, controls = engine.words(name, language)["controls"], engine.lab_of(name).controls
    assert set(words) == {control.name for control in controls}
    for control in controls:
        assert words[control.name]["label"]
        assert words[control.name]["help"]
        if isinstance(control, Choice):
            assert set(words[control.name]["options"]) == set(control.options)


@each_lab
@each_language
def test_what_the_text_suggests_to_try_is_a_clean_address(name: str, language: str) -> None:
    tries = engine.words(name, language)["tries"]
    assert tries
    for entry in tries.values():
        assert engine.answer(name, language, entry["query"])["problems"] == [], entry


@each_lab
def test_both_languages_suggest_the_same_addresses(name: str) -> None:
    first, second = (engine.words(name, language)["tries"] for language in LANGUAGES)
    assert {key: entry["query"] for key, entry in first.items()} == {
        key: entry["query"] for key, entry in second.items()
    }
