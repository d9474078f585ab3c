"""A program judged by tests: what a suite lets through, and what a policy makes of it (curriculum 1.1 and 1.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.rows import Column, Rows
from pycore.screening import escape_probability, fewest_tests, paid_share
from pycore.tilt import tilted_share
from pycore.verify.program import ProgramVerdict
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame
from web.labs.program_verifier.programs import HONEST, NAMES, YEARS, Case, source, verdict, wrong_share

ORDER = 13
EDGES: tuple[Case, ...] = (
    (2024, "yes", "visible"),
    (2023, "no", "visible"),
    (1900, "no", "visible"),
    (2000, "yes", "visible"),
)
CONTROLS = (
    Rows(
        "tests",
        (
            Column("year", 1, YEARS, integer=True),
            Column("leap", options=("yes", "no")),
            Column("sight", options=("visible", "hidden")),
        ),
        default=EDGES,
        most=12,
    ),
    Number("random", 0, low=0, high=1000, step=1, integer=True, symbol="n"),
    Choice("pay", ("all", "share"), "all"),
    Number("beta", 0.2, low=0.05, high=2, step=0.01, logarithmic=True, symbol="β"),
    Choice("program", NAMES, "four"),
)
GROUPS = {"suite": ("tests", "random", "pay"), "policy": ("beta", "program")}
WEAK = EDGES[:2]
PRESETS = {
    "hidden": {"tests": (*EDGES, (2028, "yes", "hidden")), "program": "table"},
    "weak": {"tests": WEAK, "random": 50},
    "wrong": {"tests": (EDGES[0], EDGES[1], (1900, "yes", "visible"), EDGES[3])},
    "share": {"pay": "share", "random": 200, "program": "never"},
    "surprise": {"tests": (*EDGES, (2027, "no", "hidden")), "program": "table"},
}
PREDICT = Predict(("rarely", "third", "mostly"), right="mostly", state={"tests": WEAK, "random": 50})

LOOPHOLE = 0.01  # how often the untrained policy writes a table of the visible tests
ESCAPING = {"century": "dashed", "four": "solid", "never": "dotdash"}
MARKERS = {"century": "square", "four": "circle", "never": "diamond"}
COUNTS = np.unique(np.round(np.geomspace(1, 1000, 60)))
BETAS = np.geomspace(0.01, 10, 60)

FIGURES = {
    "programs": Figure(
        (
            Bars("deserved", "paid", "row", "positive", across=True, width=0.4, key="deserved"),
            Bars("undeserved", "paid", "row", "negative", across=True, width=0.4, hatch=True, key="undeserved"),
            Labels("programs", "zero", "row", "ink", dy=-21),
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(len(NAMES) - 0.5, -0.9, shown=False),
        height=430,
    ),
    "escape": Figure(
        (
            *(Line("escape", "n", name, "negative", dash, key=name) for name, dash in ESCAPING.items()),
            *(Points(f"here_{name}", "n", "escape", "negative", m, here=True) for name, m in MARKERS.items()),
        ),
        x=Axis(1, 1000, form="count", log=True),
        y=Axis(0, 1, form="percent"),
        height=260,
    ),
    "loophole": Figure(
        (
            Rules("base", "line-strong", y="after", key="base"),
            Line("training", "beta", "after", "current", key="after"),
            Points("here", "beta", "after", "current", here=True),
            Labels("here", "beta", "after", "current", bold=True, dx=11, dy=-14),
        ),
        x=Axis(0.01, 10, log=True),
        y=Axis(-0.04, 1, form="percent"),
        height=260,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """What each program is paid, what honest attempts earn on average, and how often the trained policy cheats."""
    tests, random, beta = controls["tests"], controls["random"], controls["beta"]
    verdicts = {name: verdict(name, tests) for name in NAMES}
    passed = np.array([sum(one.passed for one in found.outcomes) for found in verdicts.values()])
    wrong = np.array([wrong_share(name, tests) for name in NAMES])
    escape = escape_probability(wrong, random)
    # A program that does not end takes all its tests with it; any other may fail some and pass the rest.
    paid = np.array([found.reward for found in verdicts.values()]) * escape
    if controls["pay"] == "share":
        ends = np.array([name != "endless" for name in NAMES])
        paid = np.where(ends, (passed + random * (1 - wrong)) / (len(tests) + random), paid)

    right = np.array([program.right for program in HONEST.values()])
    share = np.array([program.share for program in HONEST.values()])
    a = float(share[right].sum())
    eta = 1 - float(np.average(paid[:-1][right], weights=share[right]))
    alpha = float(np.average(paid[:-1][~right], weights=share[~right]))
    honest, table = float(paid_share(a, alpha, eta)), float(paid[-1])
    # Honestly the policy can do no better than before: it chooses between trying and writing the table.
    after = float(tilted_share(LOOPHOLE, table - honest, beta))

    rows, deserved = np.arange(len(NAMES)), np.append(right, False)
    programs: dict[str, Any] = {
        "row": rows,
        "zero": np.zeros(len(NAMES)),
        "name": list(NAMES),
        "passed": passed,
        "reason": [str(found.reason) for found in verdicts.values()],
        "wrong": wrong,
        "fewest": fewest_tests(wrong),
        "paid": paid,
        "base": np.append(share * (1 - LOOPHOLE), LOOPHOLE),
    }
    drawn = {name: float(escape[NAMES.index(name)]) for name in ESCAPING}
    seen = slice(0, 1 if random else 0)  # a logarithmic axis has no place for no tests
    return Frame(
        sources={
            "programs": programs,
            "deserved": {"row": rows[deserved], "paid": paid[deserved]},
            "undeserved": {"row": rows[~deserved], "paid": paid[~deserved]},
            "escape": {"n": COUNTS, **{n: escape_probability(wrong[NAMES.index(n)], COUNTS) for n in ESCAPING}},
            **{f"here_{n}": {"n": [random][seen], "escape": [value][seen]} for n, value in drawn.items()},
            "base": {"after": [LOOPHOLE]},
            "training": {"beta": BETAS, "after": tilted_share(LOOPHOLE, table - honest, BETAS)},
            "here": {"beta": [beta], "after": [after]},
        },
        values={
            "a": a,
            "a_wrong": 1 - a,
            "alpha": alpha,
            "eta": max(eta, 0.0),
            "honest": honest,
            "table": table,
            "after": after,
            "base": LOOPHOLE,
            "four": float(paid[NAMES.index("four")]),
            "escape": drawn["four"],
            "fewest": float(programs["fewest"][NAMES.index("four")]),
            "never": float(paid[NAMES.index("never")]),
            "count": float(len(tests)),
        },
        table="programs",
        case=_case(controls["pay"], eta, alpha, table - honest),
        texts={
            "code": source(controls["program"], tests),
            "log": _log(verdicts[controls["program"]]),
        },
    )


def _case(pay: str, eta: float, alpha: float, lead: float) -> str:
    if pay == "share":
        return "share"
    if eta > 1e-9:
        return "refused"
    if lead > 0:
        return "loophole"
    return "weak" if alpha > 0.005 else "sound"


def _log(found: ProgramVerdict) -> str:
    """The verdict as its author may see it: of a hidden test only whether it passed."""
    lines = [
        f"{'leap(?)' if one.hidden else one.call + ' → ' + one.got:<24} {'✓' if one.passed else '✗ ' + one.reason}"
        for one in found.outcomes
    ]
    return "\n".join([*lines, f"reward {found.reward:.0f}: {found.reason}"])
