"""Oracle: nbclient. The notebook that the page makes runs from top to bottom in a real kernel."""

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.browser.conftest import Open
from web import labs
from web.labs.texts import LANGUAGES


@pytest.mark.filterwarnings("ignore")  # the kernel's libraries warn about themselves
@pytest.mark.parametrize(("name", "language"), list(zip(labs.names(), (*LANGUAGES, LANGUAGES[0]), strict=True)))
def test_the_notebook_from_the_page_runs(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, language: str
) -> None:
    page = open_page(f"{language}/labs/{name}/")
    with page.expect_download() as download:
        page.locator("[data-action=colab]").click()
    assert download.value.suggested_filename == f"{name}-{language}.ipynb"
    target = tmp_path / download.value.suggested_filename
    download.value.save_as(target)
    notebook = nbformat.from_dict(json.loads(target.read_text(encoding="utf-8")))
    nbformat.validate(notebook)
    # The kernel starts in an empty folder and must not see the repository: the notebook carries what it needs.
    monkeypatch.setenv("PYTHONPATH", "")
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs)
