"""Oracle: the native play of every exercise. A learner fails, is helped and succeeds; no program hangs the page."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, Watch, listening
from tests.browser.test_access import check as barriers
from tests.browser.test_access import cut, violations
from web.exercises import folder
from web.exercises.folder import HERE
from web.labs.texts import LANGUAGES, load

NAMES = folder.names()
SOLUTION = (HERE / "p_info/solution.py").read_text(encoding="utf-8")
WRONG = (HERE / "p_info/wrong/any_success.py").read_text(encoding="utf-8")
SLOW = 120_000  # starting Python on a machine with other work

# Each with a part of what the page must say, in English; those of the ordinary run, then the others.
HOSTILE = {
    "an endless loop that prints": (
        "import time\nwhile True:\n    print('tick')\n    time.sleep(0.2)",
        "had not finished",
    ),
    "a long call in C": ("sum(range(10**14))", "had not finished"),
    "a memory bomb": ("import numpy as np\nx = [np.ones(2**22) for _ in range(10**6)]", "Line 2. Out of memory"),
    "recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10**8)\ndef f(n):\n    return f(n + 1)\nf(0)",
        "Python stopped|calls itself too many times",
    ),
    "mischief": ("import js\njs.self.postMessage('gone')", "Line 2"),
}
MORE_HOSTILE = {
    "an endless loop": ("while True: pass", "had not finished"),
    "one huge array": ("import numpy as np\nnp.ones(2**27)", "Line 2. Out of memory"),
    "recursion": ("def f(n):\n    return f(n + 1)\nf(0)", "calls itself too many times"),
    "huge output": ("while True:\n    print('x' * 10**6)", "More than 20,000 characters"),
    "a question": ("name = input('who?')", "Line 1. Nobody is here"),
    "an exit": ("raise SystemExit('bye')", "SystemExit: bye"),
    "the worker's own doors": (
        "import pyodide_js\npyodide_js.constructor.constructor('postMessage({report: 7}); postMessage(1)')()\n1 / 0",
        ".",
    ),
    "a swallowed limit": (
        "while True:\n    try:\n        print('x' * 1000)\n    except BaseException:\n        pass",
        "had not finished",
    ),
    "a broken judge": ("import numpy as np, builtins\nnp.allclose = builtins.len = None\n1 / 0", "Line 3"),
}


class Bench:
    """The learner's hands on one exercise."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.locator("#exercise[data-ready]").wait_for(timeout=SLOW)

    def find(self, selector: str) -> Locator:
        found: Locator = self.page.locator(selector)
        return found

    def write(self, text: str) -> None:
        area = self.find("#code")
        if area.is_visible():
            area.fill(text)
            return
        self.find(".cm-content").fill(text)

    def text(self) -> str:
        lines: list[str] = self.find(".cm-line").all_inner_texts()
        return "\n".join(line.rstrip("\n") for line in lines)

    def press(self, action: str) -> None:
        self.find(f"[data-action={action}]").click()

    def limit(self, seconds: int) -> None:
        """A time limit that the page may not offer: there are many programs to get through."""
        first = self.find("select").locator("option").first
        first.evaluate("(it, seconds) => { it.value = String(seconds) }", seconds)

    def finished(self) -> None:
        expect(self.find("#exercise")).not_to_have_attribute("data-busy", re.compile(".*"), timeout=SLOW)

    def do(self, action: str) -> None:
        self.press(action)
        self.finished()


@pytest.fixture(autouse=True)
def frugal(context: Any, request: pytest.FixtureRequest) -> None:
    """A small phone starts no second interpreter; only the test of what kills the first one needs it."""
    if "programs" not in request.fixturenames:
        context.add_init_script("Object.defineProperty(navigator, 'deviceMemory', { value: 2 })")


@pytest.fixture
def bench(open_page: Open, request: pytest.FixtureRequest) -> Bench:
    page = open_page(getattr(request, "param", "en/exercises/p_info/"), ready=False)
    page.locator("#exercise[data-editor=shown]").wait_for(timeout=SLOW)
    return Bench(page)


@pytest.mark.parametrize("bench", ["ru/exercises/p_info/"], indirect=True)
def test_a_learner_fails_is_helped_succeeds_and_finds_it_kept(bench: Bench) -> None:
    words, page = load(HERE / "p_info", "ru"), bench.page
    expect(bench.find("[data-action=solution]")).to_be_disabled()
    bench.write(WRONG)
    bench.do("check")
    expect(bench.find("[data-mistake=any_success]")).to_have_text(words["wrong"]["any_success"])
    expect(bench.find("[data-check=coin]")).to_have_attribute("data-outcome", "failed")
    expect(bench.find("[data-check=coin] .detail")).to_contain_text("p_info(0.5, 2)")
    bench.press("hint")
    expect(bench.find("[data-hint]:visible")).to_have_count(1)
    bench.press("solution")
    expect(bench.find("[data-solution] code")).to_have_text(SOLUTION)
    bench.write(SOLUTION + "plot([1, 2, 4], label='x')\n")
    bench.do("check")
    expect(bench.find("[data-result]")).to_have_attribute("data-outcome", "passed")
    expect(bench.find("[data-check][data-outcome=passed]")).to_have_count(6)
    expect(bench.find("[data-output]")).to_have_text("0.875")
    expect(bench.find(".chart")).to_have_attribute("aria-label", re.compile("рядов 1.* от 1 до 4"))
    page.reload()
    page.locator("#exercise[data-editor=shown]").wait_for(timeout=SLOW)
    assert "plot([1, 2, 4]" in bench.text()
    expect(bench.find("[data-output]")).to_be_hidden()  # opening a page runs nothing
    expect(bench.find(".exercise-passed")).to_be_visible()
    bench.press("reset")
    assert "..." in bench.text()
    bench.press("undo")
    assert "plot([1, 2, 4]" in bench.text()
    page.goto(page.url.replace("p_info/", ""))
    expect(page.locator("[data-exercise=p_info] [data-passed]")).to_be_visible()
    told, wanted = played(page, [NAMES[len(NAMES) // 2], NAMES[-1]])
    assert told == wanted


def test_one_exercise_in_two_tabs_is_one_text(open_page: Open) -> None:
    pages = [open_page("en/exercises/p_info/", ready=False) for _ in range(2)]
    for page in pages:
        page.locator("#exercise[data-editor=shown]").wait_for(timeout=SLOW)
    first, second = map(Bench, pages)
    first.write("x = 1\n")
    expect(second.find(".cm-line")).to_have_text(["x = 1", ""])
    second.find(".cm-content").press("Control+End")
    second.page.keyboard.type("y = 2")
    expect(first.find(".cm-line")).to_have_text(["x = 1", "y = 2"])
    first.press("hint")
    expect(second.find("[data-hint]:visible")).to_have_count(1)
    second.press("reset")
    expect(first.find("[data-action=reset]")).to_be_disabled()
    first.find(".cm-content").press("Control+z")  # what the other tab did can be taken back here
    expect(second.find(".cm-line")).to_have_text(["x = 1", "y = 2"])


@pytest.mark.parametrize("options", [{"bypass_csp": True}], ids=[""])
def test_the_editor_is_worked_by_keyboard_can_be_left_and_has_no_barriers(bench: Bench) -> None:
    page = bench.page
    bench.write("")
    bench.find(".cm-content").focus()
    page.keyboard.type("def f():\nreturn 1 / 0\n")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("f()")
    page.keyboard.press("Control+Enter")
    bench.finished()
    expect(bench.find("[data-fault]")).to_contain_text("Line 2. ZeroDivisionError")
    expect(bench.find(".cm-faulty")).to_contain_text("1 / 0")
    page.keyboard.press("Tab")
    assert bench.text().endswith("    f()"), bench.text()  # it indents
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.cm-editor')") is None
    bench.write(WRONG + "print(1)\nplot([1, 2], label='a')\n")
    bench.press("hint")
    bench.do("check")
    bench.press("solution")
    assert violations(page) == []
    assert cut(page) == []


@pytest.mark.parametrize(
    "programs", [HOSTILE, pytest.param(MORE_HOSTILE, marks=pytest.mark.full)], ids=["some", "more"]
)
def test_nothing_a_program_does_hangs_the_page_or_loses_the_text(
    bench: Bench, watch: Watch, programs: dict[str, tuple[str, str]]
) -> None:
    watch.expected = ["fatal error", "wasm-function"]
    wrong = {}
    for name, (source, said) in programs.items():
        bench.limit(1 if said == "had not finished" else 60)
        bench.write(source)
        bench.press("run")
        assert bench.page.evaluate("1 + 1") == 2
        bench.finished()
        told = bench.find("[data-fault]").inner_text()
        if not re.search(said, told) or bench.text() != source:
            wrong[name] = told, bench.text()
        if "tick" in source:
            expect(bench.find("[data-output]")).to_contain_text("tick")
        bench.limit(60)
        bench.write("print('alive')")
        bench.do("run")
        assert bench.find("[data-output]").inner_text() == "alive\n", (name, bench.find("[data-fault]").inner_text())
    assert wrong == {}
    bench.write("while True: pass")
    bench.press("run")
    bench.press("stop")
    expect(bench.find("[data-fault]")).to_contain_text("was stopped")


def test_without_the_editor_a_plain_field_does(open_page: Open, context: Any, watch: Watch) -> None:
    watch.expected = ["answer 404.*editor.js", "404 \\(Not Found\\)", "plain text field"]
    context.route("**/editor.js", lambda route: route.fulfill(status=404, body=""))
    page = open_page("en/exercises/p_info/", ready=False)
    page.locator("#exercise[data-editor=plain]").wait_for(timeout=SLOW)
    page.locator("#code").fill(SOLUTION)
    page.reload()
    expect(page.locator("#code")).to_have_value(SOLUTION)
    page.locator("#code").press("Control+Enter")
    expect(page.locator("#exercise")).to_have_attribute("data-busy", "")


@pytest.fixture
def host(tmp_path: Path, watch: Watch) -> Iterator[tuple[Path, str]]:
    """Another site, on an origin of its own: its folder and its address."""
    with listening(tmp_path) as address:
        watch.homes.append(address)
        yield tmp_path, address


def test_in_a_sandboxed_frame_it_runs_and_says_that_nothing_is_kept(
    context: Any, site: str, host: tuple[Path, str], watch: Watch
) -> None:
    (host[0] / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>host</title>'
        f'<iframe sandbox="allow-scripts" width="800" height="900" src="{site}en/embed/exercises/p_info/"></iframe>'
    )
    page: Page = context.new_page()
    page.goto(host[1])
    frame = page.frame_locator("iframe")
    bench = Bench(frame)
    frame.locator("#exercise[data-editor=shown]").wait_for(timeout=SLOW)
    bench.write(SOLUTION)
    expect(bench.find("[data-unkept]")).to_be_visible()
    bench.do("check")
    expect(bench.find("[data-result]")).to_have_attribute("data-outcome", "passed")
    assert frame.locator("header, nav").count() == 0


@pytest.mark.parametrize("options", [{"java_script_enabled": False}], ids=[""])
def test_without_scripts_the_task_can_be_read(open_page: Open, watch: Watch) -> None:
    watch.expected = [r"request failed: .*\.js csp"]  # the browser refuses to preload modules then
    page = open_page("ru/exercises/p_info/", ready=False)
    expect(page.get_by_role("textbox")).to_have_value((HERE / "p_info/starter.py").read_text(encoding="utf-8"))
    assert "JavaScript" in page.locator("noscript p").inner_text()
    expect(page.locator("[data-action=run]")).to_be_hidden()


PLAY = """async programs => {
  const { Runner } = await import(new URL(document.documentElement.dataset.root + 'assets/runner.js', location.href))
  const runner = new Runner()
  const told = {}
  for (const [name, source, task] of programs) {
    const ending = await runner.run({ source, task }, 120, () => {})
    const { error, verdict } = ending.report ?? { error: ending }
    told[name] = [error, verdict?.mistake, verdict?.checks.every(one => one.passed)]
  }
  return told
}"""


def played(page: Page, names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the browser says of these exercises' programs, and what it should say."""
    programs, wanted = [], {}
    for name in names:
        exercise = folder.read(HERE / name)
        sources = {"": exercise.solution, **exercise.wrong}
        for mistake, source in sources.items():
            programs.append([f"{name}/{mistake}", source, folder.as_text(exercise.task)])
            wanted[f"{name}/{mistake}"] = [None, mistake or None, not mistake]
    page.set_default_timeout(600_000)
    return page.evaluate(PLAY, programs), wanted


@pytest.mark.full
def test_every_exercise_is_judged_in_the_browser_as_natively(open_page: Open) -> None:
    told, wanted = played(open_page("en/exercises/", ready=False), NAMES)
    assert told == wanted


@pytest.mark.full
@pytest.mark.parametrize("options", [{"bypass_csp": True}], ids=[""])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_page_has_no_barriers(open_page: Open, name: str, language: str) -> None:
    page = open_page(f"{language}/exercises/{name}/", ready=False)
    page.locator("#exercise[data-editor=shown]").wait_for(timeout=SLOW)
    assert barriers(page, name) == []
    assert cut(page) == []
