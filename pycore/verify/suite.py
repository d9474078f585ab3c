"""Suites of cases with known verdicts: what a contract pays by mistake, what it refuses by mistake.

The cases are data, one JSON object a line, in the folder `suites` beside this file; a newcomer adds a line and nothing
else. `positive` holds right answers in every allowed form, `negative` plausible wrong ones, `adversarial` attacks, and
`policy` the forms on which honest contracts differ, with the course's choice. A text may be given as pieces
`[[piece, times], ...]`, so that a megabyte takes one line.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from pycore.domain import DomainError, option
from pycore.verify.contract import COURSE, NumericContract
from pycore.verify.numeric import verify_numeric
from pycore.verify.verdict import Verdict, printable, shorten

KINDS = ("positive", "negative", "adversarial", "policy")


@dataclass(frozen=True, slots=True)
class Case:
    """One text, its reference, whether it must be paid, and why the case exists."""

    kind: str
    text: str
    reference: str
    paid: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one kind.

    Attributes:
        kind: one of KINDS.
        cases: how many there are.
        wrong_answers: those that must not be paid.
        false_positives: those of them that were paid.
        right_answers: those that must be paid.
        false_negatives: those of them that were refused.
    """

    kind: str
    cases: int
    wrong_answers: int
    false_positives: int
    right_answers: int
    false_negatives: int

    @property
    def false_positive_rate(self) -> float | None:
        """Share of wrong answers paid; None when the kind has none."""
        return self.false_positives / self.wrong_answers if self.wrong_answers else None

    @property
    def false_negative_rate(self) -> float | None:
        """Share of right answers refused; None when the kind has none."""
        return self.false_negatives / self.right_answers if self.right_answers else None


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a suite: tallies by kind and every case judged otherwise than expected."""

    tallies: tuple[Tally, ...]
    failures: tuple[tuple[Case, Verdict], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; texts shortened."""
        return {
            "kinds": [
                {
                    "kind": tally.kind,
                    "cases": tally.cases,
                    "wrong_answers": tally.wrong_answers,
                    "false_positives": tally.false_positives,
                    "false_positive_rate": tally.false_positive_rate,
                    "right_answers": tally.right_answers,
                    "false_negatives": tally.false_negatives,
                    "false_negative_rate": tally.false_negative_rate,
                }
                for tally in self.tallies
            ],
            "failures": [{**shown(case), "verdict": str(verdict.reason)} for case, verdict in self.failures],
        }


def shown(case: Case) -> dict[str, Any]:
    """A case as plain JSON values for a reader: long texts shortened, lone surrogates escaped."""
    return {
        "kind": case.kind,
        "text": shorten(case.text, 120),
        "reference": printable(case.reference),
        "paid": case.paid,
        "reason": case.reason,
    }


def parse_suite(kind: str, lines: str) -> tuple[Case, ...]:
    """The cases of one suite file.

    Raises:
        DomainError: names the line whose fields are missing, superfluous or of the wrong type.

    >>> parse_suite("negative", '{"text": [["ab", 2]], "reference": "1", "expected": 0, "reason": "words"}')[0].text
    'abab'
    """
    option("kind", kind, KINDS)
    cases = []
    for number, line in enumerate(lines.rstrip("\n").split("\n"), 1):
        try:
            row = json.loads(line)
            pieces = row.pop("text")
            text = pieces if isinstance(pieces, str) else "".join(piece * times for piece, times in pieces)
            paid = {0: False, 1: True}[row.pop("expected")]
            case = Case(kind, text, row.pop("reference"), paid, row.pop("reason"))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DomainError(f"{kind} line {number}", line, "text, reference, expected 0 or 1, reason") from None
        if row:
            raise DomainError(f"{kind} line {number}", sorted(row), "no further fields")
        cases.append(case)
    return tuple(cases)


def suite(*kinds: str) -> tuple[Case, ...]:
    """The cases shipped with the package, of the given kinds or of all.

    Reading them is this package's only use of files, and those are its own: it works from a folder and from a zip.

    >>> len(suite("positive")) >= 50
    True
    """
    folder = files("pycore.verify").joinpath("suites")
    chosen = kinds or KINDS
    return tuple(
        case
        for kind in chosen
        for case in parse_suite(kind, folder.joinpath(f"{option('kind', kind, KINDS)}.jsonl").read_text("utf-8"))
    )


def run_suite(cases: Iterable[Case], contract: NumericContract = COURSE) -> Report:
    """Judges every case under a contract.

    Args:
        cases: from `suite`, or a learner's own.
        contract: the rules on trial.

    Returns:
        False positives and false negatives by kind, and the cases behind them.

    >>> run_suite(suite("positive")).tallies[0].false_negatives
    0
    """
    judged = [(case, verify_numeric(case.text, case.reference, contract=contract)) for case in cases]
    tallies = []
    for kind in dict.fromkeys(case.kind for case, _ in judged):
        rows = [(case.paid, verdict.correct) for case, verdict in judged if case.kind == kind]
        right = sum(paid for paid, _ in rows)
        tallies.append(
            Tally(
                kind,
                len(rows),
                len(rows) - right,
                sum(correct and not paid for paid, correct in rows),
                right,
                sum(paid and not correct for paid, correct in rows),
            )
        )
    return Report(tuple(tallies), tuple((case, verdict) for case, verdict in judged if verdict.correct != case.paid))


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that two contracts judge differently."""

    case: Case
    first: Verdict
    second: Verdict


def compare_contracts(cases: Iterable[Case], first: NumericContract, second: NumericContract) -> tuple[Difference, ...]:
    """The cases that one contract pays and the other does not, in order.

    >>> lenient = NumericContract(unit="any")
    >>> [difference.case.reason for difference in compare_contracts(suite("policy"), COURSE, lenient)]
    ['a unit that is not listed; unit=any would drop it']
    """
    pairs = (
        Difference(
            case,
            verify_numeric(case.text, case.reference, contract=first),
            verify_numeric(case.text, case.reference, contract=second),
        )
        for case in cases
    )
    return tuple(pair for pair in pairs if pair.first.correct != pair.second.correct)
