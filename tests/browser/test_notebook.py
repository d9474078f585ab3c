"""Oracle: the native build of the same state; tests/notebook runs those very notebooks from top to bottom."""

import pytest

from web.builder.carry import sources_json
from web.labs import export


@pytest.mark.parametrize(
    ("lab", "language", "query"),
    [
        ("signal", "ru", "p=0.9&G=16&B=8&spread=0.3&correlation=0.2&groups=50&seed=5"),
        ("advantage", "en", ""),
        ("clip", "ru", "ratio=3.2&size=0.5&dual=true&cap=2.5"),
    ],
)
def test_the_button_downloads_the_notebook_of_the_state_on_screen(lab, language, query, open_page):
    page = open_page(f"{language}/labs/{lab}/?{query}")
    with page.expect_download() as caught:
        page.locator("[data-action=colab]").click()
    assert caught.value.suggested_filename == f"{lab}-{language}.ipynb"
    expected = export.notebook(lab, language, query, sources_json())
    assert caught.value.path().read_bytes() == expected.encode()
    # The lab stays alive afterwards.
    page.locator("#lab[data-python=ready]").wait_for()
    assert page.locator("[data-action=colab]").is_enabled()
    assert page.locator("[data-problem]").is_hidden()


def test_an_embed_exports_too(open_page):
    page = open_page("en/embed/signal/?p=0.25")
    with page.expect_download() as caught:
        page.locator("[data-action=colab]").click()
    assert caught.value.path().read_bytes() == export.notebook("signal", "en", "p=0.25", sources_json()).encode()


def test_the_lab_of_training_gives_the_folders_of_engines_for_several_cards(open_page):
    page = open_page("en/labs/train/?protocol=gspo&G=16")
    page.locator("#lab[data-python=ready]").wait_for(timeout=60_000)
    for engine in ("trl", "verl"):
        with page.expect_download() as caught:
            page.locator(f"[data-action={engine}]").click()
        assert caught.value.suggested_filename == f"rlvr-{engine}.zip"
        expected = export.cluster(engine, "preset=gspo&group=16", sources_json())
        assert caught.value.path().read_bytes() == expected
    assert page.locator("[data-problem]").is_hidden()
