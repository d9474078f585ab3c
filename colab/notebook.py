"""Assembles a notebook: plain cells, the code they need, and the scenario; pure Python, the same bytes everywhere.

Whatever comes from a scenario enters code as a literal that Python itself wrote, and prose inside a code span.
"""

import ast
import builtins
import hashlib
import json
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from colab.carry import bound, closure, imported
from colab.percent import Cell, parse
from pycore.control import Choice, Control, Number, Numbers, Switch, Text, Value, write
from pycore.domain import DomainError
from pycore.rows import Rows
from pycore.scenario import SEED, Scenario

FOLDER = "rlvr_lab"
PLACE = re.compile(r"\{\{([\w.-]+)\}\}")


@dataclass(frozen=True)
class Form:
    """The words of the form: its title, one label for each control, and what the field for a code says."""

    title: str
    labels: Mapping[str, str]
    code: str


def build(
    scenario: Scenario,
    *,
    language: str,
    cells: Sequence[str],
    sources: Mapping[str, str],
    controls: Sequence[Control],
    form: Form,
    text: Mapping[str, Any],
    roots: Sequence[str] = (),
    data: Sequence[str] = (),
    gpu: str = "",
) -> dict[str, Any]:
    """The notebook of a scenario, as nbformat 4.5.

    Args:
        scenario: what the notebook opens with; every control named in it must be among `controls`.
        language: `ru` or `en`: which of the cells written for one language are taken.
        cells: percent-format files, in the order of the notebook.
        sources: path to text of everything that may be carried.
        controls: what the form lets a learner set.
        form: the form's words.
        text: what `{{a.b}}` in prose stands for, nested.
        roots: modules to carry beside those that the cells import.
        data: paths of further files to carry, which no import names.
        gpu: the card that Colab should offer, `T4` for one; empty for none.

    Raises:
        DomainError: a control value out of bounds, a control that does not exist, a placeholder or file without text.
    """
    values = _checked(scenario, controls)
    # The state as the controls write it, so that 0 and 0.0 do not make two notebooks of one.
    scenario = replace(scenario, controls={name: value for name, value in values.items() if name != SEED.name})
    parts = [cell for file in cells for cell in parse(file) if cell.language in ("", language)]
    code = [part.text for part in parts if part.kind == "code"]
    carried = closure(sources, [*roots, *(name for piece in code for name in imported(piece))])
    for path in data:
        if path not in sources:
            raise DomainError("data", path, ", ".join(sources))
        carried[path] = sources[path]
    carried = dict(sorted(carried.items()))
    given = {
        "LAB": scenario.lab,
        "LANGUAGE": language,
        "FOLDER": FOLDER,
        "SHA256": {path: _digest(content) for path, content in carried.items()},
    }
    taken = {*given, *dir(builtins), *(name for piece in code for name in bound(piece))}
    made = [
        cell
        for part in parts
        for cell in _cells(part, text, given, carried, lambda: form_cell(form, controls, values, taken))
    ]
    metadata: dict[str, Any] = {
        "colab": {"name": f"{scenario.lab}-{language}.ipynb", "provenance": [], "toc_visible": True},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "rlvr_lab": {"language": language, "scenario": json.loads(scenario.to_json())},
    }
    if gpu:
        metadata |= {"accelerator": "GPU"}
        metadata["colab"]["gpuType"] = gpu
    return {"cells": _identified(made), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def to_json(notebook: Mapping[str, Any]) -> str:
    """The notebook as a file's text: sorted keys, one line a line, ready to be encoded as UTF-8.

    >>> to_json({"cells": [], "nbformat": 4})
    '{\\n "cells": [],\\n "nbformat": 4\\n}\\n'
    """
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    # Half of a surrogate pair has no UTF-8 form; the escape that Python writes for it is JSON's own.
    return text.encode("utf-8", "backslashreplace").decode()


def form_cell(form: Form, controls: Sequence[Control], values: Mapping[str, Value], taken: Iterable[str] = ()) -> str:
    """Code with one form field for each control and one for a scenario code; plain assignments outside Colab.

    A control named as a keyword or as one of the names `taken` by other cells becomes a variable with `_` after it.

    Raises:
        DomainError: a control whose name cannot be a variable.
    """
    lines, pairs = [f"#@title {_line(form.title)}"], []
    used = {*keyword.kwlist, "values", "scenario_code", *taken}
    for control in controls:
        if not control.name.isidentifier():
            raise DomainError("control", control.name, "a name that a variable can have")
        variable = f"{control.name}_" if control.name in used else control.name
        label = _line(form.labels.get(control.name, control.name))
        lines += [
            f"#@markdown {label}: {_line(control.allowed)}",
            f"{variable} = {_field(control, values[control.name])}",
        ]
        pairs.append(f'"{control.name}": {variable}')
    lines += [f"#@markdown {_line(form.code)}", 'scenario_code = ""  #@param {type:"string"}']
    return "\n".join([*lines, f"values = {{{', '.join(pairs)}}}"])


def span(text: str) -> str:
    """Foreign text as a code span that fits into a cell of a Markdown table.

    >>> span("a|b`c")
    "`a\\\\|b'c`"
    """
    return f"`{_line(text).replace('`', chr(39)).replace('|', chr(92) + '|') or ' '}`"


def _checked(scenario: Scenario, controls: Sequence[Control]) -> dict[str, Value]:
    given: dict[str, Value] = {**scenario.controls, SEED.name: scenario.seed}
    names = [control.name for control in controls]
    for name, value in scenario.controls.items():
        if name not in names:
            raise DomainError(name, value, ", ".join(names))
    return {control.name: control.check(given.get(control.name, control.default)) for control in controls}


def _cells(
    part: Cell, text: Mapping[str, Any], given: Mapping[str, Any], carried: Mapping[str, str], form: Any
) -> Iterator[dict[str, Any]]:
    if part.kind == "markdown":
        yield _markdown(PLACE.sub(lambda place: _place(place[1], text), part.text))
    elif part.kind == "code":
        yield _code(part.text)
    elif part.kind == "given":
        yield _code(_filled(part.text, given))
    elif part.kind == "form":
        yield _code(form(), folded=True)
    elif part.kind == "files":
        for path, content in carried.items():
            yield _markdown(f"#### `{path}`")
            yield _code(_written(f"{FOLDER}/{path}", content), folded=True)


def _written(path: str, content: str) -> str:
    """Code that writes a file."""
    if content.strip() and content == content.rstrip("\n") + "\n" and "\r" not in content:
        # The magic writes the rest of the cell as it stands: no quoting, and editors colour it as Python.
        return f"%%writefile {path}\n{content}"
    return f"Path({path!r}).write_text({content!r}, encoding='utf-8', newline='')"


def _place(name: str, text: Mapping[str, Any]) -> str:
    found: Any = text
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, str):
        raise DomainError("placeholder", name, "a path to a text")
    return found


def _filled(code: str, given: Mapping[str, Any]) -> str:
    """The assignments of a cell with the values of `given`; comments between them stay."""
    lines = code.splitlines()
    for node in reversed(ast.parse(code).body):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if not isinstance(target, ast.Name) or target.id not in given or node.end_lineno is None:
            raise DomainError("given", ast.unparse(node), "assignments to " + ", ".join(given))
        lines[node.lineno - 1 : node.end_lineno] = [f"{target.id} = {literal(given[target.id])}"]
    return "\n".join(lines)


def literal(value: Any) -> str:
    """A value as Python source, a mapping with one entry a line.

    >>> print(literal({"a": 1}))
    {
        'a': 1,
    }
    """
    if isinstance(value, Mapping):
        return "{\n" + "".join(f"    {key!r}: {item!r},\n" for key, item in value.items()) + "}"
    return repr(value)


def _field(control: Control, value: Value) -> str:
    if isinstance(control, Rows):
        return f"{json.dumps(value)}  " + '#@param {type:"raw"}'
    if isinstance(value, tuple):
        return f"[{', '.join(map(write, value))}]  " + '#@param {type:"raw"}'
    kinds = {Number: '{type:"number"}', Switch: '{type:"boolean"}', Numbers: '{type:"raw"}'}
    if isinstance(control, Text):
        return f"{json.dumps(value, ensure_ascii=False)}  " + '#@param {type:"string"}'
    if isinstance(control, Choice):
        return f"{value!r}  #@param {json.dumps(control.options)}"
    if isinstance(control, Number) and control.integer:
        return f'{write(value)}  #@param {{type:"integer"}}'
    return f"{write(value) if isinstance(control, Number) else repr(value)}  #@param {kinds[type(control)]}"


def _line(text: str) -> str:
    """`text` on one line without invisible characters: what follows a comment must not become code."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str, *, folded: bool = False) -> dict[str, Any]:
    metadata = {"cellView": "form", "jupyter": {"source_hidden": True}} if folded else {}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": [],
        "source": text.rstrip("\n").splitlines(keepends=True),
    }


def _identified(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each cell with an id made from its content, so that two exports differ only where they differ."""
    seen: dict[str, int] = {}
    named = []
    for cell in cells:
        key = _digest(cell["cell_type"] + "\0" + "".join(cell["source"]))[:16]
        seen[key] = seen.get(key, 0) + 1
        named.append({"id": key if seen[key] == 1 else f"{key}-{seen[key]}", **cell})
    return named
