"""Oracle: the native engine. Bad input is named on the screen and mended; the address holds the state."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open, lab_paths
from tests.browser.driver import Lab
from web.labs import engine
from web.labs.drawing import PALETTE

# Away from every default, one state a lab: as an address writes it, and as Python reads it.
STATES: dict[str, dict[str, Any]] = {
    "signal": {
        "p": 0.35,
        "G": 12,
        "B": 100,
        "source": "own",
        "spread": 0.25,
        "own": ((0.0,), (0.375,), (1.0,)),
        "correlation": 0.1,
        "groups": 150,
        "seed": 7,
    },
    "advantage": {
        "rewards": (1.0, 0.5, 0.0),
        "other": (-1.0, 0.25),
        "baseline": "batch",
        "scale": "none",
        "ddof": "1",
        "eps": 0.01,
    },
    "clip": {
        "source": "own",
        "ratio": 3.2,
        "size": 0.7,
        "low": 0.1,
        "high": 0.28,
        "dual": True,
        "cap": 2.5,
        "own": ((-1.0, -0.5, 2.0), (-0.25, -1.0, -0.5)),
    },
}


def listed(value: Any) -> Any:
    """A value as JSON gives it back: every tuple a list."""
    return [listed(item) for item in value] if isinstance(value, tuple | list) else value


def settled(lab: Lab, values: dict[str, Any]) -> None:
    """Waits until the screen and every control show the state."""
    lab.shows(**values)
    for name, value in lab.look()["controls"].items():
        wanted = {**{c.name: c.default for c in engine.lab_of(lab.name).controls}, **values}[name]
        assert listed(value) == listed(wanted), name


@pytest.mark.parametrize(
    ("name", "control", "text"),
    [
        ("signal", "p", "1,5"),
        ("signal", "p", "-0.1"),
        ("signal", "p", "many"),
        ("signal", "p", ""),
        ("signal", "p", "1e999"),
        ("signal", "G", "8.5"),
        ("signal", "G", "65"),
        ("clip", "ratio", "0x10"),
        ("clip", "ratio", "<img src=x onerror=alert(1)>"),
    ],
)
def test_a_field_names_what_is_wrong_and_the_plot_stays(open_page: Open, name: str, control: str, text: str) -> None:
    lab = Lab(open_page(f"ru/labs/{name}/"), name)
    before, kept = lab.look(), lab.field(control).input_value()
    lab.type(control, text)
    label = engine.words(name, "ru")["controls"][control]["label"]
    bounds = next(c for c in engine.lab_of(name).controls if c.name == control)
    message = lab.message(control).inner_text()
    for part in (label, text.strip()[:40], *(f"{end:g}".replace(".", ",") for end in (bounds.low, bounds.high))):  # type: ignore[attr-defined]
        assert part in message
    field = lab.field(control)
    assert field.get_attribute("aria-invalid") == "true"
    assert lab.control(control, f"#{field.get_attribute('aria-describedby')}").inner_text() == message
    lab.page.wait_for_timeout(200)
    assert lab.look() == before
    field.press("Escape")
    assert field.input_value() == kept
    assert lab.message(control).inner_text() == ""
    assert field.get_attribute("aria-invalid") is None


def test_a_wrong_list_is_named_and_the_group_stays(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/advantage/"), "advantage", "en")
    before = lab.look()
    first = lab.control("rewards", "input.field").first
    first.fill("eleven")
    first.press("Enter")
    assert "“eleven”" in lab.message("rewards").inner_text()
    assert first.get_attribute("aria-invalid") == "true"
    first.fill("1")
    first.press("Enter")
    assert lab.message("rewards").inner_text() == ""
    assert first.get_attribute("aria-invalid") is None
    first.fill("11")
    first.press("Enter")
    assert "−10 to 10" in lab.message("rewards").inner_text()
    assert lab.look() == before


@pytest.mark.parametrize("name", lab_paths())
def test_a_deep_link_carries_every_control(open_page: Open, name: str) -> None:
    opening = {control.name: control.default for control in engine.lab_of(name).controls}
    values = STATES.get(name) or {**opening, **engine.lab_of(name).presets["surprise"]}
    assert set(values) == {control.name for control in engine.lab_of(name).controls}
    lab = Lab(open_page(f"ru/labs/{name}/?{engine.query_of(name, values)}"), name)
    settled(lab, values)
    assert lab.look()["problem"] == ""
    lab.page.wait_for_timeout(400)
    lab.page.reload()
    settled(lab, values)
    lab.page.locator("a.language").click()
    lab.page.wait_for_url("**/en/labs/**")
    lab.language = "en"
    settled(lab, values)


HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.mark.parametrize(
    ("given", "values", "parts"),
    [
        ("p=7", {"p": 1.0}, ["«Вероятность успеха»", "7", "0..1"]),
        ("p=&G=8", {}, ["«Вероятность успеха»", "0..1"]),
        ("G=8.5", {"G": 8}, ["«Размер группы»", "8.5", "2..64"]),
        ("colour=red&p=0.4", {"p": 0.4}, ["colour", "correlation"]),
        ("p=0.2&p=0.3", {"p": 0.2}, ["0.2"]),
        ("v=9&p=0.4", {"p": 0.4}, ["1"]),
        ("seed=-1", {}, ["seed"]),
        (f"p={quote(HOSTILE)}", {}, ["<img"]),
        (f"{quote(HOSTILE)}=1", {}, ["<img"]),
        ("p=" + "9" * 20_000, {}, ["8000"]),
        ("%ff%fe=%00&&&==&?", {}, []),
        ("lab=clip&p=0.4", {"p": 0.4}, ["clip"]),
    ],
    ids=[
        "high",
        "empty",
        "half",
        "unknown",
        "repeated",
        "newer",
        "seed",
        "markup",
        "markup-name",
        "long",
        "noise",
        "lab",
    ],
)
def test_a_bad_address_gives_a_message_and_the_nearest_state(
    open_page: Open, given: str, values: dict[str, Any], parts: list[str]
) -> None:
    lab = Lab(open_page(f"ru/labs/signal/?{given}"), "signal")
    settled(lab, values)
    problem = lab.look()["problem"]
    assert problem
    for part in parts:
        assert part in problem
    assert lab.page.locator("[data-problem] *").count() == 0, "the message is text, not markup"
    assert lab.page.title().startswith(engine.words("signal", "ru")["title"])
    # The next change takes the message away.
    lab.type("G", "16")
    lab.shows(**{**values, "G": 16})
    expect(lab.page.locator("[data-problem]")).to_be_hidden()


@pytest.mark.parametrize("name", lab_paths())
def test_every_suggestion_of_the_text_can_be_tried(open_page: Open, name: str) -> None:
    lab = Lab(open_page(f"en/labs/{name}/"), name, "en")
    for key, state in engine.lab_of(name).presets.items():
        answer = engine.answer(name, "en", engine.query_of(name, state))
        lab.page.locator(".tries").get_by_role("link", name=engine.words(name, "en")["presets"][key]["text"]).click()
        settled(lab, dict(answer["controls"]))
        assert lab.look()["problem"] == ""


def test_undo_goes_back_one_change_at_a_time_and_reset_to_the_start(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    undo, reset = lab.action("undo"), lab.action("reset")
    assert undo.is_disabled()
    assert reset.is_disabled()
    for size in (16, 32):
        lab.type("G", str(size))
        lab.shows(G=size)
        lab.page.wait_for_timeout(900)  # changes within a moment count as one
    undo.click()
    settled(lab, {"G": 16})
    lab.page.locator("[data-summary]").click()
    lab.slider("p").focus()
    lab.page.keyboard.press("Control+z")
    settled(lab, {})
    assert undo.is_disabled()

    lab.type("G", "32")
    lab.shows(G=32)
    lab.page.wait_for_timeout(900)
    reset.click()
    settled(lab, {})
    assert reset.is_disabled()
    undo.click()
    settled(lab, {"G": 32})


def test_a_whole_drag_is_undone_at_once(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    lab.drag("p", 0.7)
    lab.shows(p=lab.look()["controls"]["p"])
    lab.action("undo").click()
    settled(lab, {})


def test_undo_in_a_field_belongs_to_the_field(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    lab.type("G", "16")
    lab.shows(G=16)
    lab.page.wait_for_timeout(900)
    lab.field("p").focus()
    lab.page.keyboard.press("Control+z")
    lab.page.wait_for_timeout(300)
    lab.shows(G=16)


def test_the_address_follows_the_state_and_is_bare_at_the_defaults(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/signal/"), "signal")
    lab.type("p", "0,9")
    lab.shows(p=0.9)
    lab.page.wait_for_url("**/?*p=0.9*")
    lab.page.reload()
    settled(lab, {"p": 0.9})
    lab.action("reset").click()
    settled(lab, {})
    lab.page.wait_for_url("**/ru/labs/signal/")


@pytest.mark.parametrize("options", [{"permissions": ["clipboard-read", "clipboard-write"]}], ids=[""])
def test_the_copied_link_opens_the_same_state(open_page: Open) -> None:
    lab = Lab(open_page("ru/"), "signal")
    lab.type("p", "0,9")
    lab.shows(p=0.9)
    lab.action("link").click()
    expect(lab.action("link")).to_have_text("Скопировано")
    link = lab.page.evaluate("navigator.clipboard.readText()")
    assert "/courses/rlvr/ru/labs/signal/?" in link
    lab.page.goto(link)
    settled(lab, {"p": 0.9})
    lab.page.goto("about:blank")


COLOURS = """() => [...new Set([...Bokeh.documents[0]._all_models.values()].flatMap(model => [...model]
  .filter(property => property.attr.endsWith('color') && !property.is_unset).map(property => property.get_value()))
  .map(value => value?.value ?? value).filter(value => typeof value === 'string' && value.startsWith('#')))]"""


def painted(lab: Lab, theme: str) -> None:
    """The page and every colour of the figures are the theme's."""
    other = PALETTE["light" if theme == "dark" else "dark"]
    paper = lab.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()")
    assert paper == PALETTE[theme]["paper"]
    lab.page.wait_for_function(f"theirs => !({COLOURS})().some(one => theirs.includes(one))", arg=list(other.values()))
    # Parts that Bokeh never draws keep colours of its own.
    assert PALETTE[theme]["muted"] in lab.page.evaluate(COLOURS)


def test_the_theme_is_chosen_kept_and_painted(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/clip/"), "clip")
    painted(lab, "light")
    select = lab.page.locator("#theme")
    select.select_option("dark")
    painted(lab, "dark")
    lab.page.reload()
    lab.shows()
    painted(lab, "dark")
    assert select.input_value() == "dark"
    lab.page.emulate_media(color_scheme="dark")
    select.select_option("light")
    painted(lab, "light")
    select.select_option("auto")
    painted(lab, "dark")
    lab.page.emulate_media(color_scheme="light")
    painted(lab, "light")
    lab.page.reload()
    assert select.input_value() == "auto"


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}], ids=[""])
@pytest.mark.parametrize("name", lab_paths())
def test_a_dark_system_gets_dark_figures(open_page: Open, name: str) -> None:
    painted(Lab(open_page(f"ru/labs/{name}/"), name), "dark")


def test_a_blocked_store_breaks_nothing(open_page: Open, context: Any) -> None:
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', "
        "{ get() { throw new DOMException('blocked', 'SecurityError') } })"
    )
    lab = Lab(open_page("ru/labs/clip/"), "clip")
    lab.page.locator("#theme").select_option("dark")
    painted(lab, "dark")
    lab.type("ratio", "2")
    lab.shows(ratio=2.0)


def test_a_change_made_before_python_has_come_is_kept(open_page: Open, context: Any) -> None:
    held: list[Any] = []
    context.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    page = open_page("ru/labs/signal/?G=16", ready=False)
    page.locator("#lab[data-figures=shown]").wait_for()
    lab = Lab(page, "signal")
    lab.type("p", "0,7")
    page.wait_for_timeout(300)
    for route in held:
        route.continue_()
    page.locator("#lab[data-python=ready]").wait_for()
    settled(lab, {"p": 0.7, "G": 16})


def test_the_words_for_scripts_in_a_page_are_plain_data(open_page: Open) -> None:
    page = open_page("en/labs/signal/")
    for name in ("lab-words", "runtime-files"):
        assert json.loads(page.locator(f"#{name}").text_content() or "")
