"""Oracle: the labs' engine run natively. Whatever a hand does, the words on the screen are what Python says."""

import pytest

from tests.browser.conftest import Open, lab_paths
from tests.browser.driver import Lab, expected
from web.labs import engine

LANGUAGES = ("ru", "en")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", lab_paths())
def test_a_lab_opens_at_its_defaults_and_becomes_ready(open_page: Open, name: str, language: str) -> None:
    lab = Lab(open_page(f"{language}/labs/{name}/"), name, language)
    lab.shows()
    assert lab.page.locator("[data-state]").is_hidden()
    assert lab.page.locator(".plot canvas").count() >= 2


@pytest.mark.parametrize(
    ("name", "slider", "share"), [("signal", "p", 0.8), ("clip", "ratio", 0.25), ("advantage", "eps", 0.9)]
)
def test_dragging_a_slider_changes_the_words(open_page: Open, name: str, slider: str, share: float) -> None:
    lab = Lab(open_page(f"ru/labs/{name}/"), name)
    before = lab.look()
    lab.drag(slider, share)
    value = lab.look()["controls"][slider]
    assert value != before["controls"][slider]
    after = lab.shows(**{slider: value})
    assert after["summary"] != before["summary"] or after["readouts"] != before["readouts"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["0,37", "0.37", " 37e-2 "])
def test_a_number_may_be_typed_with_a_comma_or_a_point(open_page: Open, language: str, text: str) -> None:
    lab = Lab(open_page(f"{language}/labs/signal/"), "signal", language)
    lab.type("p", text)
    lab.shows(p=0.37)
    assert lab.field("p").input_value() == ("0,37" if language == "ru" else "0.37")
    assert lab.slider("p").input_value() == "0.37"


def test_a_value_between_the_slider_s_steps_is_kept_exactly(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    lab.type("p", "0.1234")
    lab.shows(p=0.1234)
    assert lab.field("p").input_value() == "0.1234"


def test_leaving_the_field_confirms_what_was_typed(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    lab.field("G").fill("32")
    lab.page.keyboard.press("Tab")
    lab.shows(G=32)


@pytest.mark.parametrize(
    "options", [{"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}], ids=[""]
)
def test_a_finger_along_a_slider_moves_it_and_one_that_scrolls_the_page_does_not(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/signal/"), "signal")
    slider, page = lab.slider("p"), lab.page
    slider.scroll_into_view_if_needed()
    touch = page.context.new_cdp_session(page)

    def swipe(across: float, down: float) -> None:
        box = slider.bounding_box()
        assert box is not None
        x, y = box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2
        path = [("touchStart", [(x, y)])] + [("touchMove", [(x + across * k, y + down * k)]) for k in range(1, 8)]
        for kind, points in [*path, ("touchEnd", [])]:
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]})

    swipe(15, 0)
    moved = lab.look()["controls"]["p"]
    assert moved != engine.state_of("signal", "ru", "")[0]["p"]
    lab.shows(p=moved)
    before = page.evaluate("scrollY")
    swipe(0, -25)
    page.wait_for_function("before => scrollY > before + 50", arg=before)
    lab.shows(p=moved)


def test_the_keyboard_alone_moves_a_slider(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/signal/"), "signal")
    lab.slider("G").focus()
    for key, value in [("ArrowRight", 9), ("ArrowUp", 10), ("ArrowLeft", 9), ("End", 64), ("Home", 2)]:
        lab.page.keyboard.press(key)
        lab.shows(G=value)


def test_arrows_move_the_number_in_the_field(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/signal/"), "signal")
    lab.field("p").focus()
    for key, value in [("ArrowUp", 0.11), ("ArrowUp", 0.12), ("ArrowDown", 0.11)]:
        lab.page.keyboard.press(key)
        lab.shows(p=value)
        assert lab.field("p").evaluate("it => it.matches(':focus')")


@pytest.mark.parametrize("name", lab_paths())
def test_tab_reaches_every_control_in_the_order_of_the_page(open_page: Open, name: str) -> None:
    page = open_page(f"en/labs/{name}/")
    page.locator("#theme").focus()
    reached: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        where = page.evaluate(
            """() => document.activeElement?.closest('[data-root^=control]')?.dataset.root
              ?? document.activeElement?.dataset.action ?? ''"""
        )
        if where and where not in reached:
            reached.append(where)
        if where == "embed":
            break
    places = page.locator('.slot[data-root^="control:"]').evaluate_all("all => all.map(one => one.dataset.root)")
    assert sorted(places) == sorted(f"control:{control.name}" for control in engine.lab_of(name).controls)
    # Groups may stand in another order than the address; a folded one is passed over.
    controls = [slot for slot in places if page.locator(f'[data-root="{slot}"]').is_visible()]
    texts = ["copy-text"] if page.locator("[data-action=copy-text]").count() else []
    # At the defaults there is nothing to undo or reset, and nothing that is disabled takes the focus.
    assert reached == [*controls, *texts, "link", "colab", "embed"]


def test_the_skip_link_comes_first_and_leads_to_the_content(open_page: Open) -> None:
    page = open_page("en/labs/signal/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["y"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")


def test_a_choice_and_a_switch_change_the_words(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/advantage/"), "advantage")
    lab.control("ddof", "select").select_option("1")
    lab.shows(ddof="1")
    lab.control("scale", "select").select_option("none")
    lab.control("baseline", "select").select_option("leave_one_out")
    lab.shows(scale="none", ddof="1", baseline="leave_one_out")

    lab = Lab(open_page("ru/labs/clip/?ratio=3"), "clip")
    before = lab.shows(ratio=3.0)
    box = lab.control("dual", "input")
    box.check()
    lab.type("cap", "2,5")
    after = lab.shows(ratio=3.0, dual=True, cap=2.5)
    assert after["readouts"] != before["readouts"]
    box.focus()
    lab.page.keyboard.press("Space")
    lab.shows(ratio=3.0, dual=False, cap=2.5)


def test_a_list_of_rewards_can_be_edited_lengthened_shortened_and_pasted(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/advantage/"), "advantage")
    cells = lab.control("rewards", "input.field")
    cells.nth(1).fill("0,5")
    cells.nth(1).press("Enter")
    lab.shows(rewards=(1, 0.5, 0, 0))
    cells.nth(2).focus()
    lab.page.keyboard.press("ArrowUp")
    lab.shows(rewards=(1, 0.5, 0.1, 0))

    add, remove = lab.control("rewards", "button.step").nth(1), lab.control("rewards", "button.step").nth(0)
    add.click()
    lab.shows(rewards=(1, 0.5, 0.1, 0, 0))
    remove.click()
    remove.click()
    lab.shows(rewards=(1, 0.5, 0.1))

    for text, values in [
        ("[1, 1, 0, 0, 1]", (1, 1, 0, 0, 1)),
        ("1; 0,25; −1", (1, 0.25, -1)),
        ("0.5 0.5\n1", (0.5, 0.5, 1)),
    ]:
        cells.first.focus()
        cells.first.evaluate(
            """(field, text) => {
              const data = new DataTransfer()
              data.setData('text/plain', text)
              field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
            }""",
            text,
        )
        lab.shows(rewards=values)
        assert cells.count() == len(values)


def test_the_list_stops_at_its_fewest_and_most(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/advantage/?rewards=1"), "advantage", "en")
    lab.shows(rewards=(1,))
    remove, add = (lab.control("rewards", "button.step").nth(index) for index in (0, 1))
    assert remove.is_disabled()
    for _ in range(15):
        add.click()
    assert add.is_disabled()
    lab.shows(rewards=(1,) + (0,) * 15)


def test_the_latest_of_many_quick_changes_wins_and_few_are_computed(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/signal/?groups=2000"), "signal")
    lab.page.evaluate(
        """() => {
          window.answers = 0
          new MutationObserver(() => { window.answers += 1 }).observe(
            document.querySelector('[data-summary]'), { childList: true, characterData: true, subtree: true })
          const host = document.querySelector('[data-root="control:p"] > *')
          const range = host.shadowRoot.querySelector('input[type=range]')
          for (let step = 1; step <= 60; step += 1) {
            range.value = String(step / 100)
            range.dispatchEvent(new Event('input', { bubbles: true }))
          }
        }"""
    )
    lab.shows(p=0.6, groups=2000)
    lab.page.wait_for_timeout(300)
    lab.shows(p=0.6, groups=2000)
    assert 1 <= lab.page.evaluate("window.answers") <= 3


def test_a_quick_drag_shows_only_states_that_python_computed(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    lab.page.evaluate(
        """() => {
          window.summaries = []
          new MutationObserver(() => window.summaries.push(document.querySelector('[data-summary]').textContent))
            .observe(document.querySelector('[data-summary]'), { childList: true })
        }"""
    )
    lab.drag("p", 0.7)
    lab.shows(p=lab.look()["controls"]["p"])
    possible = {expected("signal", "en", {"p": round(step / 100, 2)})["summary"] for step in range(101)}
    assert set(lab.page.evaluate("window.summaries")) <= possible


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_opens_and_a_control_returns_to_its_default(open_page: Open, language: str) -> None:
    lab = Lab(open_page(f"{language}/labs/signal/"), "signal", language)
    question = lab.control("spread", "button.icon").last
    assert question.get_attribute("aria-expanded") == "false"
    question.click()
    assert question.get_attribute("aria-expanded") == "true"
    assert lab.control("spread", ".help").inner_text() == engine.words("signal", language)["controls"]["spread"]["help"]
    question.click()
    assert lab.control("spread", ".help").is_hidden()

    lab.type("spread", "0.4")
    lab.shows(spread=0.4)
    lab.control("spread", "button.icon").first.click()
    lab.shows()


def test_a_screen_reader_hears_where_a_movement_ended(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/"), "signal", "en")
    lab.slider("G").focus()
    lab.page.keyboard.press("ArrowRight")
    lab.page.keyboard.press("ArrowRight")
    seen = lab.shows(G=10)
    lab.page.wait_for_function(
        "text => document.querySelector('[data-spoken]').textContent === text", arg=seen["summary"]
    )
    assert lab.slider("G").get_attribute("aria-valuetext") == "10"


def test_the_front_page_s_lab_is_the_same_lab(open_page: Open) -> None:
    lab = Lab(open_page("ru/"), "signal")
    lab.type("p", "0,9")
    lab.shows(p=0.9)
