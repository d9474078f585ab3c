"""The labs: each folder here is one lab, found by its `lab.py`; adding a lab is adding a folder."""

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pycore.control import Control
from web.labs.frame import Frame

HERE = Path(__file__).parent


class Lab(NamedTuple):
    """What a lab's `lab.py` declares: what can be set, and what follows from it."""

    name: str
    controls: tuple[Control, ...]
    compute: Callable[[Mapping[str, Any]], Frame]


def names() -> tuple[str, ...]:
    """The labs in the order of the course, which their `lab.py` states as ORDER."""
    found = [path.name for path in HERE.iterdir() if any((path / f"lab.{end}").exists() for end in ("py", "pyc"))]
    return tuple(sorted(found, key=lambda name: (importlib.import_module(f"web.labs.{name}.lab").ORDER, name)))


def load(name: str) -> Lab:
    """The lab in the folder `name`."""
    module = importlib.import_module(f"web.labs.{name}.lab")
    return Lab(name, module.CONTROLS, module.compute)


def catalogue() -> dict[str, tuple[Control, ...]]:
    """Every lab's controls, as `pycore.scenario` checks against."""
    return {name: load(name).controls for name in names()}
