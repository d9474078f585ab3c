"""`python -m colab.execute NOTEBOOK [--switch NAME[=off]] [--folder FOLDER] [-o FILE]`: run from top to bottom.

    python -m colab "lab=practicum&trainer=trl" -o tiny.ipynb
    python -m colab.execute tiny.ipynb
    python -m colab "lab=practicum&model=smollm2&operation=sum&smallest=1&largest=12" -o smollm2.ipynb
    python -m colab.execute smollm2.ipynb --switch RUN_REAL_MODEL --switch ON_PROCESSOR

The notebook is written over with its outputs, unless `-o` names another file. A run that was interrupted goes on in its
folder.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from pycore.domain import DomainError

LONGEST = 6 * 60 * 60


def main(arguments: list[str] | None = None) -> None:
    """Executes a notebook, or says which cell failed; what had been printed until then is kept."""
    parser = argparse.ArgumentParser(prog="python -m colab.execute", description="Runs a notebook, keeps its outputs.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--switch", action="append", default=[], metavar="NAME[=off]", help="a box of the first form")
    parser.add_argument("--folder", type=Path, help="where its cells write; by default beside it, under its name")
    parser.add_argument("-o", "--output", type=Path, help="the file to write; by default the notebook itself")
    given = parser.parse_args(arguments)
    switches = {name: value != "off" for name, _, value in (switch.partition("=") for switch in given.switch)}
    target: Path = given.output or given.notebook
    try:
        book: Any = nbformat.reads(given.notebook.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
        switch(book, switches)
        failed = run(book, given.folder or given.notebook.with_suffix(""))
        nbformat.write(book, target)  # type: ignore[no-untyped-call]
    except (DomainError, OSError, ValueError) as error:
        sys.exit(f"colab.execute: {error}")
    if failed:
        sys.exit(failed)
    print(target)


def switch(book: Any, switches: Mapping[str, bool]) -> None:
    """Sets boxes of the first form as a learner would.

    Raises:
        DomainError: a name that no box has.
    """
    for name, value in switches.items():
        line = re.compile(rf"^{re.escape(name)} = (True|False)(?=  # @param)", flags=re.M)
        cells = [cell for cell in book.cells if cell.cell_type == "code" and line.search(cell.source)]
        if not cells:
            raise DomainError("switch", name, "a box of the notebook's first form")
        cells[0].source = line.sub(f"{name} = {value}", cells[0].source)


def run(book: Any, folder: Path) -> str:
    """Executes every cell in a folder; returns what went wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        NotebookClient(
            book, timeout=LONGEST, startup_timeout=600, resources={"metadata": {"path": str(folder)}}
        ).execute()
    except CellExecutionError as error:
        return f"{error.ename}: {error.evalue}"
    return ""


if __name__ == "__main__":
    main()
