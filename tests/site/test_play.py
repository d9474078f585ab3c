"""Oracles: the Frame's own columns and the permalink. Every lab at its presets, at all bounds, at random settings."""

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.site.play import Setting, defaults, settings, telling
from web import labs
from web.labs import engine
from web.labs.contract import Lab
from web.labs.figure import Labels, Mark, expanded
from web.labs.frame import Frame
from web.labs.texts import LANGUAGES

FEW, MANY = 12, 200
BROKEN = re.compile(r"\b(nan|inf)\b|\bNone(?!:)\b|[{}]|np\.|array\(")
# Summaries of what only a learner's own run or file brings about; test_board shows them.
# What a process that waits to be asked says on its way stands in the test of its lab.
LATER = {
    "train": {"running", "ended"},
    "dashboard": {"many"},
    "step": {"sample", "verify", "advantages", "old", "new", "loss"},
    "loop": {"ask", "sample", "verify", "compare"},
}
each_lab = pytest.mark.parametrize("name", labs.names())
how_many = pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.full)])


def columns_of(mark: Mark) -> set[str]:
    """The columns that a mark reads."""
    places = ("x", "y", "x0", "y0", "x1", "y1", "low", "high", "left", "right", "base", "strength")
    named = {getattr(mark, place, "") for place in places}
    if isinstance(mark, Labels):
        named |= {one for one in (mark.dx, mark.dy, mark.align) if isinstance(one, str)} - {"left", "center", "right"}
    return named - {""}


def drawn_columns(lab: Lab) -> dict[str, set[str]]:
    """Source to the columns that figures read of it."""
    found: dict[str, set[str]] = {}
    for figure in lab.figures.values():
        for mark in expanded(figure).marks:
            found.setdefault(mark.source, set()).update(columns_of(mark))
    return found


def numeric(column: Any) -> bool:
    if isinstance(column, list) and any(isinstance(line, np.ndarray) for line in column):
        return False  # lines of several runs, which may have gaps
    return np.asarray(column).dtype.kind in "iufb"


def frames(lab: Lab, values: Setting) -> Iterator[Frame]:
    """What a lab shows: one frame, or all of a process; of one that waits to be asked what it shows then."""
    if lab.process is not None and not lab.process.autoplay:
        yield lab.frame(values)
        return
    found = lab.compute(values)
    yield from [found] if isinstance(found, Frame) else (frame for frame in found if isinstance(frame, Frame))


def check(name: str, values: Setting, drawn: dict[str, set[str]]) -> None:
    """One setting in both languages: nothing undefined is drawn, no sentence has a hole, the address leads back."""
    shown = {language: engine.respond(name, language, values) for language in LANGUAGES}
    for language, said in shown.items():
        assert said["fault"] == "", said["fault"]
        words = [said["summary"], said["substituted"], *said["readouts"], *said["texts"]]
        words += [cell for row in said["table"] for cell in row]
        assert not any(BROKEN.search(text) for text in words[:2]), words[:2]
        assert not any(text in ("nan", "inf", "None", "") for text in words), words
        lengths = {source: {len(column) for column in columns.values()} for source, columns in said["sources"].items()}
        assert all(len(found) == 1 for found in lengths.values()), lengths
        for source, columns in drawn.items():
            for column in columns:
                found = said["sources"][source][column]
                assert not numeric(found) or np.all(np.isfinite(found)), (source, column)
        assert language == "ru" or not any("а" <= letter <= "я" for text in words for letter in text.lower())
    again = engine.answer(name, "en", shown["en"]["query"])
    assert again["problems"] == []
    assert again["controls"] == shown["en"]["controls"]
    assert (again["summary"], again["table"]) == (shown["en"]["summary"], shown["en"]["table"])
    assert len(shown["ru"]["table"]) == len(shown["en"]["table"])
    for other, query in shown["en"]["onward"].items():
        opened = engine.state_of(other, "en", query)
        assert opened[1] == [], (other, query)


@each_lab
@how_many
def test_no_setting_breaks_a_lab(name: str, count: int) -> None:
    lab, drawn = engine.lab_of(name), drawn_columns(engine.lab_of(name))
    for values in settings(lab, count, seed=20):
        try:
            check(name, values, drawn)
        except Exception as error:
            error.add_note(f"at {values}")
            raise


@each_lab
def test_every_drawn_column_comes_from_the_frame_and_every_source_is_drawn(name: str) -> None:
    drawn = drawn_columns(engine.lab_of(name))
    for values in [defaults(engine.lab_of(name)), *list(telling(engine.lab_of(name)))[1:4]]:
        sources = engine.respond(name, "ru", values)["sources"]
        for source, columns in drawn.items():
            assert columns <= set(sources[source]), source
        table = engine.lab_of(name).frame(values).table
        assert set(sources) - set(drawn) <= ({table} if isinstance(table, str) else set()), "a source nobody draws"


@each_lab
def test_whatever_is_drawn_stands_in_the_table_or_in_words(name: str) -> None:
    """Some column of the table is one of a figure, or lies on its curve; else a text says what the figure shows."""
    frame = engine.frame(name)
    columns = [np.asarray(column, float) for column in frame.rows.values() if numeric(column)]
    drawn = [
        np.asarray(frame.sources[source][column], float)
        for source, wanted in drawn_columns(engine.lab_of(name)).items()
        if source in frame.sources
        for column in wanted
        if column in frame.sources[source] and numeric(frame.sources[source][column])
    ]
    assert columns
    seen = any(_on(cells, curve) for cells in columns for curve in drawn)
    assert seen or frame.texts or frame.extra, "no column of the table is drawn, and no text says what is"


def _on(cells: Any, curve: Any) -> bool:
    """Whether the finite cells lie among a curve's values, as close as its own steps."""
    cells, curve = cells[np.isfinite(cells)], curve[np.isfinite(curve)]
    if not cells.size or not curve.size:
        return False
    step = np.max(np.abs(np.diff(curve)), initial=0) if curve.size > 30 else 0.0
    near = np.min(np.abs(curve[:, None] - cells), axis=0)
    return bool(np.all(near <= step + 1e-9 * max(1.0, float(np.max(np.abs(cells))))))


@each_lab
def test_every_case_has_its_summary_and_every_summary_its_case(name: str) -> None:
    lab = engine.lab_of(name)
    for language in LANGUAGES:
        unmet = set(engine.words(name, language)["summary"]) - LATER.get(name, set())
        for values in settings(lab, 400, seed=22):
            for frame in frames(lab, values):
                assert frame.case in engine.words(name, language)["summary"], values
                unmet.discard(frame.case)
            if not unmet:
                break
        assert not unmet, f"no preset, no bound and no random setting shows the summary {unmet}"
        break  # both languages have the same entries, as test_words sees


@each_lab
def test_the_same_setting_gives_the_same_answer(name: str) -> None:
    first, second = (engine.answer(name, "ru", "") for _ in range(2))
    for source, columns in first["sources"].items():
        for column, values in columns.items():
            # A column of lines holds arrays of different lengths.
            for one, other in zip(values, second["sources"][source][column], strict=True):
                np.testing.assert_array_equal(one, other)


@each_lab
def test_the_question_is_answered_by_the_state_it_opens(name: str) -> None:
    lab = engine.lab_of(name)
    assert len(lab.predict.options) >= 2
    for language in LANGUAGES:
        said = engine.reveal(name, language)
        assert not BROKEN.search(said), said


@each_lab
def test_the_surprise_shows_other_numbers_than_the_opening(name: str) -> None:
    lab = engine.lab_of(name)
    surprise = engine.respond(name, "en", {**defaults(lab), **lab.presets["surprise"]})
    opening = engine.answer(name, "en", "")
    assert (surprise["summary"], surprise["table"]) != (opening["summary"], opening["table"])
    assert all(math.isfinite(value) for value in opening["controls"].values() if isinstance(value, float))
