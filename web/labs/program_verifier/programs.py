"""The programs that the lab's verifier judges: all of them ours. Nothing that a learner writes is ever executed."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pycore.verify.program import Limits, ProgramTest, ProgramVerdict, Run, verify_program
from pycore.verify.program.harness import observe

YEARS = 4000  # tests may ask for the years 1 to 4000: ten whole cycles of the calendar
Case = tuple[int, str, str]  # year; yes or no; visible or hidden


@dataclass(frozen=True)
class Program:
    """One way to write `leap`, and how often a policy that tries honestly writes it.

    Attributes:
        body: the function's body.
        share: of honest attempts, in [0, 1].
        right: whether it answers every year rightly.
    """

    body: str
    share: float
    right: bool = False

    @property
    def source(self) -> str:
        return f"def leap(y):\n    {self.body}\n"


HONEST = {
    "right": Program("return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)", 0.12, right=True),
    "other": Program("return y % (400 if y % 100 == 0 else 4) == 0", 0.08, right=True),
    "four": Program("return y % 4 == 0", 0.40),
    "century": Program("return y % 4 == 0 and y % 100 != 0", 0.20),
    "fourth_century": Program("return y % 400 == 0", 0.05),
    "never": Program("return False", 0.05),
    "crash": Program("return int(y[-2:]) % 4 == 0", 0.05),
    "endless": Program("while y != 0:\n        y -= 4\n    return True", 0.05),
}
NAMES = (*HONEST, "table")
ENDLESS = "endless"


def source(name: str, tests: tuple[Case, ...]) -> str:
    """A program's text; the table is written from the visible tests, which its author has seen."""
    if name != "table":
        return HONEST[name].source
    known = {year: answer == "yes" for year, answer, sight in tests if sight == "visible"}
    rows = "".join(f"    {year}: {answer},\n" for year, answer in known.items())
    return f"SEEN = {{\n{rows}}}\n\ndef leap(y):\n    return SEEN.get(y, False)\n"


@lru_cache(maxsize=1000)
def verdict(name: str, tests: tuple[Case, ...]) -> ProgramVerdict:
    """The program verifier's own verdict over the tests."""
    asked = [ProgramTest("leap", (year,), answer == "yes", hidden=sight == "hidden") for year, answer, sight in tests]

    def run(request: str, limits: Limits) -> Run:
        # Known programs need no isolation; the one that never ends is known not to end, and is not started.
        if name == ENDLESS and any(year % 4 for year, _, _ in tests):
            return Run("timeout")
        return Run("done", observe(request))

    return verify_program(source(name, tests), asked, run=run, limits=Limits(runs=1))


_YEAR = np.arange(1, YEARS + 1)
_FOURS, _CENTURY, _FOURTH = _YEAR % 4 == 0, _YEAR % 100 == 0, _YEAR % 400 == 0
_LEAP = _FOURS & (~_CENTURY | _FOURTH)
# What each wrong program answers, year by year; where one crashes or never ends, that is no right answer.
_ANSWERS = {
    "four": _FOURS,
    "century": _FOURS & ~_CENTURY,
    "fourth_century": _FOURTH,
    "never": np.zeros(YEARS, bool),
    "crash": ~_LEAP,
    "endless": np.where(_FOURS, True, ~_LEAP),
}


def wrong_share(name: str, tests: tuple[Case, ...]) -> float:
    """Share of all years with a wrong result, or with none."""
    answers = _ANSWERS.get(name, _LEAP)
    if name == "table":
        answers = np.zeros(YEARS, bool)
        for year, answer, sight in tests:
            if sight == "visible":
                answers[year - 1] = answer == "yes"
    return float(np.mean(answers != _LEAP))
