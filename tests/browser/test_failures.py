"""Oracle: the state that a page must reach. Lost files, lost network, a dying worker: said and mended."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Open, Watch
from tests.browser.driver import Lab

# The browser itself logs every failed download.
LOST = [
    r"answer \d+",
    "console warning: .*(wasm|Error)",
    r"request failed",
    r"console error: Failed to load resource",
    r"console error: .*Error",
]
# Reaches the worker that the page has made: the test must be able to hurt it.
KEEP_WORKERS = """window.workers = []
  window.Worker = class extends Worker { constructor(...all) { super(...all); window.workers.push(this) } }"""


def failed(page: Page, what: str) -> None:
    """The lab says that it has failed and what was missing; the words and the table are still there."""
    page.locator("#lab[data-python=failed]").wait_for()
    bar = page.locator("[data-state]")
    expect(bar).to_be_visible()
    expect(bar).to_contain_text(what)
    expect(bar.locator("button")).to_be_visible()
    assert page.locator("[data-summary]").inner_text()
    assert page.locator("[data-table] tr").count() > 3


def retry(page: Page) -> Lab:
    page.locator("[data-state] button").click()
    page.locator("#lab[data-python=ready]").wait_for()
    expect(page.locator("[data-state]")).to_be_hidden()
    return Lab(page, "signal")


@pytest.mark.parametrize(
    ("file", "status"),
    [
        ("numpy.zip", 404),
        ("pyodide.asm.wasm", 500),
        ("pyodide.mjs", 404),
        ("pyodide.asm.js", 404),
        ("python_stdlib.zip", 503),
        ("app.zip", 404),
        ("pyodide-lock.json", 404),
    ],
)
def test_a_missing_file_is_named_and_retry_works(
    open_page: Open, context: BrowserContext, watch: Watch, file: str, status: int
) -> None:
    watch.expected = LOST
    context.route(f"**/{file}", lambda route: route.fulfill(status=status, body="gone"))
    page = open_page("ru/labs/signal/", ready=False)
    failed(page, file)
    context.unroute(f"**/{file}")
    lab = retry(page)
    lab.type("p", "0,9")
    lab.shows(p=0.9)


def test_a_network_lost_while_loading_is_said_and_mended_when_it_returns(
    open_page: Open, context: BrowserContext, watch: Watch
) -> None:
    watch.expected = LOST
    context.route("**/runtime/*", lambda route: route.abort("internetdisconnected"))
    page = open_page("ru/labs/signal/?p=0.3", ready=False)
    failed(page, "runtime/")
    page.locator("#lab[data-figures=shown]").wait_for()
    lab = Lab(page, "signal")
    lab.type("G", "16")
    page.locator("[data-state] button").click()
    failed(page, "runtime/")
    context.unroute("**/runtime/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.locator("#lab[data-python=ready]").wait_for()
    lab.shows(p=0.3, G=16)


def test_a_missing_worker_script_is_a_visible_failure(open_page: Open, context: BrowserContext, watch: Watch) -> None:
    watch.expected = LOST
    context.route("**/worker.js", lambda route: route.fulfill(status=404, body=""))
    page = open_page("en/labs/signal/", ready=False)
    failed(page, "")
    context.unroute("**/worker.js")
    retry(page)


@pytest.mark.parametrize("file", ["numpy.zip", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide.mjs"])
def test_a_file_that_is_another_is_a_visible_failure(
    open_page: Open, context: BrowserContext, watch: Watch, file: str
) -> None:
    watch.expected = [*LOST, "console (warning|error): "]
    # What a hotel's network answers to everything.
    login = b"<!doctype html><title>please log in</title>"
    context.route(f"**/{file}", lambda route: route.fulfill(status=200, body=login))
    page = open_page("en/labs/signal/", ready=False)
    failed(page, "")
    context.unroute(f"**/{file}")
    retry(page)


def crash_by_message(page: Page) -> None:
    page.evaluate(
        "window.workers.at(-1).dispatchEvent(new ErrorEvent('error', { message: 'out of memory', cancelable: true }))"
    )


def crash_inside(page: Page) -> None:
    next(worker for worker in page.workers if worker.url.endswith("worker.js")).evaluate(
        "() => { setTimeout(() => { throw new Error('out of memory') }) }"
    )


@pytest.mark.parametrize("crash", [crash_by_message, crash_inside])
def test_a_crash_of_the_worker_is_visible_and_the_values_survive(
    open_page: Open, context: BrowserContext, watch: Watch, crash: Callable[[Page], None]
) -> None:
    watch.expected = ["out of memory"]
    context.add_init_script(KEEP_WORKERS)
    page = open_page("ru/labs/signal/")
    lab = Lab(page, "signal")
    lab.type("p", "0,9")
    lab.shows(p=0.9)
    crash(page)
    failed(page, "out of memory")
    lab.type("G", "16")
    retry(page)
    lab.shows(p=0.9, G=16)


def test_an_error_in_compute_is_said_in_the_lab_and_the_next_change_works(open_page: Open, watch: Watch) -> None:
    watch.expected = ["console error: "]
    page = open_page("en/labs/signal/")
    lab = Lab(page, "signal", "en")
    worker = next(worker for worker in page.workers if worker.url.endswith("worker.js"))
    worker.evaluate(
        """() => python.runPython(`
from web.labs import engine
whole = engine.show
def poisoned(*all):
    engine.show = whole
    raise RuntimeError("poisoned for the test")
engine.show = poisoned
`)"""
    )
    before = lab.look()
    lab.type("p", "0.5")
    page.locator("[data-problem]:visible").wait_for()
    assert "poisoned for the test" in lab.look()["problem"]
    assert lab.look()["summary"] == before["summary"]
    lab.type("p", "0.6")
    lab.shows(p=0.6)
    assert lab.look()["problem"] == ""


def test_a_loaded_lab_needs_no_network(open_page: Open, context: BrowserContext, watch: Watch) -> None:
    # Chromium asks for the icon again when the address changes; nothing depends on it.
    watch.expected = [r"request failed: \S+/icon\.svg ", "console error: .*ERR_INTERNET_DISCONNECTED"]
    lab = Lab(open_page("ru/labs/signal/"), "signal")
    context.set_offline(True)
    lab.type("p", "0,9")
    lab.shows(p=0.9)
    lab.page.locator("a[data-try]").first.click()
    lab.shows(p=0.9, G=8)


def test_a_wrong_content_type_of_the_wasm_file_does_no_harm(
    open_page: Open, context: BrowserContext, watch: Watch
) -> None:
    watch.expected = ["console warning: "]

    def mistype(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "content-type": "application/octet-stream"})

    context.route("**/*.wasm", mistype)
    Lab(open_page("ru/labs/signal/"), "signal").shows()


@pytest.mark.parametrize(
    ("status", "body"), [(404, ""), (200, "{"), (200, "[]"), (200, '{"roots": ["figure:x"], "document": {}}')]
)
def test_a_damaged_lab_document_gives_a_message_and_leaves_the_table(
    open_page: Open, context: BrowserContext, watch: Watch, status: int, body: str
) -> None:
    watch.expected = [*LOST, "preload", "console warning: .bokeh"]
    context.route("**/assets/labs/*.json", lambda route: route.fulfill(status=status, body=body))
    page = open_page("ru/labs/signal/", ready=False)
    expect(page.locator("[data-problem]")).to_be_visible()
    assert page.locator("[data-problem]").inner_text().startswith("Не удалось показать графики")
    assert page.locator("[data-table] tr").count() > 3


def test_a_part_of_the_page_that_is_lost_is_named_and_fetched_again(
    open_page: Open, context: BrowserContext, watch: Watch
) -> None:
    watch.expected = [*LOST, "console error: Lost: runtime/export.zip"]
    # Without this script the lab itself can say nothing.
    context.route("**/assets/copies.js", lambda route: route.abort("internetdisconnected"))
    page = open_page("ru/labs/signal/?hide=B&hide=seed&lock=p", ready=False)
    lost = page.locator("[data-lost]")
    expect(lost).to_be_visible()
    expect(lost).to_contain_text("Часть страницы не загрузилась (lab.js)")
    context.unroute("**/assets/copies.js")
    lost.locator("button").click()
    page.locator("#lab[data-python=ready][data-figures=shown]").wait_for()
    expect(lost).to_be_hidden()
    lab = Lab(page, "signal")
    expect(lab.control("seed")).to_be_hidden()
    # What only a notebook needs is lost later, named as well, and asked for again.
    context.route("**/runtime/export.zip", lambda route: route.abort("internetdisconnected"))
    lab.action("colab").click()
    problem = page.locator("[data-problem]")
    expect(problem).to_have_text(
        "Блокнот не собрался. Не загрузился файл runtime/export.zip. Проверьте соединение и повторите."
    )
    context.unroute("**/runtime/export.zip")
    with page.expect_download():
        lab.action("colab").click()
    expect(problem).to_be_hidden()
    # The longest word that an address can bring fits a phone.
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(page.url.partition("?")[0] + "?p=" + "W" * 300)
    page.locator("[data-problem]:visible", has_text="WWW").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_an_unknown_message_is_ignored(open_page: Open, context: BrowserContext, watch: Watch) -> None:
    watch.expected = ["console warning: unknown message from the worker"]
    context.add_init_script(KEEP_WORKERS)
    page = open_page("ru/labs/signal/")
    for message in ("{ v: 2, type: 'shown' }", "{ v: 1, type: 'dance' }", "null", "'text'"):
        page.evaluate(f"window.workers.at(-1).dispatchEvent(new MessageEvent('message', {{ data: {message} }}))")
    lab = Lab(page, "signal")
    lab.type("p", "0,9")
    lab.shows(p=0.9)


def test_labs_that_share_nothing_run_beside_one_another(open_page: Open) -> None:
    found: list[Any] = [Lab(open_page(f"ru/labs/{name}/"), name) for name in ("signal", "clip")]
    found[0].type("p", "0,9")
    found[1].type("ratio", "2")
    found[0].shows(p=0.9)
    found[1].shows(ratio=2.0)
