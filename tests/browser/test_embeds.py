"""Oracle: the native engine. A lab computes alone, in another site's page, and in a sandboxed frame of no origin."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import Open, Watch, lab_paths, listening
from tests.browser.driver import expected, inside
from web.labs.texts import LANGUAGES

SANDBOX = 'sandbox="allow-scripts allow-downloads allow-popups"'


@pytest.fixture
def host(tmp_path: Path, watch: Watch) -> Iterator[tuple[Path, str]]:
    """Another site, on an origin of its own: its folder and its address."""
    with listening(tmp_path) as address:
        watch.homes.append(address)
        yield tmp_path, address


def embed(page: Page, host: tuple[Path, str], body: str) -> FrameLocator:
    """Opens a foreign page with this body; returns its frame."""
    folder, address = host
    (folder / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>host</title>{body}'
    )
    page.goto(address)
    return page.frame_locator("iframe")


def change_p(frame: FrameLocator, language: str = "ru") -> None:
    """Sets p and waits for the summary that Python computes natively."""
    inside(frame).wait_for(timeout=60_000)
    field = frame.locator('[data-root="control:p"] input.field')
    field.fill("0.9")
    field.press("Enter")
    expect(frame.locator("[data-summary]")).to_have_text(expected("signal", language, {"p": 0.9})["summary"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", lab_paths())
def test_an_embed_is_the_lab_alone(open_page: Open, name: str, language: str) -> None:
    page = open_page(f"{language}/embed/{name}/")
    assert page.locator("header, nav, dialog, .prose").count() == 0
    assert page.locator("h1").count() == 1
    assert page.locator("[data-summary]").inner_text() == expected(name, language, {})["summary"]
    assert page.locator("[data-action=embed]").count() == 0


def test_the_link_out_of_an_embed_keeps_the_state(open_page: Open) -> None:
    page = open_page("ru/embed/signal/?p=0.3&G=16")
    field = page.locator('[data-root="control:p"] input.field')
    field.fill("0,9")
    field.press("Enter")
    link = page.locator("a[data-keeps-state]")
    expect(link).to_have_attribute("href", re.compile(r"/ru/labs/signal/\?.*p=0\.9&G=16"))
    assert link.get_attribute("target") == "_blank"


@pytest.mark.parametrize("sandbox", ["", SANDBOX, 'sandbox="allow-scripts"'])
def test_a_lab_computes_inside_a_page_of_another_origin(
    context: object, site: str, host: tuple[Path, str], sandbox: str
) -> None:
    page = context.new_page()  # type: ignore[attr-defined]
    frame = embed(page, host, f'<iframe src="{site}ru/embed/signal/?G=8" width="700" height="900" {sandbox}></iframe>')
    change_p(frame)
    # The theme of a frame without a store is the system's.
    page.emulate_media(color_scheme="dark")
    expect(frame.locator("html")).to_have_css("color-scheme", "dark")


def test_the_snippet_from_the_dialog_works_where_it_is_pasted(
    open_page: Open, host: tuple[Path, str], site: str
) -> None:
    page = open_page("ru/labs/signal/?p=0.3&G=16")
    page.locator("[data-action=embed]").click()
    dialog = page.locator("dialog")
    expect(dialog).to_be_visible()
    snippet = dialog.locator("textarea").input_value()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    class Tags(HTMLParser):
        found: list[tuple[str, dict[str, str | None]]] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert len(dict(attrs)) == len(attrs), "an attribute is given twice"
            self.found.append((tag, dict(attrs)))

    tags = Tags()
    tags.feed(snippet)
    assert [tag for tag, _ in tags.found] == ["iframe", "script"]
    source = tags.found[0][1]["src"] or ""
    assert source.startswith(f"{site}ru/embed/signal/?")
    assert "p=0.3&G=16" in source
    assert tags.found[0][1]["title"]

    frame = embed(page, host, snippet)
    inside(frame).wait_for(timeout=60_000)
    expect(frame.locator("[data-summary]")).to_have_text(expected("signal", "ru", {"p": 0.3, "G": 16})["summary"])
    # The script fits the frame: nothing is cut off, nothing stands empty.
    page.wait_for_function("document.querySelector('iframe').style.height !== '900px'")
    page.wait_for_timeout(500)
    needed = frame.locator("body").evaluate("body => document.documentElement.scrollHeight")
    assert abs(page.locator("iframe").bounding_box()["height"] - needed) <= 3  # type: ignore[index]
    before = page.locator("iframe").bounding_box()["height"]  # type: ignore[index]
    frame.locator("details", has=frame.locator("table")).locator("summary").click()
    page.wait_for_function(
        "before => document.querySelector('iframe').getBoundingClientRect().height > before + 50", arg=before
    )


def test_the_height_script_obeys_only_frames_of_the_site(context: object, site: str, host: tuple[Path, str]) -> None:
    page = context.new_page()  # type: ignore[attr-defined]
    folder, address = host
    (folder / "liar.html").write_text(
        '<!doctype html><link rel="icon" href="data:,">'
        '<script>parent.postMessage({ type: "rlvr-lab:height", height: 4321 }, "*")</script>'
    )
    embed(
        page,
        host,
        f'<script src="{site}assets/embed.js"></script><iframe src="{address}liar.html" height="200"></iframe>',
    )
    page.frame_locator("iframe").locator("body").wait_for(state="attached")
    page.wait_for_timeout(300)
    assert page.locator("iframe").bounding_box()["height"] < 300  # type: ignore[index]


def test_an_embed_fits_a_phone_without_scrolling_sideways(open_page: Open) -> None:
    page = open_page("ru/embed/advantage/")
    page.set_viewport_size({"width": 320, "height": 800})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
