"""From observed runs to a verdict: all that decides a program's reward, and nothing of the program itself."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pycore.domain import DomainError, option
from pycore.verify.program.agree import agrees, shown, well_formed
from pycore.verify.program.contract import Limits, ProgramTest
from pycore.verify.program.harness import plain


class ProgramReason(StrEnum):
    """Why a program was paid or refused. Only CORRECT is paid."""

    CORRECT = "correct"
    WRONG = "wrong"
    SYNTAX = "syntax"
    EXCEPTION = "exception"
    MISSING = "missing"  # the function that a test calls is not defined
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"  # printed or returned more than allowed
    NONDETERMINISTIC = "nondeterministic"  # two fresh interpreters, or two orders of the calls, disagree
    BROKEN = "broken"  # the interpreter died, or its report cannot be read


STATUSES = ("done", "timeout", "memory", "output", "broken")


@dataclass(frozen=True, slots=True)
class Run:
    """One isolated interpreter's end.

    Attributes:
        status: "done" when it reported by itself, else what ended it.
        report: the harness's JSON text when done.
        isolation: the measures that were in force, as the runner found them.
    """

    status: str
    report: str = ""
    isolation: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuses an unknown status.

        Raises:
            DomainError: lists the statuses.
        """
        option("status", self.status, STATUSES)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test as the learner may see it; a hidden test keeps call, expected and got to itself.

    Attributes:
        passed: whether it returned what it must.
        reason: what happened.
        hidden: whether it is a hidden test.
        call: the call in Python's notation, "" if hidden.
        expected: the right result, "" if hidden.
        got: the result or the error, "" if hidden.
    """

    passed: bool
    reason: ProgramReason
    hidden: bool
    call: str = ""
    expected: str = ""
    got: str = ""


@dataclass(frozen=True, slots=True)
class ProgramVerdict:
    """The outcome of a program's tests.

    Attributes:
        reason: the first failure's reason, visible tests first, or CORRECT.
        detail: one sentence; never about a hidden test's values.
        outcomes: one for each test, in order; empty when the program never got as far.
        isolation: the measures in force during the runs.
    """

    reason: ProgramReason
    detail: str = ""
    outcomes: tuple[Outcome, ...] = ()
    isolation: tuple[str, ...] = ()

    @property
    def correct(self) -> bool:
        """Whether every test passed in every run."""
        return self.reason is ProgramReason.CORRECT

    @property
    def reward(self) -> float:
        """1.0 when correct, else 0.0: partial pay invites programs that special-case the visible tests."""
        return 1.0 if self.correct else 0.0

    def passed(self, *, hidden: bool) -> tuple[int, int]:
        """How many of the hidden or of the visible tests passed, and how many there are."""
        chosen = [outcome.passed for outcome in self.outcomes if outcome.hidden is hidden]
        return sum(chosen), len(chosen)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "reward": self.reward,
            "correct": self.correct,
            "reason": str(self.reason),
            "detail": self.detail,
            "visible": self.passed(hidden=False),
            "hidden": self.passed(hidden=True),
            "outcomes": [asdict(outcome) for outcome in self.outcomes],
            "isolation": list(self.isolation),
        }


def requests(source: str, tests: Sequence[ProgramTest], limits: Limits) -> tuple[str, ...]:
    """What each fresh interpreter is asked; every second one gets the calls in reverse order.

    Expected values are not in it: the program cannot read them out of its own process.

    Raises:
        DomainError: a source that is not text, or no tests.

    >>> requests("f = abs", [ProgramTest("f", (-1,), 1)], Limits(runs=1))
    ('{"source": "f = abs", "calls": [["f", [-1]]], "max_output": 65536}',)
    """
    if not isinstance(source, str):
        raise DomainError("source", source, "the text of a program")
    if not tests:
        raise DomainError("tests", tests, "at least one test")
    calls = [[test.function, [plain(argument) for argument in test.arguments]] for test in tests]
    return tuple(
        json.dumps({"source": source, "calls": calls[::-1] if number % 2 else calls, "max_output": limits.output_bytes})
        for number in range(limits.runs)
    )


def judge(tests: Sequence[ProgramTest], runs: Sequence[Run]) -> ProgramVerdict:
    """The verdict over the runs of `requests`, in their order.

    Args:
        tests: the tests whose calls were sent.
        runs: one for each request; a report may hold anything, it was written beside the program.

    Returns:
        CORRECT only if every run reported, all runs agree, and every result is the expected one.

    >>> report = '{"failed": null, "detail": "", "results": [["value", 1]]}'
    >>> judge([ProgramTest("f", (-1,), 1)], [Run("done", report)]).reward
    1.0
    """
    if not runs:
        raise DomainError("runs", runs, "at least one run")
    isolation = tuple(dict.fromkeys(measure for run in runs for measure in run.isolation))
    readings = []
    for number, run in enumerate(runs):
        if run.status != "done":
            return ProgramVerdict(ProgramReason(run.status), _ENDED[run.status], isolation=isolation)
        reading = _read(run.report, len(tests))
        if reading is None:
            return ProgramVerdict(ProgramReason.BROKEN, "the report cannot be read", isolation=isolation)
        if reading["failed"]:
            return ProgramVerdict(ProgramReason(reading["failed"]), reading["detail"], isolation=isolation)
        readings.append(reading["results"][::-1] if number % 2 else reading["results"])
    outcomes = tuple(_outcome(test, result) for test, result in zip(tests, readings[0], strict=True))
    for other in readings[1:]:
        for test, first, second in zip(tests, readings[0], other, strict=True):
            if first[0] != second[0] or (first[0] == "value" and first[1] != second[1]):
                where = "" if test.hidden else f" at {_call(test)}"
                detail = f"two runs disagree{where}"
                return ProgramVerdict(ProgramReason.NONDETERMINISTIC, detail, outcomes, isolation)
    failed = sorted((outcome for outcome in outcomes if not outcome.passed), key=lambda outcome: outcome.hidden)
    if not failed:
        return ProgramVerdict(ProgramReason.CORRECT, "", outcomes, isolation)
    worst = failed[0]
    detail = "a hidden test fails" if worst.hidden else f"{worst.call} gives {worst.got}, not {worst.expected}"
    return ProgramVerdict(worst.reason, detail, outcomes, isolation)


def verify_program(
    source: str,
    tests: Sequence[ProgramTest],
    *,
    run: Callable[[str, Limits], Run],
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> ProgramVerdict:
    """Judges a program by its tests in fresh, isolated interpreters.

    Args:
        source: the program's text.
        tests: visible and hidden tests.
        run: executes the harness on one request within the limits; natively `colab.sandbox.run_isolated`.
        limits: bounds of each run.

    Returns:
        The verdict, with the measures of isolation that were in force.

    Raises:
        DomainError: a source that is not text, or no tests.

    >>> from pycore.verify.program.harness import observe
    >>> trusted = lambda request, limits: Run("done", observe(request))  # no isolation: for known programs only
    >>> verify_program("def f(x): return -x", [ProgramTest("f", (1,), 1)], run=trusted).detail
    'f(1) gives -1, not 1'
    """
    ended: list[Run] = []
    for request in requests(source, tests, limits):
        ended.append(run(request, limits))
        if ended[-1].status != "done":
            break  # its reason stands; another run would only take as long again
    return judge(tests, ended)


_ENDED = {
    "timeout": "the time ran out",
    "memory": "the memory ran out",
    "output": "more output than allowed",
    "broken": "the interpreter ended without a report",
}
_LOAD_FAILURES = ("syntax", "exception", "memory", "output")
_CALL_FAILURES = ("missing", "exception", "memory", "output")
# What may be wrong with text that a program had every chance to forge.
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError)


def _read(report: str, calls: int) -> dict[str, Any] | None:
    """The report if it has the harness's form, else None."""
    try:
        found = json.loads(report)
        failed, detail, results = found["failed"], str(found["detail"])[:300], found["results"]
        if failed is not None:
            # Only what a harness may say: a forged "correct" here would be paid.
            return {"failed": failed, "detail": detail} if failed in _LOAD_FAILURES else None
        if len(results) != calls or not all(_reads(result) for result in results):
            return None
    except _UNREADABLE:
        return None
    return {"failed": None, "results": results}


def _reads(result: Any) -> bool:
    if not isinstance(result, list) or len(result) != 2:
        return False
    status, content = result
    return well_formed(content) if status == "value" else status in _CALL_FAILURES and isinstance(content, str)


def _outcome(test: ProgramTest, result: Any) -> Outcome:
    status, content = result
    expected = plain(test.expected)
    passed = status == "value" and agrees(content, expected, test.tolerance)
    reason = ProgramReason.WRONG if status == "value" else ProgramReason(status)
    if passed:
        reason = ProgramReason.CORRECT
    if test.hidden:
        return Outcome(passed, reason, True)
    return Outcome(
        passed, reason, False, _call(test), shown(expected), shown(content) if status == "value" else content[:300]
    )


def _call(test: ProgramTest) -> str:
    return f"{test.function}({', '.join(shown(plain(argument)) for argument in test.arguments)})"
