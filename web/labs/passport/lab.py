"""What must be written down of a run, and what two records of runs allow one to compare (curriculum 5.1 and 5.2)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from pycore.control import Choice, Number, Numbers, Text
from pycore.domain import DomainError
from pycore.interval import wilson
from pycore.passport import (
    PASSPORTS,
    Comparison,
    Difference,
    Passport,
    Role,
    bits,
    comparison,
    differences,
    read_entries,
)
from pycore.ratio import importance_ratio
from web.labs.contract import Predict
from web.labs.figure import Axis, Cells, Figure, Labels, Points
from web.labs.frame import Frame
from web.labs.passport.form import LOG_PROBS, LONGEST, NAMES, SPLITS, TOLERANCES, example

ORDER = 51
KINDS = tuple(sorted(PASSPORTS, key=["data", "verifier", "rollout", "update"].index))
CONTROLS = (
    Choice("kind", KINDS, "data"),
    Choice("start", ("example", "blank"), "example"),
    Choice("split", tuple(SPLITS), "ordered"),
    Choice("tolerance", tuple(TOLERANCES), "millionth"),
    Number("sample", 50, low=10, high=2000, step=10, integer=True, logarithmic=True, symbol="n"),
    Number("errors", 0, low=0, high=10, step=1, integer=True, symbol="k"),
    Numbers("logprobs", LOG_PROBS, low=-20, high=0, fewest=1, most=8, role="old"),
    Number("temperature", 1, low=0.1, high=2, step=0.1, symbol="T"),
    Number("draw", 1, low=0, high=999, step=1, integer=True, slider=False),
    Choice("protocol", NAMES, "grpo"),
    Number("rate", 1e-6, low=1e-7, high=1e-4, step=1e-7, logarithmic=True),
    Number("mismatch", 0.01, low=0, high=0.02, step=0.001, symbol="δ"),
    Text("own", "", longest=2000),
)
FIELDS = {
    "data": ("split",),
    "verifier": ("tolerance", "sample", "errors"),
    "rollout": ("logprobs", "temperature", "draw"),
    "update": ("protocol", "rate", "mismatch"),
}
GROUPS = {"form": ("kind", "start"), "second": (*(name for names in FIELDS.values() for name in names), "own")}
WHEN = {name: {"kind": (kind,), "start": ("example",)} for kind, names in FIELDS.items() for name in names}
PRESETS = {
    "own": {"start": "blank", "own": "name = addition; split_rule = by unordered pair; split_seed = 0"},
    "short": {"kind": "rollout", "split": "unordered", "logprobs": LOG_PROBS[:-1]},
    "repeat": {"kind": "rollout", "split": "unordered", "draw": 2},
    "names": {"kind": "update", "split": "unordered", "protocol": "dr_grpo"},
    "surprise": {"kind": "verifier", "split": "unordered", "sample": 500},
}
PREDICT = Predict(
    ("one", "some", "half", "all"), right="half", state={"kind": "update", "split": "unordered", "rate": 2e-6}
)

FIRST = {control.name: control.default for control in CONTROLS} | {"split": "unordered"}  # run A
STATES = {
    "kept": ("reference", "square", 10),
    "changed": ("signal", "diamond", 17),
    "absent": ("negative", "cross", 13),
}
COLUMNS = {"left": 0.72, "right": 0.92}  # where the marks of run A and of run B stand
DECIDES = {
    Comparison.YARDSTICK: Role.YARDSTICK,
    Comparison.CONFOUNDED: Role.TREATMENT,
    Comparison.EXPERIMENT: Role.TREATMENT,
    Comparison.REPEAT: Role.SEED,
}
ACROSS, DOWN = 32, 8  # 256 bits
WIDEST = 38  # characters of a value in the table

FIGURES = {
    "form": Figure(
        (
            *(Points(state, "x", "row", *look, key=state) for state, look in STATES.items()),
            Labels("entries", "edge", "row", "ink", dy=-1),
            Labels("heads", "x", "row", "muted", bold=True, align="center"),
        ),
        x=Axis(0, 1, shown=False),
        y=Axis(16.8, -0.6, shown=False),
        height=430,
    ),
    "bits": Figure(
        (
            Cells("stayed", "x", "y", "strength", "silent", 0.42, 0.42, key="stayed", tip=False),
            Cells("turned", "x", "y", "strength", "signal", 0.9, 0.9, key="turned", tip=False),
        ),
        x=Axis(-0.7, ACROSS - 0.3, shown=False),
        y=Axis(DOWN - 0.3, -0.7, shown=False),
        height=220,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Run A is the example, run B what the learner makes of it: entries, hashes, and what may be compared."""
    kind, blank = controls["kind"], controls["start"] == "blank"
    first = {one: _of_example(one, FIRST) for one in KINDS}
    second, given, problem, field = dict(first), {} if blank else example(kind, controls), "", ""
    try:
        own = read_entries(kind, controls["own"])
        given |= own
        typed = {kind: PASSPORTS[kind].from_dict(given)} if blank or own else {}
        second = {one: typed.get(one) or _of_example(one, controls) for one in KINDS}
    except DomainError as error:
        problem, field = _problem(kind, error)
    left, right = first[kind], second[kind]
    found = differences(first.values(), [second[one] for one in KINDS])
    said = comparison(found)
    missing = {name for name, _ in right.missing()} if not problem else {field} & set(given)
    needed = len(PASSPORTS[kind]().missing())

    names = [item.name for item in fields(PASSPORTS[kind])]
    changed = {one.entry.partition(".")[0] for one in found if one.kind == kind}
    states = ["absent" if name in missing else "changed" if name in changed else "kept" for name in names]
    # An entry that a passport may do without has no mark where nobody gave it.
    here = {"left": left.to_dict(), "right": right.to_dict() if not problem else left.to_dict() | given}
    marks = [
        (COLUMNS[side], row, state if side == "right" else "kept")
        for row, (name, state) in enumerate(zip(names, states, strict=True), 1)
        for side in COLUMNS
        if here[side].get(name) is not None or (side == "right" and state == "absent")
    ]
    hash_a, hash_b = left.digest(), right.digest()
    turned = bits(hash_a) ^ bits(hash_b)
    chosen = next((one for one in found if one.role is DECIDES.get(said)), found[0] if found else None)
    if said is Comparison.SAME and hash_a != hash_b:
        # The same number written otherwise, 1 for 1.0, is no other condition; to a hash it is another text.
        chosen, said = next(_spelling(left, right)), Comparison.MEASURED
    return Frame(
        sources={
            **{state: _marks([(x, row) for x, row, one in marks if one == state]) for state in STATES},
            "entries": {"edge": np.zeros(len(names)), "row": np.arange(1, len(names) + 1), "entry": names},
            "heads": {"x": list(COLUMNS.values()), "row": [0, 0], "head": ["A", "B"]},
            **{name: _cells(where) for name, where in (("stayed", ~turned), ("turned", turned))},
        },
        values={
            "left": hash_a[:8],
            "right": hash_b[:8] if not problem else "—",
            "turned": float(np.sum(turned)) if not problem else np.nan,
            "entry": chosen.entry.partition(".")[0] if chosen else "",
            "passport": chosen.kind if chosen else kind,
            "count": float(len(found)),
            "treatments": float(sum(one.role is Role.TREATMENT for one in found)),
            "needed": needed,
            "filled": needed - len(missing),
            "absent": float(len(missing)) if not problem else np.nan,
            "problem": problem,
            "field": field,
            "given": float(len(controls["logprobs"])),
            "tokens": len(LOG_PROBS),
            "ceiling": float(wilson(controls["errors"], controls["sample"]).high),
            "whole": float(importance_ratio(controls["mismatch"] * LONGEST)),
            "longest": LONGEST,
        },
        table={
            "place": np.arange(1, len(names) + 1),
            "entry": names,
            "code": [f"{name} =" for name in names],
            "left": [_shown(here["left"].get(name), here["right"].get(name)) for name in names],
            "right": [_shown(here["right"].get(name), here["left"].get(name)) for name in names],
            "state": states,
        },
        texts={"differences": _listed(found, problem), "json": _file(right) if not problem else "—"},
        case=_case(problem, bool(missing), said),
    )


def _of_example(kind: str, controls: Mapping[str, Any]) -> Passport:
    return _kept(kind, tuple(controls[name] for name in FIELDS[kind]))


@lru_cache(maxsize=200)
def _kept(kind: str, values: tuple[Any, ...]) -> Passport:
    return PASSPORTS[kind].from_dict(example(kind, dict(zip(FIELDS[kind], values, strict=True))))


def _case(problem: str, missing: bool, said: Comparison) -> str:
    if problem:
        return "lengths" if problem == "lengths" else "refused"
    return "incomplete" if missing else str(said)


def _problem(kind: str, error: DomainError) -> tuple[str, str]:
    """Why the form refuses, and which entry is to blame."""
    length = re.fullmatch(r"len\((\w+)\)", error.argument)
    if length:
        return "lengths", length[1]
    if error.argument in ("text", "entry"):
        return error.argument, "—"
    return (
        ("value", error.argument)
        if error.argument in [item.name for item in fields(PASSPORTS[kind])]
        else ("other", "—")
    )


def _marks(places: list[tuple[float, int]]) -> dict[str, Any]:
    at = np.array(places, float).reshape(-1, 2)
    return {"x": at[:, 0], "row": at[:, 1]}


def _cells(where: Any) -> dict[str, Any]:
    at = np.flatnonzero(where)
    return {"x": at % ACROSS, "y": at // ACROSS, "strength": np.ones(len(at))}


def _spelling(left: Passport, right: Passport) -> Iterator[Difference]:
    before, after = left.to_dict(), right.to_dict()
    for name, value in before.items():
        if repr(value) != repr(after[name]):
            yield Difference(left.kind, name, value, after[name])


def _file(passport: Passport) -> str:
    """JSON with an entry a line."""
    lines = (f'"{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in passport.to_dict().items())
    return "{" + ",\n ".join(lines) + "}"


def _listed(found: tuple[Any, ...], problem: str) -> str:
    if problem or not found:
        return "—"
    return "\n".join(f"{one.kind}.{one.entry}: {_shown(one.left)} → {_shown(one.right)}" for one in found)


def _shown(value: Any, other: Any = None) -> str:
    """A value in a few characters; of a mapping only what the other run has otherwise."""
    if value is None or value == "":
        return "—"
    if isinstance(value, Mapping) and isinstance(other, Mapping) and value != other:
        value = {key: one for key, one in value.items() if key not in other or other[key] != one}
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
