"""Numbers of the course: expressions on `pycore`, evaluated by the build and written as the language writes them.

An expression may use the modules of `pycore` by their names, `np`, `math`, `recorded` (the recorded runs), the named
numbers of its own step, and a few builtins. Nothing else is in reach, so a number in the text cannot come from anywhere
but tested code.
"""

import ast
import builtins
import functools
import importlib
import importlib.util
import math
import pkgutil
from collections.abc import Mapping
from typing import Any

import numpy as np

from web.builder.course import CourseError, recorded
from web.labs.texts import Writer

BUILTINS = (
    "abs",
    "float",
    "int",
    "len",
    "list",
    "max",
    "min",
    "pow",
    "range",
    "round",
    "sorted",
    "sum",
    "tuple",
    "zip",
)


def evaluate(expression: str, named: Mapping[str, Any], place: str) -> Any:
    """Value of an expression; an array of one entry becomes that entry.

    Raises:
        CourseError: names the place, the expression and what went wrong.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        scope = {name: named[name] if name in named else _module(name) for name in used - set(BUILTINS)}
        scope["__builtins__"] = {name: getattr(builtins, name) for name in BUILTINS}
        scope = {name: value for name, value in scope.items() if value is not None}
        value = eval(compile(tree, "<course>", "eval"), scope)
    except Exception as error:  # whatever pycore or Python has to say, with the place in the text
        raise CourseError(f"{place}: cannot compute `{expression.strip()}`: {type(error).__name__}: {error}") from error
    array = np.asarray(value)
    return array.item() if array.size == 1 else value


@functools.cache
def _module(name: str) -> Any:
    """A module of `pycore`, `np`, `math`, `recorded`, or None for what a comprehension binds itself."""
    if name in ("np", "math", "recorded"):
        return {"np": np, "math": math, "recorded": recorded}[name]
    if not importlib.util.find_spec(f"pycore.{name}"):
        return None
    module = importlib.import_module(f"pycore.{name}")
    # What a package does not export itself is in reach as well: `verify.suite`.
    for part in pkgutil.iter_modules(getattr(module, "__path__", ())):
        importlib.import_module(f"{module.__name__}.{part.name}")
    return module


def read(entries: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The named numbers of a step, in the order written; a later one may use an earlier one.

    Args:
        entries: name to expression, or to `{is = expression, known = "0.5695"}` where the number is given from outside.
        place: the file, for messages.

    Raises:
        CourseError: an expression that fails, or a known number that `pycore` does not give.
    """
    found: dict[str, Any] = {}
    for name, entry in entries.items():
        where = f"{place}: numbers.{name}"
        expression, known = (entry, None) if isinstance(entry, str) else (entry.get("is"), entry.get("known"))
        if not isinstance(expression, str) or not (known is None or isinstance(known, str)):
            raise CourseError(f'{where} must be an expression, or {{ is = "expression", known = "0.57" }}')
        found[name] = evaluate(expression, found, where)
        if known is not None and not agrees(found[name], known):
            raise CourseError(f"{where} is known to be {known}, but pycore gives {found[name]!r}")
    return found


def agrees(value: Any, known: str) -> bool:
    """Whether a value rounds to the digits written in `known`."""
    digits = len(known.partition(".")[2])
    return bool(abs(float(value) - float(known)) <= 0.5 * 10.0**-digits * (1 + 1e-9) + 1e-12)


def write(inner: str, named: Mapping[str, Any], language: str, place: str) -> str:
    """What stands between `{=` and `=}`, `expression; format`, as text in the language's spelling.

    Raises:
        CourseError: no format, an expression or a format that fails.
    """
    expression, mark, form = inner.rpartition(";")
    if not mark:
        raise CourseError(f"{place}: `{{={inner}=}}` lacks a format; write {{= expression; .3f =}}")
    value = evaluate(expression, named, place)
    try:
        return Writer(language).format(f"{{0:{form.strip()}}}", value)
    except (ValueError, TypeError) as error:
        raise CourseError(f"{place}: `{{={inner}=}}` cannot be written: {error}") from error
