"""Oracle: the labs' engine run natively. What every lab has by contract: presets, question, data, hide and lock."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.driver import Lab
from web.labs import engine


def test_the_answer_is_shown_only_after_the_learner_has_committed(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/condorcet/"), "condorcet", "en")
    answer, commit = lab.page.locator(".predict-answer"), lab.page.get_by_role("button", name="Commit")
    assert answer.is_hidden()
    commit.click()  # nothing is chosen yet
    assert answer.is_hidden()
    lab.page.get_by_label("nobody").check()
    commit.click()
    expect(answer).to_contain_text("Right.")
    assert engine.reveal("condorcet", "en") in answer.inner_text()
    lab.shows(**engine.lab_of("condorcet").predict.state)


def test_own_data_is_read_as_csv_and_json_and_a_wrong_entry_is_named(open_page: Open) -> None:
    lab = Lab(open_page("ru/labs/condorcet/?source=rankings"), "condorcet")
    area = lab.control("rankings", "textarea")
    area.fill("order;count\nABC;3\nBAC;1")
    lab.control("rankings", "button.again").click()
    lab.shows(source="rankings", rankings=((3, "ABC"), (1, "BAC")))
    expect(area).to_have_value("count, order\n3, ABC\n1, BAC")
    area.fill(json.dumps([{"order": "CAB", "count": 2}, {"order": "ABC", "count": 1}]))
    area.press("Control+Enter")
    seen = lab.shows(source="rankings", rankings=((2, "CAB"), (1, "ABC")))
    area.fill("2, CAB\n1, ABX")
    area.press("Control+Enter")
    expect(lab.message("rankings")).to_contain_text("строка 2, столбец order: «ABX»")
    assert lab.look()["summary"] == seen["summary"]
    assert area.input_value() == "2, CAB\n1, ABX", "what was typed is kept"
    lab.page.wait_for_timeout(400)
    assert "rankings=2:CAB,1:ABC" in lab.page.url


def test_a_teacher_hides_and_locks_controls_and_a_wrong_name_is_told(open_page: Open) -> None:
    lab = Lab(open_page("en/labs/signal/?B=100&hide=groups,spread&lock=B,nonsense"), "signal", "en")
    lab.shows(B=100)
    assert "nonsense" in lab.page.locator("[data-problem]").inner_text()
    assert lab.control("groups").is_hidden()
    assert lab.control("spread").is_hidden()
    assert lab.field("B").is_disabled()
    assert lab.control("B", "button[aria-expanded]").is_enabled()
    lab.page.locator(".presets a").first.click()
    lab.shows(**{**engine.lab_of("signal").presets["solved"], "B": 100})
    lab.page.wait_for_timeout(400)
    assert "lock=B" in lab.page.url
    assert "hide=groups,spread" in lab.page.url
    lab.page.reload()
    lab.page.locator("#lab[data-python=ready]:not([data-awaiting])").wait_for()
    assert lab.field("B").is_disabled()


@pytest.mark.parametrize("language", ["ru", "en"])
def test_controls_appear_where_they_matter_and_the_preset_on_screen_is_marked(open_page: Open, language: str) -> None:
    lab = Lab(open_page(f"{language}/labs/condorcet/"), "condorcet", language)
    assert lab.control("rankings").is_hidden()
    first = lab.page.locator(".presets a").first
    first.click()
    lab.shows(source="rankings")
    expect(first).to_have_attribute("aria-current", "true")
    assert lab.control("rankings").is_visible()
    assert lab.control("share").is_hidden()
    lab.control("source", "select").select_option("pairs")
    lab.shows()
    assert lab.control("share").is_visible()
    assert first.get_attribute("aria-current") is None
