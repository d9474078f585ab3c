"""Oracle: the code that quotes the words. Both languages say the same things, and nothing that is quoted is missing."""

from pathlib import Path

import pytest

from pycore.control import Choice
from pycore.scenario import Scenario
from web import labs
from web.builder import words
from web.labs import engine
from web.labs.texts import LANGUAGES, load

WEB = Path(__file__).parents[2] / "web"
folders = pytest.mark.parametrize("folder", words.folders(), ids=lambda folder: folder.name)
each_lab = pytest.mark.parametrize("name", labs.names())
each_language = pytest.mark.parametrize("language", LANGUAGES)


@folders
def test_both_languages_say_the_same_things(folder: Path) -> None:
    words.check(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('title = "When', 'name = "When'), "ru.toml lacks name"),
        (("{informative:.1%}", "much"), "quotes other values"),
        (('title = "When a group gives a signal"', 'title = " "'), "title is empty"),
    ],
)
def test_the_build_stops_at_a_word_that_one_language_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    folder = tmp_path / "web" / "signal"
    folder.mkdir(parents=True)
    for language in LANGUAGES:
        text = (WEB / "labs" / "signal" / f"{language}.toml").read_text(encoding="utf-8")
        (folder / f"{language}.toml").write_text(text.replace(*change) if language == "en" else text, encoding="utf-8")
    monkeypatch.setattr(words, "WEB", tmp_path / "web")
    with pytest.raises(words.WordsError, match=message):
        words.check(folder)


@folders
@each_language
def test_no_entry_is_empty_and_none_ends_in_a_space(folder: Path, language: str) -> None:
    for path, text in words.leaves(load(folder, language)):
        assert isinstance(text, str), path
        assert text == text.strip(), path
        assert text, path


@folders
def test_translations_are_in_their_own_alphabet(folder: Path) -> None:
    cyrillic = {
        path for path, text in words.leaves(load(folder, "en")) if any("а" <= letter.lower() <= "я" for letter in text)
    }
    assert cyrillic <= {"other_language"}


@each_lab
@each_language
def test_every_quoted_value_is_in_the_frame(name: str, language: str) -> None:
    text, lab = engine.words(name, language), engine.lab_of(name)
    frame = lab.frame(engine.values_of(Scenario(name), name))
    for template in [*text["summary"].values(), *(readout["value"] for readout in text["readouts"].values())]:
        assert words.quoted(template) <= set(frame.values), template
    for source, template in text.get("labels", {}).items():
        assert words.quoted(template) <= set(frame.values) | set(frame.sources[source]), template
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
