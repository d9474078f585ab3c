"""Oracle: the native engine. Without scripts the pages are whole: text, formula, the default state in words."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import DIST, REPRESENTATIVE, Open, Watch, lab_paths
from tests.browser.driver import expected
from web import labs
from web.builder import links
from web.builder.course import content
from web.labs import engine
from web.labs.texts import LANGUAGES, load

SHELL = Path(__file__).parents[2] / "web" / "shell"
PAGES = sorted(path for path in DIST.rglob("*.html"))
without_scripts = pytest.mark.parametrize("options", [{"java_script_enabled": False}], ids=[""])
# With scripts off the browser refuses to preload them, and says so.
PRELOADED_MODULE = r"request failed: .*\.js csp"


@without_scripts
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["labs", "embed"])
def test_a_lab_reads_well_without_scripts(open_page: Open, watch: Watch, kind: str, language: str) -> None:
    watch.expected = [PRELOADED_MODULE]
    for name in REPRESENTATIVE:
        page = open_page(f"{language}/{kind}/{name}/", ready=False)
        text, wanted = engine.words(name, language), expected(name, language, {})
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator("h1").inner_text() == text["title"]
        assert page.locator("[data-summary]").inner_text() == wanted["summary"]
        assert page.locator("[data-readout]").all_inner_texts() == wanted["readouts"]
        rows = [row.locator("td").all_text_contents() for row in page.locator("[data-table] tr").all()]
        assert rows == wanted["table"]
        assert page.locator("thead th").count() == len(text["table"]["columns"])
        assert page.locator("noscript p").inner_text() == load(SHELL, language)["no_scripts"]
        assert page.locator("main").locator("button, input, select, textarea").filter(visible=True).count() == 0
        for width in (1000, 360):
            page.set_viewport_size({"width": width, "height": 800})
            words = page.locator(".plot > .still").filter(visible=True).locator("text:not([transform])")
            heights = words.evaluate_all("all => all.map(it => it.getBoundingClientRect().height)")
            assert len(heights) > 3
            assert min(heights) > 11, (name, width, heights)
        page.set_viewport_size({"width": 1280, "height": 720})
        if kind == "labs":
            side_by_side = text["formula"].count(r"\qquad") + 1
            assert page.locator(".formula math").count() == side_by_side
            assert [it.is_visible() for it in page.locator(".formula .katex-html").all()] == [True] * side_by_side
            assert page.locator(".tries a").count() == len(text["presets"])
            assert text["why"] in page.locator("main").inner_text()


@without_scripts
def test_nothing_that_needs_scripts_is_offered(open_page: Open, watch: Watch) -> None:
    watch.expected = [PRELOADED_MODULE]
    for path in ("labs/loop/", "embed/train/", "labs/dashboard/", "course/lesson-1/4/", "course/lesson-1/handout/"):
        page = open_page(f"ru/{path}", ready=False)
        assert page.locator("main").locator("button, .lab select").filter(visible=True).count() == 0, path


@without_scripts
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_front_page_and_the_list_name_every_lab(open_page: Open, watch: Watch, language: str) -> None:
    watch.expected = [PRELOADED_MODULE]
    for path in ("", "labs/"):
        page = open_page(f"{language}/{path}", ready=False)
        links = page.locator(".lab-list a, .stills a")
        assert links.all_inner_texts() == [engine.words(name, language)["title"] for name in labs.names()]
        for link, name in zip(links.all(), labs.names(), strict=True):
            assert link.evaluate("it => it.href").endswith(f"/courses/rlvr/{language}/labs/{name}/")


@without_scripts
def test_the_front_door_offers_both_languages(open_page: Open) -> None:
    page = open_page("", ready=False)
    for language in LANGUAGES:
        page.locator(f"a[href='{language}/']").wait_for()


@pytest.mark.parametrize(
    ("options", "language"),
    [({"locale": "en-GB"}, "en"), ({"locale": "ru-RU"}, "ru"), ({"locale": "de-DE"}, "ru")],
    ids=["en", "ru", "other"],
)
def test_the_front_door_leads_to_the_reader_s_language(open_page: Open, language: str) -> None:
    page = open_page("?p=0.3", ready=False)
    page.wait_for_url(f"**/{language}/?p=0.3")


# What a reader may follow out of the site.
SOURCES = {source.url for source in content.read().sources.values()}


class Scripts(HTMLParser):
    """Scripts with content of their own, and attributes that hold script."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        data = given.get("type") == "application/json"
        if tag == "script" and not data and not given.get("src"):
            self.found.append(str(given))
        self.found += [f"{tag} {key}" for key in given if key.startswith("on")]
        self.found += [f"{tag} {key}" for key, value in attrs if (value or "").strip().startswith("javascript:")]
        self.links += [given[key] or "" for key in ("src", "href") if key in given]


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.full, id="all"), pytest.param(9, id="some")])
def test_no_page_holds_an_inline_script_an_absolute_address_or_an_object_of_the_build(step: int) -> None:
    wrong = {}
    for path in PAGES[::step]:
        parser, text = Scripts(), path.read_text()
        parser.feed(text)
        absolute = {link for link in parser.links if link.startswith(("/", "http:", "https:"))} - SOURCES
        signs = [sign for sign in ("built-in method", "&lt;bound", " object at 0x", "Undefined") if sign in text]
        policy = [] if "Content-Security-Policy" in text else ["no policy"]
        if faults := [*parser.found, *absolute, *signs, *policy]:
            wrong[str(path.relative_to(DIST))] = faults
    assert wrong == {}


def test_every_link_of_the_built_site_leads_somewhere() -> None:
    assert links.check(DIST) > len(PAGES)


def shift(page: Any) -> float:
    """Sum of the layout shifts that no hand caused."""
    return float(page.evaluate("window.shifts.reduce((sum, one) => sum + one.value, 0)"))


@pytest.mark.parametrize(
    "options", [{"viewport": {"width": width, "height": 900}} for width in (1280, 360)], ids=["wide", "narrow"]
)
@pytest.mark.parametrize("path", ["ru/", *lab_paths("ru/labs/{}/"), "en/labs/signal/"])
def test_nothing_moves_while_a_page_wakes_up(open_page: Open, context: Any, path: str) -> None:
    context.add_init_script(
        """window.shifts = []
        new PerformanceObserver(list => {
          for (const one of list.getEntries()) {
            const nodes = one.sources.map(source => source.node?.className || source.node?.nodeName)
            if (!one.hadRecentInput) window.shifts.push({ value: one.value, nodes })
          }
        }).observe({ type: 'layout-shift', buffered: true })"""
    )
    page = open_page(path)
    page.wait_for_timeout(500)
    assert shift(page) < 0.02, page.evaluate("window.shifts")
