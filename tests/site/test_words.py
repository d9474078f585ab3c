"""Oracle: the code that quotes the words. Both languages say the same things, and nothing that is quoted is missing."""

from pathlib import Path

import pytest

from pycore.control import Choice
from pycore.scenario import Scenario
from web import labs
from web.builder import words
from web.labs import engine
from web.labs.figure import words_of
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
    state = engine.values_of(Scenario(name), name)
    frame = lab.frame(state)
    known = set(engine.quotable(frame, state))
    readouts = [readout["value"] for readout in text["readouts"].values()]
    for template in [*text["summary"].values(), *readouts, text["substituted"], text["predict"]["reveal"]]:
        assert words.quoted(template) <= known, template
    for source, template in text.get("labels", {}).items():
        assert words.quoted(template) <= known | set(frame.sources[source]), template
    assert set(text["table"]["columns"]) <= set(frame.rows)
    assert set(text.get("texts", {})) == set(frame.texts)


@each_lab
@each_language
def test_everything_declared_has_its_words_and_no_word_is_left_over(name: str, language: str) -> None:
    words, lab = engine.words(name, language), engine.lab_of(name)
    assert set(words["controls"]) == {control.name for control in lab.controls}
    for control in lab.controls:
        assert set(words["controls"][control.name]) <= {"label", "help", "options", "unit"}
        assert words["controls"][control.name]["label"]
        assert words["controls"][control.name]["help"]
        if isinstance(control, Choice):
            assert set(words["controls"][control.name]["options"]) == set(control.options)
    assert set(words["presets"]) == set(lab.presets)
    assert all(set(preset) == {"name", "text"} for preset in words["presets"].values())
    assert set(words["predict"]["options"]) == set(lab.predict.options)
    assert set(words.get("groups", {})) == set(lab.groups)


@each_lab
@each_language
def test_every_figure_and_mark_has_its_words(name: str, language: str) -> None:
    text, lab = engine.words(name, language), engine.lab_of(name)
    assert set(text["figures"]) - {"all"} == set(lab.figures)
    for key, figure in lab.figures.items():
        found = words_of(text, key)
        needed = {"title", "alt"} | {mark.key for mark in figure.marks if getattr(mark, "key", "")}
        assert needed <= set(found), key
        assert set(found) - needed <= {"x", "y", *(text["figures"].get("all", {}))}, key


@each_lab
@each_language
def test_every_preset_is_a_clean_address_and_the_surprise_differs_from_the_opening(name: str, language: str) -> None:
    lab = engine.lab_of(name)
    states = {key: engine.answer(name, language, engine.query_of(name, state)) for key, state in lab.presets.items()}
    for key, shown in states.items():
        assert shown["problems"] == [], key
        assert shown["fault"] == "", key
    assert len({shown["query"] for shown in states.values()}) == len(states), "two presets show one state"
    assert states["surprise"]["query"] != engine.answer(name, language, "")["query"]
