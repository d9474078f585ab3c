"""The same two functions as JSON text, for a page that keeps the program in a worker of its own."""

import json
from typing import Any

from pycore.domain import DomainError
from pycore.verify.program.contract import Limits, ProgramTest
from pycore.verify.program.judge import Run, judge, requests


def requests_json(source: str, tests: str, limits: str = "{}") -> str:
    """`requests` from JSON to JSON: a list of texts, one for each fresh interpreter.

    >>> requests_json("f = abs", '[{"function": "f", "arguments": [-1], "expected": 1}]', '{"runs": 1}')[:20]
    '["{\\\\"source\\\\": \\\\"f ='
    """
    return json.dumps(requests(source, _tests(tests), Limits.from_dict(_read("limits", limits, dict))))


def judge_json(tests: str, runs: str) -> str:
    """`judge` from JSON to JSON: the verdict's `to_dict`.

    >>> judge_json('[{"function": "f", "arguments": [], "expected": 1}]', '[{"status": "timeout"}]')[:50]
    '{"reward": 0.0, "correct": false, "reason": "timeo'
    """
    ended = [
        Run(row["status"], str(row.get("report", "")), tuple(map(str, row.get("isolation", ()))))
        for row in _read("runs", runs, list)
    ]
    return json.dumps(judge(_tests(tests), ended).to_dict())


def _tests(text: str) -> list[ProgramTest]:
    return [ProgramTest.from_dict(row) for row in _read("tests", text, list)]


def _read(name: str, text: str, kind: type) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise DomainError(name, text, "JSON") from None
    if not isinstance(found, kind):
        raise DomainError(name, text, f"a JSON {'list' if kind is list else 'object'}")
    return found
