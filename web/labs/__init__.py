"""The labs: each folder here is one lab, found by its `lab.py`; adding a lab is adding a folder."""

from functools import cache
from pathlib import Path

from pycore.control import Control
from web.labs.contract import Lab, read

HERE = Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """The labs in the order of the course."""
    found = [path.name for path in HERE.iterdir() if any((path / f"lab.{end}").exists() for end in ("py", "pyc"))]
    return tuple(sorted(found, key=lambda name: (load(name).order, name)))


@cache
def load(name: str) -> Lab:
    """The lab in the folder `name`."""
    return read(name)


def catalogue() -> dict[str, tuple[Control, ...]]:
    """Every lab's controls, as `pycore.scenario` checks against."""
    return {name: load(name).controls for name in names()}


def components() -> tuple[str, ...]:
    """The folders of `web` that labs take further parts of their page from."""
    return tuple(sorted({load(name).component for name in names()} - {""}))


def files() -> tuple[str, ...]:
    """Every file of the repository that some lab reads."""
    return tuple(sorted({path for name in names() for path in load(name).files}))
