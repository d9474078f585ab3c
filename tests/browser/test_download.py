"""Oracle: nbclient. The notebook that the page makes runs from top to bottom in a real kernel."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.browser.conftest import REPRESENTATIVE, Open
from web.labs.texts import LANGUAGES


@pytest.mark.filterwarnings("ignore")  # the kernel's libraries warn about themselves
@pytest.mark.parametrize(("name", "language"), list(zip(REPRESENTATIVE, (*LANGUAGES, LANGUAGES[0]), strict=True)))
def test_the_notebook_from_the_page_runs(open_page: Open, tmp_path: Path, name: str, language: str) -> None:
    page = open_page(f"{language}/labs/{name}/")
    with page.expect_download() as download:
        page.locator("[data-action=colab]").click()
    assert download.value.suggested_filename == f"{name}-{language}.ipynb"
    target = tmp_path / download.value.suggested_filename
    download.value.save_as(target)
    nbformat.validate(nbformat.read(target, as_version=4))
    # A process of its own: the kernel's client wants an event loop, and must not see the repository.
    ran = subprocess.run(
        [sys.executable, "-c", "from nbclient.cli import main; main()", "--inplace", target.name],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    cells = nbformat.read(target, as_version=4).cells
    assert any(output for cell in cells if cell.cell_type == "code" for output in cell.outputs)
