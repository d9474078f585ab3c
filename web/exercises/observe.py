"""What runs beside a learner's program: loads it, calls it, keeps what it prints and plots, and has it judged.

The text of this file is executed in the learner's worker, where the browser's Python finds `web.exercises` beside it.
The judge sits in the same interpreter as the program, so whoever wants to deceive it can; nobody is graded here but
by themselves.
"""

import io
import json
import linecache
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import numpy as np

from web.exercises import judge
from web.exercises.values import coded, decoded

FILE = "exercise.py"
PRINTED = 20_000  # characters
SERIES, POINTS = 8, 2_000
PAUSE = 0.1  # seconds between two pieces of output on their way to the page
KINDS = ("line", "dots", "bars")
GUARDED = (
    "builtins",
    "math",
    "random",
    "statistics",
    "itertools",
    "functools",
    "numpy",
    "numpy.linalg",
    "numpy.random",
)


class OutputLimit(BaseException):
    """More was printed than is kept. Not an Exception, so that an ordinary `except Exception` does not swallow it."""


class NoInput(Exception):
    """The program asks somebody at a keyboard that is not there."""


class Output(io.TextIOBase):
    """What the program prints: kept up to a limit, told to the page as it comes."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self.say, self.pieces, self.size, self.said, self.when = say, [""], 0, 0, 0.0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Keeps a text.

        Raises:
            OutputLimit: beyond the limit, as often as it is tried.
        """
        room = PRINTED - self.size
        self.size += len(text)
        if room > 0:
            self.pieces.append(text[:room])
        if time.monotonic() - self.when > PAUSE:
            self.pass_on()
        if self.size > PRINTED:
            self.pass_on()
            raise OutputLimit
        return len(text)

    def pass_on(self) -> None:
        """Tells the page what it has not been told yet."""
        text = "".join(self.pieces)
        self.pieces = [text]
        if text[self.said :]:
            self.say(text[self.said :])
        self.said, self.when = len(text), time.monotonic()


class Keyboard(io.TextIOBase):
    """A standard input with nobody behind it."""

    def readline(self, size: int | None = -1, /) -> Any:
        """Raises NoInput, always."""
        raise NoInput("input()")

    def readable(self) -> bool:
        """Yes: the attempt is answered."""
        return True


class Plots:
    """What the program asks to be drawn."""

    def __init__(self) -> None:
        self.series: list[dict[str, Any]] = []

    def plot(self, x: Any, y: Any = None, label: str = "", kind: str = "line") -> None:
        """Draws `y` over `x`, or `x` alone over 0, 1, 2, ...

        Raises:
            ValueError: lengths that differ, too many points or series, an unknown kind.
        """
        up = np.asarray(x if y is None else y, dtype=np.float64).ravel()
        across = np.arange(up.size, dtype=np.float64) if y is None else np.asarray(x, dtype=np.float64).ravel()
        if across.size != up.size:
            raise ValueError(f"plot: {across.size} values of x for {up.size} of y")
        if kind not in KINDS:
            raise ValueError(f"plot: kind is one of {', '.join(KINDS)}, not {kind!r}")
        if up.size > POINTS or len(self.series) == SERIES:
            raise ValueError(f"plot: at most {SERIES} series of {POINTS} points")
        seen = np.isfinite(across) & np.isfinite(up)
        points = {"x": across[seen].tolist(), "y": up[seen].tolist()}
        self.series.append({"label": str(label)[:60], "kind": kind, **points})


def _quiet(text: str) -> None:
    """Nobody listens."""


_tell: list[Callable[[str], None]] = [_quiet]
_whole = {name: (module, dict(vars(module))) for name in GUARDED if (module := sys.modules.get(name))}


def listen(tell: Callable[[str], None]) -> None:
    """Takes whoever is to hear what programs print while they run."""
    _tell[0] = tell


def restore() -> None:
    """Puts back what the last program changed in shared modules, so that it harms neither the judge nor the next."""
    for module, names in _whole.values():
        now = vars(module)
        if any(now.get(name, now) is not value for name, value in names.items()):
            now.update(names)
    sys.setrecursionlimit(1000)


def observe(request: str) -> str:
    """Runs a program, and plays it through checks where the request has some.

    Args:
        request: JSON with `source` and, for a check, `task`: JSON within JSON, see `judge.verdict`.

    Returns:
        JSON with `error` (kind, type, text and line, or null), `output`, `plots` and, for a check, `verdict`.

    >>> json.loads(observe('{"source": "print(1/0)"}'))["error"]["line"]
    1
    """
    wanted = json.loads(request)
    output, plots = Output(_tell[0]), Plots()
    kept = sys.stdout, sys.stderr, sys.stdin
    sys.stdout = sys.stderr = output
    sys.stdin = Keyboard()
    task = json.loads(wanted["task"]) if "task" in wanted else None
    try:
        error, results = played(wanted["source"], plots, [] if task is None else list(judge.calls(task)))
    finally:
        sys.stdout, sys.stderr, sys.stdin = kept
        restore()
    output.pass_on()
    report = {"error": error, "output": output.pieces[0], "plots": plots.series}
    if task is not None:
        report["verdict"] = judge.verdict(task, results)
    return json.dumps(report)


def played(
    source: str, plots: Plots, calls: Sequence[dict[str, Any]]
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """Loads a program and makes the calls; what went wrong in loading, and what each call gave."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # they are printed, and stop nothing
        warnings.showwarning = _warned
        error, namespace = load(source, plots)
        return error, [] if error else [call(namespace, one) for one in calls]


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"{filename}:{lineno}: {category.__name__}: {message}", file=sys.stderr)


def load(source: str, plots: Plots) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Executes a program; what went wrong, if anything, and the names that it left."""
    namespace: dict[str, Any] = {"__name__": "exercise", "plot": plots.plot}
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    # A program may raise anything, SystemExit included: every BaseException here is its doing.
    try:
        exec(compile(source, FILE, "exec", dont_inherit=True), namespace)
    except BaseException as error:
        return described(error), namespace
    return None, namespace


def call(namespace: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Calls one function of the program with fresh arguments.

    Returns:
        `{"value": coded}`, with `"changed": True` when it changed its arguments, or `{"error": ...}`.
    """
    function = namespace.get(wanted["function"])
    if not callable(function):
        return {"error": {"kind": "missing", "type": "", "text": wanted["function"], "line": None}}
    arguments = decoded(wanted["arguments"])
    try:
        value = function(*arguments)
    except BaseException as error:
        return {"error": described(error)}
    try:
        found: dict[str, Any] = {"value": coded(value)}
    except (TypeError, ValueError) as error:
        return {"error": {"kind": "result", "type": type(value).__name__, "text": str(error)[:200], "line": None}}
    # Compared as text: NaN is equal to itself there.
    if json.dumps(coded(arguments)) != json.dumps(wanted["arguments"]):
        found["changed"] = True
    return found


def described(error: BaseException) -> dict[str, Any]:
    """An exception as data, with the line of the learner's file that it came from."""
    kinds = {MemoryError: "memory", RecursionError: "recursion", OutputLimit: "output", NoInput: "input"}
    kind = next((name for one, name in kinds.items() if isinstance(error, one)), "exception")
    line: int | None = None
    try:
        if isinstance(error, SyntaxError) and error.filename == FILE:
            kind, line, text = "syntax", error.lineno, str(error.msg)
        else:
            text, trace = str(error), error.__traceback__
            while trace is not None:
                if trace.tb_frame.f_code.co_filename == FILE:
                    line = trace.tb_lineno
                trace = trace.tb_next
    except BaseException:  # the program's own exception class may fail while it is printed
        text = ""
    return {"kind": kind, "type": type(error).__name__[:60], "text": text[:300], "line": line}
