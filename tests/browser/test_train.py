"""Oracle: the journal itself. A model is trained in the page; its run is shown, kept, downloaded and opened again."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from pycore import journal
from tests.browser.conftest import Open
from web.dashboard import recipe
from web.labs import engine

QUERY = "updates=2&batch=2&G=4&reference=none"

# Whether the browser's own store holds the run to its end.
KEPT = """() => new Promise(done => {
  const asked = indexedDB.open('rlvr-lab', 1)
  asked.onsuccess = () => {
    const got = asked.result.transaction('runs').objectStore('runs').get('last')
    got.onsuccess = () => done(Boolean(got.result?.lines.some(line => line.includes('"kind": "end"'))))
  }
})"""


def process(page: Page, state: str) -> None:
    page.locator(f"[data-process-state={state}]").wait_for()


def press(page: Page, name: str) -> None:
    page.locator(f"[data-process-action={name}]").click()


def updates(page: Page) -> int:
    text = page.locator("[data-runs] li .note").first.inner_text()
    return int("".join(filter(str.isdigit, text)))


def test_a_run_is_stepped_played_left_taken_up_again_and_compared(open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"ru/labs/train/?{QUERY}")
    summary = page.locator("[data-summary]")
    process(page, "paused")
    expect(summary).to_have_text(engine.answer("train", "ru", QUERY)["summary"])
    # Step by step: the first frames are the evaluation before training, the third is the first update.
    press(page, "step")
    for _ in range(2):
        page.locator("[data-process-action=step]").focus()
        page.keyboard.press("ArrowRight")
        process(page, "paused")
    press(page, "play")
    process(page, "ended")
    expect(summary).to_contain_text("Прогон закончен на обновлении 2.")
    with page.expect_download() as downloaded:
        page.locator("[data-runs] button").first.click()
    file = tmp_path / "run.jsonl"
    downloaded.value.save_as(file)
    found = journal.read(file.read_text(encoding="utf-8"))
    assert [record.update for record in found.of("update")] == [1, 2]
    values, _, _ = engine.state_of("train", "ru", QUERY)
    assert found.header.recipe == recipe.recipe(values).to_dict()
    assert page.locator("[data-best] tr").count() == 8
    assert page.locator("[data-groups] .token").count() > 8

    # Leaving and returning keeps it; its file opens on another page, beside a broken one that changes nothing.
    for _ in range(100):
        if page.evaluate(KEPT):
            break
        page.wait_for_timeout(100)
    page.reload()
    expect(summary).to_contain_text("Прогон закончен на обновлении 2.", timeout=60_000)
    assert updates(page) == 2

    board = open_page("en/labs/dashboard/")
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps({"journal": "journal/9"}))
    big = tmp_path / "nothing.json"
    big.write_text("{}")
    board.locator("#board-file").set_input_files([file, broken, big])
    expect(board.locator("[data-runs] li")).to_have_count(3)
    expect(board.locator("[data-board-problem]")).to_contain_text("“broken.jsonl” was not opened")
    expect(board.locator("[data-board-problem]")).to_contain_text("“nothing.json” was not opened")
    expect(board.locator("[data-summary]")).to_contain_text("Runs on the board: 3.")
    board.locator("[data-runs] li").nth(2).get_by_role("button", name="Remove").click()
    expect(board.locator("[data-runs] li")).to_have_count(2)


def test_a_frame_without_a_store_trains_and_who_dislikes_motion_is_asked_first(context: object, site: str) -> None:
    page = context.new_page()  # type: ignore[attr-defined]
    page.set_content(
        f'<iframe src="{site}en/embed/train/?{QUERY}" width="700" height="900" sandbox="allow-scripts"></iframe>'
    )
    frame = page.frame_locator("iframe")
    frame.locator("[data-process-state=paused]").wait_for(timeout=60_000)
    frame.locator("[data-process-action=play]").click(timeout=60_000)
    frame.locator("[data-process-state=ended]").wait_for(timeout=60_000)
    expect(frame.locator("[data-summary]")).to_contain_text("The run ended at update 2.")
