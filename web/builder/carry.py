"""Which of the repository's files travel: to the browser at once, and to the notebook when somebody asks for one."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from colab.carry import closure
from web import labs

TOP = Path(__file__).parents[2]
LABS, BOARD = TOP / "web" / "labs", TOP / "web" / "dashboard"
EXPORT = TOP / "colab" / "export"
AT_BUILD_TIME = ("author", "charts", "drawing", "export")  # of the labs' shared modules: the last is carried apart
COMMAND_LINE = ("__main__.py", "pool.py")  # of pycore's files the only ones that touch files and processes


def _texts(paths: Iterable[Path]) -> dict[str, str]:
    return {path.relative_to(TOP).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def carried() -> dict[str, str]:
    """The Python that the browser and the notebook run, path to text: `pycore` and the labs' mathematics."""
    shared = [path for path in LABS.glob("*.py") if path.stem not in AT_BUILD_TIME]
    core = [path for path in (TOP / "pycore").rglob("*.py") if path.name not in COMMAND_LINE]
    board = BOARD.glob("*.py")
    return _texts([*core, TOP / "web" / "__init__.py", *shared, *board, *LABS.glob("*/*.py")])


@cache
def application() -> dict[str, dict[str, str]]:
    """What the worker unpacks, by archive: `app` when it starts, a lab's own when that lab is asked for, `export` late.

    Whatever `app` holds is in no other archive; what two labs share beyond it is in both.
    """
    exported = [path for path in EXPORT.glob("*.py") if path.name not in COMMAND_LINE]
    practicum = (TOP / "colab" / "practicum").glob("*.py")
    programs = carried() | _texts([LABS / "export.py", *(TOP / "colab").glob("*.py"), *practicum, *exported])
    core = closure(programs, ["web.labs.engine", "web.labs.stream"]) | _texts(LABS.glob("*.toml"))
    found = {"app": core, "export": closure(programs, ["web.labs.export"])}
    for folder in sorted(path.parent for path in LABS.glob("*/lab.py")):
        own = closure(programs, [f"web.labs.{folder.name}.lab"])
        component = labs.load(folder.name).component
        words = (TOP / "web" / component).glob("*.toml") if component else []
        found[f"labs/{folder.name}"] = own | _texts([*folder.glob("*.toml"), *words])
    return {
        name: {path: text for path, text in files.items() if name == "app" or path not in core}
        for name, files in found.items()
    }


def sources() -> dict[str, str]:
    """What notebooks are made from, path to text: `carried`, words, colours, cells and the drawing of stills."""
    cells = [path for path in (TOP / "colab" / "cells").rglob("*.py") if path.stem != "__init__"]
    # The practicum's own code: only its notebook takes it along.
    practicum = [path for path in (TOP / "colab").glob("*.py") if path.name not in COMMAND_LINE]
    practicum += [path for path in (TOP / "colab" / "practicum").glob("*") if path.suffix in (".py", ".toml")]
    words = [
        *LABS.rglob("*.toml"),
        *BOARD.glob("*.toml"),
        *(TOP / "web" / "recorded").glob("*.jsonl"),
        TOP / "web" / "shell" / "palette.toml",
        *(TOP / "pycore").rglob("*.jsonl"),
    ]
    # Into an exported folder go its own programs, and what prepares its data.
    folder = [
        path for path in (EXPORT / "files").iterdir() if path.suffix in (".py", ".md") and path.stem != "__init__"
    ]
    # The lab of protocols speaks of libraries by these.
    mappings = [TOP / "colab" / f"{name}.py" for name in ("mapping", "trl", "verl")]
    data = [*mappings, TOP / "colab" / "__init__.py", EXPORT / "__init__.py", EXPORT / "dataset.py"]
    return carried() | _texts([*words, *cells, *practicum, LABS / "charts.py", *folder, *data])


def sources_json() -> str:
    """`sources` in the form in which the worker fetches them."""
    return json.dumps(sources(), ensure_ascii=False, sort_keys=True)
