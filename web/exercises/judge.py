"""Judges what a learner's functions gave: each check passes or says why not, and a known mistake is called by name.

A task is data that the build made: every call with its right result, and what each known wrong solution gives for
the same calls. When known mistake M gives exactly what the learner got wherever the learner is wrong, the mistake is M.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from web.exercises.values import decoded, difference, shown

Result = dict[str, Any]


def calls(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every call of a task, check after check."""
    for check in task["checks"]:
        yield from check["calls"]


def verdict(task: dict[str, Any], results: Sequence[Result]) -> dict[str, Any]:
    """What became of the checks.

    Args:
        task: `checks`, each with `name`, `hidden`, `tolerance` and `calls` (`function`, `arguments`, `expected`), and
            `mistakes`, each with a `name` and the `results` that this wrong solution gives, call by call.
        results: what `observe.call` gave for each call, in order; empty when the program did not load.

    Returns:
        `checks`: for each its `name`, `hidden`, `passed` and, for the first call that failed, `why` and - unless the
        check is hidden - `call`, `expected`, `got`. `mistake`: the name of a known mistake, or None.
    """
    remaining = iter(results)
    checks, faults = [], []
    for check in task["checks"]:
        mine = [fault(one, next(remaining, None), check["tolerance"]) for one in check["calls"]]
        faults += mine
        failed = next((at for at, why in enumerate(mine) if why), None)
        entry: dict[str, Any] = {"name": check["name"], "hidden": check["hidden"], "passed": failed is None}
        if failed is not None:
            where = len(faults) - len(mine) + failed
            entry |= explained(check, check["calls"][failed], mine[failed], results[where : where + 1])
        checks.append(entry)
    return {"checks": checks, "mistake": _mistake(task, results, faults) if results else None}


def fault(wanted: dict[str, Any], result: Result | None, tolerance: float) -> str | None:
    """What is wrong with one result: None when nothing is."""
    if result is None:
        return "unplayed"
    if "error" in result:
        return "error"
    why = difference(decoded(wanted["expected"]), decoded(result["value"]), tolerance)
    return why or ("changed" if result.get("changed") else None)


def explained(check: dict[str, Any], wanted: dict[str, Any], why: str | None, result: Sequence[Result]) -> Result:
    """The failed call in words and numbers; of a hidden check only what kind of failure it was."""
    entry: Result = {"why": why}
    if why == "error":
        entry["error"] = result[0]["error"]
    if not check["hidden"]:
        arguments = ", ".join(map(shown, decoded(wanted["arguments"])))
        entry |= {"call": f"{wanted['function']}({arguments})", "expected": shown(decoded(wanted["expected"]))}
        if result and "value" in result[0]:
            entry["got"] = shown(decoded(result[0]["value"]))
    return entry


def _mistake(task: dict[str, Any], results: Sequence[Result], faults: Sequence[str | None]) -> str | None:
    """The known mistake that explains every fault; of several the one that else differs least from the learner."""
    wrong = [at for at, why in enumerate(faults) if why]
    tolerances = [check["tolerance"] for check in task["checks"] for _ in check["calls"]]
    fitting = []
    for mistake in task["mistakes"]:
        same = [_same(one, other, t) for one, other, t in zip(results, mistake["results"], tolerances, strict=True)]
        if wrong and all(same[at] for at in wrong):
            fitting.append((same.count(False), mistake["name"]))
    return min(fitting)[1] if fitting else None


def _same(one: Result, other: Result, tolerance: float) -> bool:
    if "error" in one or "error" in other:
        kinds = [result.get("error", {}).get("type") for result in (one, other)]
        return kinds[0] == kinds[1] and bool(kinds[0])
    alike = difference(decoded(other["value"]), decoded(one["value"]), tolerance) is None
    return alike and one.get("changed") == other.get("changed")
