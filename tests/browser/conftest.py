"""A real browser, real servers, and a watch over every page: what goes wrong unannounced fails the test."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from web import labs
from web.builder import serve

DIST = Path(__file__).parents[2] / "dist"
BASE = "/courses/rlvr/"  # the whole suite runs below a sub-path, as on most static hosts
# A violation of the page's own policy is a fault even where the browser would not log it.
REPORT_VIOLATIONS = """addEventListener('securitypolicyviolation', event => console.error(
  `policy: ${event.effectiveDirective} refused ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`))"""

Open = Callable[..., Page]

# Sliders and chance, lists and choices, a graph and the learner's own data: the others are played by `-m full`.
REPRESENTATIVE = ("signal", "advantage", "condorcet")


def lab_paths(pattern: str = "{}") -> list[Any]:
    """For each lab, `pattern` with its name; those that stand for all run ordinarily, the rest under `-m full`."""
    return [
        pattern.format(name) if name in REPRESENTATIVE else pytest.param(pattern.format(name), marks=pytest.mark.full)
        for name in labs.names()
    ]


@contextmanager
def listening(root: Path, base: str = "/") -> Iterator[str]:
    """A folder served on a port of its own; yields the address."""
    server = serve.server(root, port=0, base=base)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}{base}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Address of the built site."""
    if not (DIST / "manifest.json").is_file():
        pytest.fail("dist/ is not built: run `python3 build.py build`")
    with listening(DIST, BASE) as address:
        yield address


class Watch:
    """Collects what goes wrong in a context; `expected` holds patterns of the faults that a test provokes."""

    def __init__(self, context: BrowserContext, home: str) -> None:
        self.faults: list[str] = []
        self.expected: list[str] = []
        self.homes = [home]
        self.requested: list[str] = []
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", lambda m: self.logged(m.type, m.text))
        context.on("weberror", lambda e: self.fault(f"page error: {e.error}"))
        context.on("request", lambda r: self.request(r.url))
        context.on("requestfailed", lambda r: self.lost(r.url, r.failure or ""))
        context.on("response", lambda r: r.status >= 400 and self.fault(f"answer {r.status}: {r.url}"))

    def fault(self, text: str) -> None:
        self.faults.append(text)

    def logged(self, kind: str, text: str) -> None:
        # That a preloaded file was not used within seconds of the load tells of a slow or script-less machine only.
        if kind in ("error", "warning") and "was preloaded using link preload" not in text:
            self.fault(f"console {kind}: {text}")

    def lost(self, url: str, why: str) -> None:
        if why != "net::ERR_ABORTED":  # a page that is left in the middle of a download
            self.fault(f"request failed: {url} {why}")

    def request(self, url: str) -> None:
        self.requested.append(url)
        if not url.startswith(("blob:", "data:", *self.homes)):
            self.fault(f"foreign request: {url}")

    def unexpected(self) -> list[str]:
        return [fault for fault in self.faults if not any(re.search(pattern, fault) for pattern in self.expected)]


@pytest.fixture
def watch(context: BrowserContext) -> Watch:
    """The faults of this test's pages, and those it expects."""
    found: Watch = context.watch  # type: ignore[attr-defined]
    return found


@pytest.fixture
def options() -> dict[str, Any]:
    """How the context is made; a test overrides it by parametrising `options`."""
    return {}


@pytest.fixture
def context(browser: Browser, site: str, options: dict[str, Any]) -> Iterator[BrowserContext]:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(60_000)
    watch = context.watch = Watch(context, site)  # type: ignore[attr-defined]
    yield context
    context.close()
    assert not watch.unexpected(), watch.unexpected()


@pytest.fixture
def open_page(context: BrowserContext, site: str) -> Open:
    """Opens an address of the site in a new page; waits for the lab unless told not to."""

    def open_page(path: str = "", *, ready: bool = True) -> Page:
        page = context.new_page()
        page.goto(site + path)
        if ready:
            page.locator("#lab[data-python=ready][data-figures=shown]:not([data-awaiting])").wait_for()
        return page

    return open_page
