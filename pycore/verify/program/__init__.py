"""A reward from tests: a small program is called in an isolated interpreter, and its results are judged outside it."""

from pycore.verify.program.contract import Limits, ProgramTest
from pycore.verify.program.judge import (
    Outcome,
    ProgramReason,
    ProgramVerdict,
    Run,
    judge,
    requests,
    verify_program,
)
from pycore.verify.program.wire import judge_json, requests_json

__all__ = [
    "Limits",
    "Outcome",
    "ProgramReason",
    "ProgramTest",
    "ProgramVerdict",
    "Run",
    "judge",
    "judge_json",
    "requests",
    "requests_json",
    "verify_program",
]
