"""Oracle: axe-core's rules, and the geometry that the browser reports. Everybody can read and operate every page."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, lab_paths
from web import labs
from web.builder.fetch import unpack
from web.labs.texts import LANGUAGES

AXE = unpack("axe-core.tgz", Path(__file__).parents[2] / ".cache") / "axe.min.js"
RULES: dict[str, Any] = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"target-size": {"enabled": True}, "color-contrast": {"enabled": True}},
    "resultTypes": ["violations"],
}
WIDTHS = (1280, 360)
THEMES = ("light", "dark")
# Ordinarily each kind of page once, and both languages where most comes together; everything else under `-m full`.
ORDINARY = {
    ("", "ru"),
    ("", "en"),
    ("embed/signal/", "ru"),
    ("labs/signal/", "ru"),
    ("labs/signal/", "en"),
    ("labs/advantage/", "ru"),
    ("labs/condorcet/", "en"),
}
LAB_PAGES = [
    pytest.param(path, language, marks=() if (path, language) in ORDINARY else pytest.mark.full)
    for path in ("", "embed/signal/", *(f"labs/{name}/" for name in labs.names()))
    for language in LANGUAGES
]


@pytest.fixture
def options() -> dict[str, Any]:
    """axe comes in from outside, which the pages' own policy rightly refuses; the other files test that policy."""
    return {"bypass_csp": True}


def violations(page: Page) -> list[str]:
    """What axe has against the page as it stands."""
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    found = page.evaluate("rules => axe.run(document, rules)", RULES)["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]


def check(page: Page, state: str) -> list[str]:
    """Looks at the page in both themes and both widths; reports what is wrong in words."""
    wrong: list[str] = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.wait_for_timeout(100)
            wrong += [f"{state}, {width} px, {theme}: {fault}" for fault in violations(page)]
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if overflow > 0:
            wrong.append(f"{state}, {width} px: {overflow} px wider than the screen")
    return wrong


def cut(page: Page) -> list[str]:
    """Tables and formulas of the text, at 320 pixels: those that do not fit and must be scrolled sideways."""
    page.set_viewport_size({"width": 320, "height": 800})
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('main .scroll, main .formula')]
          .filter(it => !it.closest('.lab') && it.scrollWidth > it.clientWidth + 1)
          .map(it => it.textContent.slice(0, 60))"""
    )
    if page.evaluate("document.documentElement.scrollWidth") > 320:
        found.append("the page itself")
    return found


@pytest.mark.parametrize("path", ["404.html", "ru/labs/", "en/labs/"])
def test_pages_without_a_lab_have_no_barriers(open_page: Open, path: str) -> None:
    assert check(open_page(path, ready=False), path) == []


@pytest.mark.parametrize("options", [{"bypass_csp": True, "java_script_enabled": True, "locale": "en"}], ids=[""])
def test_the_front_door_has_no_barriers(open_page: Open, context: Any) -> None:
    context.route("**/enter.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    assert check(open_page("", ready=False), "the front door") == []


@pytest.mark.parametrize(("path", "language"), LAB_PAGES)
def test_pages_with_a_lab_have_no_barriers(open_page: Open, path: str, language: str) -> None:
    assert check(open_page(f"{language}/{path}"), path) == []


@pytest.mark.parametrize("language", ["ru", pytest.param("en", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", lab_paths())
def test_open_help_and_wrong_input_have_no_barriers(open_page: Open, name: str, language: str) -> None:
    page = open_page(f"{language}/labs/{name}/?nonsense=1")
    # A control that does not matter in the present state is hidden, and so are its help and its field.
    for question in filter(Locator.is_visible, page.locator("button.icon[aria-expanded]").all()):
        question.click()
    # A free text is never wrong, nor is a choice or a switch, and these may be all that a lab's first state asks for.
    fields = [*filter(Locator.is_visible, page.locator("input.field, .slot-rows textarea").all())]
    for field in fields:
        field.fill("oops")
        field.press("Control+Enter" if field.evaluate("it => it.localName") == "textarea" else "Enter")
    if fields:
        expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    assert fields or page.locator(".slot-text textarea, .slot-choice, .slot-switch").count()
    wrong = check(page, "help and faults")
    if page.locator("[data-action=embed]").count():
        page.locator("[data-action=embed]").click()
        wrong += check(page, "the dialog")
    assert wrong == []


def test_a_failed_start_has_no_barriers(open_page: Open, context: Any, watch: Any) -> None:
    watch.expected = ["answer 404", "console error"]
    context.route("**/numpy.zip", lambda route: route.fulfill(status=404, body=""))
    page = open_page("ru/labs/signal/", ready=False)
    page.locator("#lab[data-python=failed][data-figures=shown]").wait_for()
    assert check(page, "failed") == []


@pytest.mark.parametrize("path", ["ru/", "ru/labs/", *lab_paths("ru/labs/{}/"), "ru/embed/signal/"])
def test_nothing_scrolls_sideways_at_320_pixels(open_page: Open, path: str) -> None:
    page = open_page(path, ready=False)
    page.set_viewport_size({"width": 320, "height": 800})
    if page.locator("#lab").count():
        page.locator("#lab[data-figures=shown]").wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("name", lab_paths())
def test_forced_colours_and_reduced_motion_break_nothing(open_page: Open, name: str) -> None:
    page = open_page(f"ru/labs/{name}/")
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.locator(".plot canvas").first.wait_for()
    moving = page.evaluate("document.getAnimations().length")
    assert moving == 0
    assert check(page, "forced colours") == []


@pytest.mark.parametrize("name", lab_paths())
def test_the_focus_is_always_visible(open_page: Open, name: str) -> None:
    page = open_page(f"en/labs/{name}/")
    unseen = []
    for _ in range(45):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              let at = document.activeElement
              while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
              if (!at || at === document.body) return 'none'
              const style = getComputedStyle(at), box = at.getBoundingClientRect()
              const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1
              const size = box.width > 0 && box.height > 0
              return ring && size ? '' : at.outerHTML.slice(0, 160)
            }"""
        )
        if seen == "none":
            break
        if seen:
            unseen.append(seen)
    assert unseen == []


@pytest.mark.parametrize("name", lab_paths())
def test_every_control_and_figure_has_a_name(open_page: Open, name: str) -> None:
    page = open_page(f"ru/labs/{name}/")
    nameless = page.evaluate(
        """() => {
          const wrong = []
          const walk = root => {
            for (const one of root.querySelectorAll('*')) {
              if (one.matches('input, select, button, textarea, [role=img]')) {
                const ids = one.getAttribute('aria-labelledby')?.split(' ') ?? []
                const by = ids.map(id => root.getElementById(id)?.textContent).join(' ')
                const name = one.ariaLabel || by || [...(one.labels ?? [])].map(label => label.textContent).join(' ')
                  || (one.localName === 'button' ? one.textContent : '')
                if (!name?.trim()) wrong.push(one.outerHTML.slice(0, 120))
              }
              if (one.shadowRoot) walk(one.shadowRoot)
            }
          }
          walk(document)
          return wrong
        }"""
    )
    assert nameless == []
