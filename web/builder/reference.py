"""The reference page: what `pycore` says of itself, read from its source, and every preset's formula."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pycore import protocol_words
from pycore.protocol import PRESETS, Protocol
from web.labs.texts import Writer

PYCORE = Path(inspect.getfile(Protocol)).parent
ALWAYS = (
    "baseline",
    "scale",
    "ratio",
    "clip",
    "aggregation",
    "accumulation",
    "kl_coefficient",
    "truncation",
    "iterations",
)
SECTIONS = ("Args", "Attributes", "Returns", "Yields", "Raises", "Source")


@dataclass(frozen=True)
class Entry:
    """One public name.

    Attributes:
        name: as imported, with its module.
        signature: as written, one line.
        sections: heading to text, in the order written; the opening paragraphs have the heading "".
    """

    name: str
    signature: str
    sections: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Module:
    """One module: its name, what it says of itself, its public names."""

    name: str
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Preset:
    """One named protocol: its formula in TeX and how each of its axes is set, in words."""

    name: str
    formula: str
    axes: tuple[tuple[str, str], ...]


def modules() -> list[Module]:
    """Every public module of `pycore` with a docstring, by name."""
    found = []
    for path in sorted(PYCORE.rglob("*.py")):
        parts = path.relative_to(PYCORE.parent).with_suffix("").parts
        if any(part.startswith("_") and part != "__init__" for part in parts):
            continue
        name = ".".join(part for part in parts if part != "__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        entries = tuple(_entries(name, tree))
        if entries or name == "pycore":
            found.append(Module(name, ast.get_docstring(tree) or "", entries))
    return found


def _entries(module: str, tree: ast.Module) -> Iterator[Entry]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        text = ast.get_docstring(node)
        if not text:
            continue
        if isinstance(node, ast.FunctionDef):
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            signature = f"{node.name}({ast.unparse(node.args)}){returns}"
        else:
            signature = f"class {node.name}"
        yield Entry(f"{module}.{node.name}", signature, tuple(_sections(text)))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Splits a docstring at its headings; an example is a section of its own, headed `>>>`."""
    heading, lines = "", list[str]()
    for line in text.splitlines():
        opened = next((name for name in SECTIONS if line.startswith(f"{name}:")), None)
        if line.startswith(">>>") and heading != ">>>":
            opened = ">>>"
        elif heading == ">>>" and not line.strip():
            opened = ""
        if opened is not None:
            if "\n".join(lines).strip():
                yield heading, inspect.cleandoc("\n".join(lines))
            heading, lines = opened, []
            line = line.removeprefix(f"{opened}:") if opened in SECTIONS else line
        lines.append(line)
    if "\n".join(lines).strip():
        yield heading, inspect.cleandoc("\n".join(lines))


def presets(language: str) -> list[Preset]:
    """Every preset in one language, in the order of `PRESETS`; an axis that stands idle at its default is left out."""
    place, plain, writer = protocol_words.LANGUAGES.index(language), Protocol(), Writer(language)
    made = []
    for name, protocol in PRESETS.items():
        axes = tuple(
            (protocol_words.AXES[f.name][place], _value(f.name, getattr(protocol, f.name), place, writer))
            for f in fields(protocol)
            if f.name in ALWAYS or getattr(protocol, f.name) != getattr(plain, f.name)
        )
        made.append(Preset(name, protocol.formula("latex"), axes))
    return made


def _value(axis: str, value: Any, place: int, writer: Writer) -> str:
    if isinstance(value, bool):
        return (("нет", "no"), ("да", "yes"))[value][place]
    kind = protocol_words.KINDS.get((axis, str(value)))
    return kind[place] if kind else writer.format("{:g}", value)
