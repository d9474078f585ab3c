"""The labs: each folder here is one lab, found by its `lab.py`; adding a lab is adding a folder."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pycore.control import Control
from web.labs.frame import Frame
from web.labs.process import Process, still

HERE = Path(__file__).parent


class Lab(NamedTuple):
    """What a lab's `lab.py` declares: what can be set, and what follows from it."""

    name: str
    controls: tuple[Control, ...]
    compute: Callable[[Mapping[str, Any]], Frame | Iterator[Frame | float]]
    process: Process | None = None

    def frame(self, values: Mapping[str, Any], *, end: bool = False) -> Frame:
        """What the lab shows at these values; of a process its telling frame, or the last one."""
        found = self.compute(values)
        return found if isinstance(found, Frame) else still(self.process or Process(), iter(found), end=end)


def names() -> tuple[str, ...]:
    """The labs in the order of the course, which their `lab.py` states as ORDER."""
    found = [path.name for path in HERE.iterdir() if any((path / f"lab.{end}").exists() for end in ("py", "pyc"))]
    return tuple(sorted(found, key=lambda name: (importlib.import_module(f"web.labs.{name}.lab").ORDER, name)))


def load(name: str) -> Lab:
    """The lab in the folder `name`."""
    module = importlib.import_module(f"web.labs.{name}.lab")
    return Lab(name, module.CONTROLS, module.compute, getattr(module, "PROCESS", None))


def catalogue() -> dict[str, tuple[Control, ...]]:
    """Every lab's controls, as `pycore.scenario` checks against."""
    return {name: load(name).controls for name in names()}
