"""Oracle: the native engine's columns. The keyboard alone reads every figure's exact values, in both languages."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, lab_paths
from tests.browser.driver import Lab
from web.labs import engine
from web.labs.figure import Bars, Cells, Figure, Line, Points, words_of

DIGITS = {"number": 4, "percent": 3, "count": 1}  # after the point, of a share where it is a percentage
NUMBER = re.compile(r"[-−]?\d[\d\u00a0.,]*(?:e[+-]?\d+)?")


def told(figure: Figure, sources: dict[str, Any], words: dict[str, str]) -> list[Line | Points | Bars | Cells]:
    """The marks that have a tooltip and something to tell."""
    marks = [mark for mark in figure.marks if isinstance(mark, Line | Points | Bars | Cells) and mark.tip]
    axes = any(axis.shown and words.get(name) for name, axis in (("x", figure.x), ("y", figure.y)))
    own = [mark for mark in marks if axes or isinstance(mark, Cells) or getattr(mark, "told", "")]
    return [mark for mark in own if len(sources[mark.source][mark.x])]


def number(text: str, language: str) -> float:
    """The number that a text begins with."""
    match = NUMBER.match(text)
    assert match, text
    found = match[0].replace("−", "-").replace("\u00a0", "")
    plain = found.replace(",", ".") if language == "ru" else found.replace(",", "")
    return float(plain) / (100 if text[match.end() : match.end() + 1] == "%" else 1)


def check(page: Page, name: str, language: str, sources: dict[str, Any]) -> int:
    """Walks the first and the last point of every series of every figure; returns how many points were compared."""
    page.locator("#lab[data-reading=ready]").wait_for()
    text, compared = engine.words(name, language), 0
    for key, figure in engine.lab_of(name).figures.items():
        words, place = words_of(text, key), page.locator(f'.plotted:has([data-root="figure:{key}"]) .reading')
        marks = told(figure, sources, words)
        if marks:
            place.focus()
            expect(place.locator(".reading-line")).to_be_visible()
        for mark in marks:
            rows = sources[mark.source]
            for press, index in (("Home", 0), ("End", len(rows[mark.x]) - 1)):
                page.keyboard.press(press)
                line = place.locator(".reading-line span").inner_text()
                assert place.get_attribute("aria-valuetext") == line
                if mark.key and not isinstance(mark, Cells):
                    assert line.startswith(words[mark.key])
                for axis, column, label in ((figure.x, mark.x, words.get("x")), (figure.y, mark.y, words.get("y"))):
                    if label and axis.shown and axis.form in DIGITS:
                        allowed = 0.51 * 10.0 ** -DIGITS[axis.form]
                        # After the words of the key, which may begin as an axis's label does.
                        start = line.index(f"{label} ", len(words.get(mark.key, "")))
                        seen = number(line[start + len(label) + 1 :], language)
                        assert seen == pytest.approx(float(rows[column][index]), abs=allowed), line
                        compared += 1
            page.keyboard.press("ArrowDown")
    return compared


# Who prefers little motion is shown a process's telling frame, which is the one that Python answers with natively.
@pytest.mark.parametrize("options", [{"reduced_motion": "reduce"}], ids=[""])
@pytest.mark.parametrize("name", lab_paths())
def test_arrows_read_the_exact_values_of_every_figure(open_page: Open, name: str) -> None:
    for language in ("ru", "en"):
        sources = engine.answer(name, language, "")["sources"]
        lab = Lab(open_page(f"{language}/labs/{name}/"), name, language)
        lab.shows()
        text, figures = engine.words(name, language), engine.lab_of(name).figures
        any_told = any(told(figure, sources, words_of(text, key)) for key, figure in figures.items())
        assert (check(lab.page, name, language, sources) > 0) == any_told


def test_what_is_read_follows_the_controls_and_leaves_the_page_alone(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    place = lab.page.locator(".reading").first
    assert place.evaluate("it => getComputedStyle(it.firstChild).display") == "none"
    place.focus()
    before, controls = place.locator(".reading-line span").inner_text(), lab.look()["controls"]
    lab.page.keyboard.press("ArrowRight")
    assert place.locator(".reading-line span").inner_text() != before
    assert lab.look()["controls"] == controls
    lab.page.keyboard.press("Home")
    lab.slider("G").evaluate("it => { it.value = 32; it.dispatchEvent(new Event('input', { bubbles: true })) }")
    wanted = lab.shows(G=32)
    expect(lab.page.locator(".reading").nth(1)).to_have_attribute("aria-valuetext", wanted["labels"]["sizes"][0])
    lab.page.emulate_media(media="print")
    assert place.is_hidden()
