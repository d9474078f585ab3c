"""When does a group give a signal? The informative share of groups, in formula and in simulation (curriculum 1.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.groups import informative_probability
from pycore.rows import Column, Rows
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points, Rules, Whiskers
from web.labs.frame import Frame, beside
from web.labs.signal.prompts import GRID, SIZES, Prompts, Stream, modelled, own

ORDER = 15
CONTROLS = (
    Number("p", 0.1, low=0, high=1, step=0.01, symbol="p", role="signal"),
    Number("G", 8, low=2, high=64, step=1, integer=True, symbol="G"),
    Number("B", 64, low=1, high=1024, step=1, integer=True, symbol="B"),
    Choice("source", ("model", "own"), "model"),
    Number("spread", 0, low=0, high=0.9, step=0.05),
    Rows(
        "own",
        (Column("p", 0, 1),),
        default=tuple((k / 8,) for k in (8, 0, 7, 0, 5, 8, 1, 8, 0, 2, 8, 4, 0, 7, 1, 8)),
        fewest=2,
        most=300,
    ),
    Number("correlation", 0, low=0, high=0.9, step=0.05),
    Number("groups", 300, low=50, high=2000, step=50, integer=True),
    SEED,
)
GROUPS = {"stream": ("source", "spread", "own", "correlation"), "simulation": ("groups", "seed")}
WHEN = {"p": {"source": ("model",)}, "spread": {"source": ("model",)}, "own": {"source": ("own",)}}
PRESETS = {
    "solved": {"p": 0.9, "G": 8},
    "larger": {"p": 0.9, "G": 16},
    "rare": {"p": 0.02, "G": 8},
    "own": {"source": "own"},
    "surprise": {"p": 0.5, "spread": 0.6},
}
PREDICT = Predict(("third", "half", "tenth"), right="half", state={"p": 0.9})

FIGURES = {
    "curve": Figure(
        (
            Line("alike", "p", "informative", "silent", dash="dashed", width=1.5, key="alike", tip=False),
            Line("curve", "p", "informative", "signal", key="line"),
            Points("prompts", "p", "informative", "signal", "diamond", size=10),
            Labels("piles", "p", "informative", "signal", align="align", dx="dx", dy="dy"),
            Whiskers("simulated", "p", "low", "high", "ink"),
            Points("simulated", "p", "informative", "ink", size=5, key="points"),
            Rules("here", "signal", x="p"),
            Points("here", "p", "informative", "signal", here=True, tip=False),
            Labels("here", "p", "informative", "signal", bold=True, align="align", dx="dx", dy="dy"),
        ),
        x=Axis(0, 1),
        y=Axis(0, 1.08, form="percent"),
        height=330,
    ),
    "sizes": Figure(
        (
            Bars("sizes", "length", "row", "signal", width=0.6, across=True, tip=False),
            Labels("sizes", "length", "row", dx=6),
        ),
        x=Axis(low=0, form="count", room=0.35),
        y=Axis(len(SIZES) - 0.5, -0.5, ticks=dict(enumerate(map(str, SIZES.tolist())))),
        height=230,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The curve over p, the simulated groups beside it, and what a batch costs at each group size."""
    size, wanted = controls["G"], controls["B"]
    given = own(controls) if controls["source"] == "own" else modelled(controls)
    p, informative, probes = given.p, given.informative, given.probes
    height = np.array([probe.value for probe in probes[1]])
    error = 2 * np.array([probe.standard_error for probe in probes[1]])
    with np.errstate(divide="ignore", over="ignore"):  # what is beyond all numbers is told as infinite
        prompts, needed = wanted / given.by_size, wanted / informative
        responses, written = prompts * SIZES, needed * size
    rate, shared, _ = given.prompts
    total = float(shared.sum())
    mixed = shared[(rate > 0) & (rate < 1)].sum() / total if total else float("nan")
    return Frame(
        sources={
            "curve": {"p": GRID, "informative": given.curve},
            "alike": {"p": GRID, "informative": informative_probability(GRID, size)},
            "simulated": {
                "p": probes[0],
                "informative": height,
                "low": np.maximum(height - error, 0),
                "high": np.minimum(height + error, 1),
            },
            "prompts": {"p": rate, "informative": given.prompts.informative},
            "piles": _piles(given.prompts),
            "here": {"p": [p], "informative": [informative], **beside(p, 0.7, rising=p < 0.5)},
            "sizes": {
                "row": np.arange(len(SIZES)),
                "length": np.where(given.by_size > 0, prompts, 0),
                "prompts": prompts,
                "responses": responses,
            },
        },
        values={
            "p": p,
            "informative": informative,
            "empty": 1 - informative,
            "alike": float(informative_probability(p, size)),
            "prompts": needed,
            "responses": written,
            "counted": given.counted.value,
            "error": 2 * given.counted.standard_error,
            "count": total,
            "mixed": mixed,
        },
        table={
            "G": SIZES,
            "informative": given.by_size,
            "empty": 1 - given.by_size,
            "prompts": prompts,
            "responses": responses,
        },
        case=_case(controls, given, mixed),
    )


def _piles(prompts: Prompts) -> dict[str, Any]:
    """Where several prompts have one rate, and enough of them to be worth a label."""
    rate, shared, informative = prompts
    told = (shared > 1) & (shared >= 0.1 * shared.sum())
    left, end = rate[told] < 0.5, (rate[told] == 0) | (rate[told] == 1)
    return {
        "p": rate[told],
        "informative": informative[told],
        "count": shared[told],
        "align": np.where(left, "left", "right"),
        "dx": np.where(left, 10, -10),
        "dy": np.where(end, -10, 12),  # under the arch, but above its feet
    }


def _case(controls: Mapping[str, Any], given: Stream, mixed: float) -> str:
    if controls["source"] == "own":
        if given.informative == 0:
            return "own_never"
        return "own_split" if mixed < 1 else "own"
    if given.informative == 0:
        return "never"
    return "alike" if controls["spread"] == controls["correlation"] == 0 else "mixture"
