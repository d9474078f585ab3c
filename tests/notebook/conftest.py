"""Notebooks as a learner meets them: a new kernel, an empty folder, no repository on the path, no network."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from web.builder.carry import sources_json
from web.labs import export

# Runs before the notebook: whatever leaves this machine fails.
OFFLINE = """
import sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        raise RuntimeError(f"the notebook asked for {arguments}")
    if event == "socket.connect" and isinstance(arguments[1], tuple) and not arguments[1][0].startswith("127."):
        raise RuntimeError(f"the notebook connects to {arguments[1]}")
sys.addaudithook(refuse)
"""


# Runs after it: where its modules came from.
def origin(packages: tuple[str, ...]) -> str:
    return f"import {', '.join(packages)}; print({', '.join(f'{package}.__file__' for package in packages)}, sep='\\n')"


Run = Callable[[Any], Any]


@pytest.fixture(scope="session")
def files() -> str:
    """What the browser fetches before it makes a notebook."""
    return sources_json()


@pytest.fixture
def book(files: str) -> Callable[[str, str, str], Any]:
    """Makes a notebook and checks it against the format's own schema."""

    def make(lab: str, language: str, query: str) -> Any:
        made = nbformat.reads(export.notebook(lab, language, query, files), as_version=4)
        nbformat.validate(made)
        return made

    return make


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Executes a notebook from top to bottom; returns it with its outputs."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # two threads on two busy cores wait for each other
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    folder = tmp_path / "empty"

    def execute(
        book: Any, *, packages: tuple[str, ...] = ("pycore", "web"), timeout: int = 120, again: bool = False
    ) -> Any:
        if not again:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        whole = nbformat.from_dict(book)
        before, after = nbformat.v4.new_code_cell(OFFLINE), nbformat.v4.new_code_cell(origin(packages))
        whole.cells = [before, *whole.cells, after]
        NotebookClient(
            whole, timeout=timeout, startup_timeout=600, resources={"metadata": {"path": str(folder)}}
        ).execute()
        *_, last = whole.cells
        origins = last.outputs[0].text.split()
        assert [Path(path).parent for path in origins] == [folder / "rlvr_lab" / package for package in packages]
        whole.cells = whole.cells[1:-1]
        return whole

    return execute


def printed(book: Any) -> str:
    """All that the cells printed."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


def pictures(book: Any) -> int:
    """How many figures the cells drew."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    return sum("image/png" in output.get("data", {}) for output in outputs)
