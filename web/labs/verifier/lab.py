"""A verifier layer by layer, rule by rule, and what its suites say of every change (curriculum 1.3 and 1.4)."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from pycore.control import Choice, Switch, Text
from pycore.verify.contract import NumericContract, Source
from pycore.verify.numeric import verify_numeric
from pycore.verify.suite import Case, Report, run_suite, suite
from pycore.verify.verdict import Number, Verdict, printable, shorten
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels
from web.labs.frame import Frame

ORDER = 13
SOURCES = {
    "all": (Source.BOXED, Source.MARKER, Source.LAST_NUMBER),
    "boxed": (Source.BOXED,),
    "last": (Source.LAST_NUMBER,),
}
RULES: dict[str, dict[str, Any]] = {
    "thought": {"skip_thought": False},
    "group": {"group": False},
    "fraction": {"fraction": False, "mixed": False},
    "scientific": {"scientific": False},
    "percent": {"percent": "drop"},
    "unit": {"unit": "any"},
    "near": {"tolerance": "exact"},
}
CONTROLS = (
    Text("answer", "3/7 ≈ 0.43, \\boxed{3/7}", longest=400, role="current"),
    Text("reference", "0.428571", longest=60, role="reference"),
    Choice("source", tuple(SOURCES), "all"),
    *(Switch(name, True) for name in RULES),
)
GROUPS = {"try": ("answer", "reference"), "rules": ("source", *RULES)}
PRESETS = {
    "thought": {"answer": "<think>\\boxed{42}?</think> No idea.", "reference": "42", "source": "boxed"},
    "honest": {"answer": "\\boxed{2\\sqrt{2}}", "reference": "2.828427"},
    "bomb": {"answer": "\\boxed{9^9^9^9}", "reference": "0"},
    "strict": {"near": False, "fraction": False},
    "surprise": {"answer": "\\boxed{3 dozen}", "reference": "3", "unit": False},
}
PREDICT = Predict(("none", "few", "half"), right="few", state={"thought": False})

FILES = tuple(f"pycore/verify/suites/{kind}.jsonl" for kind in ("positive", "negative", "adversarial", "policy"))
LONGEST_CASE = 2_000  # the megabyte cases are for the tests: here every change is to be answered at once
KINDS = ("positive", "negative", "adversarial", "policy")
LAYERS = ("text", "extracted", "canonical", "compared", "reward")

FIGURES = {
    "suites": Figure(
        (
            Bars("paid", "count", "row", "negative", across=True, width=0.34, hatch=True, key="paid"),
            Bars("refused", "count", "row", "silent", across=True, width=0.34, key="refused"),
            Labels("paid", "count", "row", "negative", dx=8, bold=True),
            Labels("refused", "count", "row", "ink", dx=8, bold=True),
            Labels("kinds", "zero", "row", "muted", dy=-30),
        ),
        x=Axis(0, 80, form="count"),
        y=Axis(3.6, -0.75, shown=False),
        height=300,
    )
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """What each layer makes of the answer, and how many cases of each suite the chosen rules judge wrongly."""
    contract = NumericContract(sources=SOURCES[controls["source"]], **_changes(controls))
    verdict = verify_numeric(controls["answer"], controls["reference"], contract=contract)
    report = _judged(contract)
    paid = {tally.kind: tally.false_positives for tally in report.tallies}
    refused = {tally.kind: tally.false_negatives for tally in report.tallies}
    counted = {tally.kind: (tally.wrong_answers, tally.right_answers) for tally in report.tallies}
    cells = dict(zip(LAYERS, _layers(controls["answer"], verdict), strict=True))
    for kind in KINDS:
        wrong, right = counted[kind]
        cells[kind] = str(wrong + right)
    rows = range(len(KINDS))
    return Frame(
        sources={
            "paid": {"row": [row - 0.18 for row in rows], "count": [paid[kind] for kind in KINDS]},
            "refused": {"row": [row + 0.18 for row in rows], "count": [refused[kind] for kind in KINDS]},
            "kinds": {"row": list(rows), "zero": [0] * len(KINDS), "kind": list(KINDS)},
        },
        values={
            "pay": verdict.reward,
            "reason": str(verdict.reason),
            "paid": float(sum(paid.values())),
            "refused": float(sum(refused.values())),
            "wrong_cases": float(sum(wrong for wrong, _ in counted.values())),
            "right_cases": float(sum(right for _, right in counted.values())),
            "digest": contract.digest()[:12],
            "attacks": float(paid["adversarial"]),
        },
        table={
            "layer": list(cells),
            "gave": list(cells.values()),
            "paid": [*[float("nan")] * len(LAYERS), *(paid[kind] for kind in KINDS)],
            "refused": [*[float("nan")] * len(LAYERS), *(refused[kind] for kind in KINDS)],
        },
        case="paid" if verdict.correct else "refused",
    )


def _changes(controls: Mapping[str, Any]) -> dict[str, Any]:
    """The rules that are switched off, as the contract writes them."""
    changes: dict[str, Any] = {}
    for name, off in RULES.items():
        if not controls[name]:
            changes |= off
    return changes


@cache
def _cases() -> tuple[Case, ...]:
    return tuple(case for case in suite() if len(case.text) <= LONGEST_CASE)


@cache
def _judged(contract: NumericContract) -> Report:
    return run_suite(_cases(), contract)


def _layers(text: str, verdict: Verdict) -> tuple[str, ...]:
    """Each layer's output as a reader sees it; a dash after the layer that refused."""
    span, answer, reference = verdict.span, verdict.answer, verdict.reference
    return (
        shorten(text, 120) or "—",
        f"{shorten(span.text, 80)} ({span.source})" if span else "—",
        _written(answer),
        f"{_written(answer)} ↔ {_written(reference)}" if answer and reference else "—",
        printable(f"{verdict.reward:g}"),
    )


def _written(number: Number | None) -> str:
    if number is None:
        return "—"
    value: Fraction = number.value
    digits = max(len(str(value.numerator)), len(str(value.denominator))) if abs(value) < 10**60 else 61
    shown = str(value) if digits <= 60 else f"{float(value):.6e}" if abs(value) < Fraction(10) ** 300 else "…"
    return f"{shown} {number.unit}".strip()
