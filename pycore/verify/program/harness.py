"""What runs beside a learner's program: it calls the program and reports what came back, as JSON text.

The file stands alone (standard library, no imports from this project) because its text is executed inside the isolated
interpreter: a subprocess natively, a worker of its own in the browser. It never sees an expected value: it only
observes, and the verdict is made elsewhere. A program that tampers with it can change nothing but its own outputs.
"""

import io
import json
import sys
from typing import Any

MAX_DEPTH = 20
MAX_NODES = 20_000
MAX_TEXT = 100_000
MAX_BITS = 13_000  # what Python still prints in decimal digits


class OutputLimit(BaseException):
    """More was printed than allowed. Not an Exception, so that an ordinary `except Exception` does not swallow it."""


class Sink(io.TextIOBase):
    """A standard output that keeps nothing and stops a program that prints too much."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit, self.written = limit, 0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Counts the characters.

        Raises:
            OutputLimit: beyond the limit.
        """
        self.written += len(text)
        if self.written > self.limit:
            raise OutputLimit
        return len(text)


def plain(value: Any, depth: int = 0, budget: "list[int] | None" = None) -> Any:
    """A value as JSON that keeps its type: 1, 1.0, True and "1" stay different.

    Only exact built-in types are taken, so that no object with a method of its own takes part in the comparison. A
    tuple becomes a list, an array of numbers a nested list.

    Raises:
        TypeError: any other type.
        ValueError: nested too deeply or too large.

    >>> plain([1, 1.5, (True, None)])
    {'list': [1, {'float': '1.5'}, {'list': [True, None]}]}
    """
    budget = [MAX_NODES] if budget is None else budget
    budget[0] -= 1
    if depth > MAX_DEPTH or budget[0] < 0:
        raise ValueError("a result nested too deeply or with too many parts")
    kind = type(value)
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return plain(value.tolist(), depth, budget)
    if value is None or kind is bool:
        return value
    if kind is int:
        if value.bit_length() > MAX_BITS:
            raise ValueError("a whole number with too many digits")
        return value
    if kind is float:
        return {"float": repr(value)}
    if kind is str:
        if len(value) > MAX_TEXT:
            raise ValueError("a text that is too long")
        return value
    if kind in (list, tuple):
        return {"list": [plain(one, depth + 1, budget) for one in value]}
    if kind in (set, frozenset):
        members = [plain(one, depth + 1, budget) for one in value]
        return {"set": sorted(members, key=json.dumps)}
    if kind is dict:
        pairs = [[plain(key, depth + 1, budget), plain(one, depth + 1, budget)] for key, one in value.items()]
        return {"dict": sorted(pairs, key=json.dumps)}
    raise TypeError(f"a result of type {kind.__name__}")


def restored(coded: Any) -> Any:
    """The value that `plain` wrote; lists for tuples.

    >>> restored(plain({"a": [1.5]}))
    {'a': [1.5]}
    """
    if not isinstance(coded, dict):
        return coded
    (kind, content), *_ = coded.items()
    if kind == "float":
        return float(content)
    if kind == "dict":
        return {restored(key): restored(value) for key, value in content}
    members = [restored(one) for one in content]
    return set(members) if kind == "set" else members


def observe(request: str) -> str:
    """Loads a program, calls it, and reports.

    Args:
        request: JSON with `source`, `calls` (a list of `[function name, [coded argument, ...]]`) and `max_output` in
            characters.

    Returns:
        JSON with `failed` ("syntax", "exception", "memory", "output" or null), `detail`, and `results`: for each call
        either `["value", coded]` or `[what failed, detail]`.

    >>> observe('{"source": "def f(x): return x + 1", "calls": [["f", [1]]], "max_output": 10}')
    '{"failed": null, "detail": "", "results": [["value", 2]]}'
    """
    wanted = json.loads(request)
    sink = Sink(wanted["max_output"])
    kept = sys.stdout, sys.stderr, sys.stdin
    sys.stdout = sys.stderr = sink
    sys.stdin = io.StringIO("")
    try:
        report = _observed(wanted["source"], wanted["calls"], sink)
    finally:
        sys.stdout, sys.stderr, sys.stdin = kept
    return json.dumps(report)


def _observed(source: str, calls: Any, sink: Sink) -> "dict[str, Any]":
    try:
        code = compile(source, "program.py", "exec", dont_inherit=True)
    except MemoryError:
        return {"failed": "syntax", "detail": "a program too deeply nested to compile", "results": []}
    except Exception as error:
        return {"failed": "syntax", "detail": _described(error), "results": []}
    namespace: dict[str, Any] = {"__name__": "program", "__builtins__": __builtins__}
    # A program may raise anything, SystemExit included: every BaseException here is its doing, and is reported.
    try:
        exec(code, namespace)
    except BaseException as error:
        return {"failed": _kind(error), "detail": _described(error), "results": []}
    results = [_called(namespace, name, arguments) for name, arguments in calls]
    if sink.written > sink.limit:
        return {"failed": "output", "detail": f"more than {sink.limit} characters printed", "results": results}
    return {"failed": None, "detail": "", "results": results}


def _called(namespace: "dict[str, Any]", name: str, arguments: Any) -> "list[Any]":
    function = namespace.get(name)
    if not callable(function):
        return ["missing", f"no function {name}"]
    try:
        return ["value", plain(function(*[restored(argument) for argument in arguments]))]
    except BaseException as error:
        return [_kind(error), _described(error)]


def _kind(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    return "output" if isinstance(error, OutputLimit) else "exception"


def _described(error: BaseException) -> str:
    try:
        syntax = error if isinstance(error, SyntaxError) else None
        line = syntax.lineno if syntax else _line(error)
        text = f"{type(error).__name__}: {syntax.msg if syntax else error}"[:200]
    except BaseException:  # the program's own exception class may fail while it is printed
        return type(error).__name__[:200]
    return text if line is None else f"{text} (line {line})"


def _line(error: BaseException) -> "int | None":
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "program.py":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
