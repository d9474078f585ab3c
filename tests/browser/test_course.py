"""Oracle: the questions' own keys. A learner takes a step by keyboard alone, and what they have done is kept."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.test_access import check as barriers
from tests.browser.test_access import cut
from web.builder.course import content
from web.labs.texts import LANGUAGES

STEP = "course/lesson-1/5/"
KEY = "rlvr-lab:progress"
BROKEN_STORE = (
    """Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })"""
)
FULL_STORE = """Storage.prototype.setItem = () => { throw new DOMException('no', 'QuotaExceededError') }"""


def held(text: str) -> str:
    """A script that puts a text into the store before the page reads it; an empty page has no store."""
    return f"try {{ localStorage['{KEY}'] ??= {json.dumps(text)} }} catch {{}}"


def press(place: Locator, key: str) -> None:
    place.focus()
    place.press(key)


def answer(form: Locator) -> None:
    """Gives the right answer by keyboard and has it checked."""
    kind, key = form.get_attribute("data-kind"), json.loads(form.get_attribute("data-key") or "{}")
    if kind in ("single", "multiple", "fault"):
        for place in key["right"]:
            press(form.locator("input").nth(place), "Space")
    elif kind == "numeric":
        form.locator("input").focus()
        form.page.keyboard.type(f"{key['value']:.6g}")
    elif kind == "ordering":
        for place, item in enumerate(key["order"]):
            up = form.locator(f"[data-item='{item}'] [data-move='-1']")
            up.focus()
            while form.locator("[data-item]").nth(place).get_attribute("data-item") != str(item):
                form.page.keyboard.press("Enter")
                expect(up).to_be_focused()
    elif kind == "matching":
        for place, choice in enumerate(key["pairs"]):
            one = form.locator("select").nth(place)
            one.focus()
            for _ in range(choice + 1):
                one.press("ArrowDown")
    press(form.locator("[type=submit]"), "Enter")
    if kind != "open":
        expect(form.locator(".verdict")).to_have_attribute("data-state", "right")


def open_text(open_page: Open, path: str) -> Page:
    """A page of the course with its script awake."""
    page = open_page(path, ready=False)
    if page.locator("#answers").count():
        page.locator("#answers.paper-only").wait_for(state="attached")
    return page


def kept(page: Page, wanted: str) -> None:
    """Waits until the store holds something: an expression of the kept marks, called `all`."""
    for _ in range(200):
        if page.evaluate(f"(() => {{ const all = JSON.parse(localStorage['{KEY}'] ?? '{{}}'); return {wanted} }})()"):
            return
        page.wait_for_timeout(50)
    raise AssertionError(page.evaluate(f"localStorage['{KEY}']"))


def test_a_step_is_taken_by_keyboard_and_remembered(open_page: Open) -> None:
    page = open_text(open_page, f"en/{STEP}")
    term = page.locator("a.term").first
    term.focus()
    expect(page.locator("#popover")).to_contain_text("преимущество")
    expect(term).to_have_attribute("aria-describedby", "popover")
    page.keyboard.press("Escape")
    expect(page.locator("#popover")).to_have_count(0)

    number = page.locator("#check-by-hand")
    solution = number.locator("[data-solution]")
    expect(solution).to_be_hidden()
    number.locator("input").fill("0.43")
    number.locator("input").press("Enter")
    expect(number.locator(".verdict")).to_contain_text("empty")
    press(solution, "Enter")
    expect(number.locator(".solution")).to_contain_text("0.57")
    number.locator("input").fill("")
    forms = page.locator("form.check")
    for place in range(forms.count()):
        answer(forms.nth(place))
    page.locator("[data-turn]").scroll_into_view_if_needed()
    kept(page, "all.steps?.['lesson-1/5']?.read")

    page.reload()
    expect(page.locator(".check-done:visible")).to_have_count(forms.count())
    page.goto(page.url.replace(STEP, "course/"))
    expect(page.locator("[data-step='lesson-1/5'] .state")).to_have_text("✓ done")
    expect(page.locator("[data-continue]")).to_contain_text("When a group gives a signal")

    page.goto(page.url.replace("course/", "course/self-check/"))
    account = page.locator("form.check textarea").nth(1)
    account.fill("One number\na pair <b>")
    page.reload()
    expect(account).to_have_value("One number\na pair <b>")
    expect(page.locator("form.check textarea").first).to_have_value("")


def test_marks_travel_as_a_file_and_come_back_after_being_forgotten(open_page: Open) -> None:
    page = open_text(open_page, "ru/progress/")
    saved = {"version": 1, "checks": {"lesson-1/5/double": {"solved": True, "tries": 2}, "bad id!": {}}, "steps": {}}
    steps = page.locator("[data-total=checks]")
    expect(steps).to_contain_text("0 из")
    for text, says in [
        ("{", "не файл с отметками"),
        ('{"version": 9}', "более новой версией"),
        (json.dumps(saved), "записей: 1"),
    ]:
        page.set_input_files(
            "#progress-file", {"name": "marks.json", "mimeType": "application/json", "buffer": text.encode()}
        )
        expect(page.locator("[data-said]")).to_contain_text(says)
    expect(steps).to_contain_text("1 из")
    with page.expect_download() as waiting:
        page.locator("[data-save]").click()
    assert json.loads(waiting.value.path().read_text())["checks"]["lesson-1/5/double"]["solved"]
    page.locator("[data-reset]").click()
    expect(steps).to_contain_text("0 из")
    page.locator("[data-restore]").click()
    expect(steps).to_contain_text("1 из")
    page.emulate_media(media="print")
    expect(page.locator("[data-save]")).to_be_hidden()


@pytest.mark.parametrize(
    ("before", "says", "kept"),
    [
        (held("{not json"), "damaged", True),
        pytest.param(held('{"version": 7}'), "newer version", False, marks=pytest.mark.full),
        (BROKEN_STORE, "does not let", False),
        pytest.param(FULL_STORE, "is full", False, marks=pytest.mark.full),
    ],
)
def test_a_damaged_blocked_or_full_store_is_said_and_stops_nothing(
    open_page: Open, context: Any, before: str, says: str, kept: bool
) -> None:
    context.add_init_script(before)
    page = open_text(open_page, f"en/{STEP}")
    answer(page.locator("#check-double"))
    expect(page.locator("[data-store]")).to_contain_text(says)
    expect(page.locator("#check-double .check-done")).to_be_visible()
    if kept:
        assert page.evaluate(f"localStorage['{KEY}:damaged']") == "{not json"


def test_marks_of_the_first_version_are_carried_over(open_page: Open, context: Any) -> None:
    context.add_init_script(held('{"version": 0, "solved": ["lesson-1/5/double"]}'))
    page = open_text(open_page, f"en/{STEP}")
    expect(page.locator("#check-double .check-done")).to_be_visible()


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("ru", "вырожденными группами", "Найдено"),
        pytest.param("en", "degenerate groups", "Found", marks=pytest.mark.full),
    ],
)
def test_search_is_asked_and_followed_by_keyboard(open_page: Open, language: str, asked: str, said: str) -> None:
    page = open_page(f"{language}/search/", ready=False)
    page.locator("#query").focus()
    page.keyboard.type(asked)
    expect(page.locator("[data-found]")).to_contain_text(said)
    expect(page.locator(f"[data-results={language}] mark").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{language}/**#**")


@pytest.mark.parametrize("options", [{"has_touch": True}], ids=[""])
def test_a_term_explains_itself_under_the_pointer_and_under_a_finger(open_page: Open) -> None:
    page = open_text(open_page, f"ru/{STEP}")
    first, second = page.locator("a.term").nth(0), page.locator("a.term").nth(1)
    first.hover()
    expect(page.locator("#popover")).to_contain_text("advantage")
    page.mouse.move(0, 0)
    expect(page.locator("#popover")).to_have_count(0)
    address = page.url
    second.tap()
    expect(page.locator("#popover")).to_contain_text("informative group")
    page.locator("h1").tap()
    expect(page.locator("#popover")).to_have_count(0)
    assert page.url == address


@pytest.mark.parametrize("options", [{"java_script_enabled": False}], ids=[""])
def test_without_scripts_a_step_reads_to_its_answers(open_page: Open) -> None:
    page = open_page(f"ru/{STEP}", ready=False)
    page.locator("#answers summary").click()
    expect(page.locator("#answer-by-hand")).to_contain_text("0,57")
    assert page.locator("a.term").first.get_attribute("href") == "#term-advantage"
    expect(page.locator("#term-advantage")).to_be_visible()


@pytest.mark.parametrize("options", [{"bypass_csp": True}], ids=[""])
@pytest.mark.parametrize(
    "path",
    [
        f"ru/{STEP}",
        *(
            pytest.param(f"{language}/{path}", marks=pytest.mark.full)
            for language in LANGUAGES
            for path in (
                *("course/", "glossary/", "sources/", "progress/", "search/", "course/lesson-1/", "course/self-check/"),
                *(f"course/{step.id}/" for step in content.read().steps),
                *(f"course/{part.id}/handout/" for part in content.read().parts if part.steps),
            )
        ),
    ],
)
def test_pages_of_the_course_have_no_barriers(open_page: Open, path: str) -> None:
    page = open_page(path, ready=False)
    form = page.locator("#check-keep")
    if form.count():
        form.locator("input").first.check()
        form.locator("[type=submit]").click()
        form.locator("[data-solution]").click()
        page.locator("a.badge").first.focus()
    assert barriers(page, path) == []
    assert cut(page) == []


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_course_is_walked_by_keyboard(open_page: Open, language: str) -> None:
    steps = content.read().steps
    page = open_text(open_page, f"{language}/course/{steps[0].id}/")
    for step in steps:
        expect(page.locator(f"article[data-step='{step.id}']")).to_be_visible()
        page.locator("#answers.paper-only").wait_for(state="attached")
        forms = page.locator("form.check")
        assert forms.count() == len(step.checks)
        for place in range(forms.count()):
            answer(forms.nth(place))
        if step != steps[-1]:
            press(page.locator("[data-turn] a[rel=next]"), "Enter")
            page.wait_for_url("**/course/**")
    page.goto(page.url.split("/course/")[0] + "/progress/")
    total = sum(len(step.checks) for step in steps)
    expect(page.locator("[data-total=checks]")).to_contain_text(f"{total} ")


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lesson_prints_with_stills_and_its_answers_at_the_end(open_page: Open, language: str) -> None:
    page = open_page(f"{language}/course/lesson-1/handout/", ready=False)
    page.emulate_media(media="print")
    part = next(part for part in content.read().parts if part.id == "lesson-1")
    assert page.locator("article.step").count() == len(part.steps)
    for place in range(len(part.steps)):
        assert page.locator("article.step").nth(place).locator(".stills figure svg").count() > 0
    assert page.locator(".lab, .check-actions:visible, [data-print]:visible, .masthead nav:visible").count() == 0
    ends, begins = page.evaluate(
        """() => [document.querySelector('article.step:last-of-type').getBoundingClientRect().bottom,
                  document.querySelector('.all-answers').getBoundingClientRect().top]"""
    )
    assert begins >= ends
    assert page.locator(".all-answers .answer:visible").count() == page.locator("form.check").count()
    assert page.pdf()[:5] == b"%PDF-"
