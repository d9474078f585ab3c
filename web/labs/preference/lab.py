"""From two scores to the chance of being preferred, and the loss that fits the scores (curriculum 0.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.preference import comparison_loss, win_probability
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame, beside

ORDER = 1
LAWS = ("gumbel", "gaussian")
CONTROLS = (
    Number("a", 2, low=-5, high=5, step=0.1, symbol="r_A", role="positive"),
    Number("b", 1, low=-5, high=5, step=0.1, symbol="r_B", role="negative"),
    Number("shift", 0, low=-10, high=10, step=0.5, symbol="c"),
    Choice("law", LAWS, "gumbel"),
    Number("scale", 1, low=0.2, high=3, step=0.1, symbol="s"),
)
GROUPS = {"scores": ("a", "b", "shift"), "noise": ("law", "scale")}
PRESETS = {
    "tie": {"b": 2},
    "sure": {"a": 4, "b": -1},
    "wrong": {"a": -1, "b": 2},
    "surprise": {"shift": 10},
}
PREDICT = Predict(("grows", "same", "falls"), right="same", state={"shift": 5})

GAP = np.linspace(-8, 8, 161)
TABLE = np.array([-4.0, -2, -1, -0.5, 0, 0.5, 1, 2, 4])
ROLES = {"gumbel": "current", "gaussian": "old"}
DASHES = {"gumbel": "solid", "gaussian": "dashed"}


def _against_gap(y: str, top: float | None, percent: bool) -> Figure:
    return Figure(
        (
            *(Line("curve", "gap", f"{y}_{law}", ROLES[law], DASHES[law], key=law) for law in LAWS),
            Rules("here", "muted", x="gap"),
            Points("here", "gap", y, "signal", here=True, tip=False),
            Labels("here", "gap", y, "signal", bold=True, align="align", dx="dx", dy="dy"),
        ),
        x=Axis(-8, 8),
        y=Axis(0, top, form="percent" if percent else "number"),
        height=280,
    )


FIGURES = {"win": _against_gap("win", 1.05, True), "loss": _against_gap("loss", 8, False)}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Both curves over the difference of scores, and the learner's own pair on the chosen one."""
    law, scale, shift = controls["law"], controls["scale"], controls["shift"]
    a, b = controls["a"] + shift, controls["b"] + shift
    here = comparison_loss(a, b, noise=law, scale=scale)
    win, gap = float(win_probability(a, b, law, scale)), controls["a"] - controls["b"]
    curve, table = {"gap": GAP}, {"gap": TABLE}
    for name in LAWS:
        for columns in (curve, table):
            zero = np.zeros_like(columns["gap"])
            columns[f"win_{name}"] = win_probability(columns["gap"], zero, name, scale)
            # The axis ends at 8 nat; a surprise that large is drawn at its edge.
            loss = comparison_loss(columns["gap"], zero, noise=name, scale=scale).loss
            columns[f"loss_{name}"] = np.minimum(loss, 40.0) if columns is table else np.minimum(loss, 8.0)
    place = float(np.clip(gap, -8, 8))
    return Frame(
        sources={
            "curve": curve,
            "here": {"gap": [place], "win": [win], "loss": [min(float(here.loss), 8.0)], **beside(place, 2)},
        },
        values={
            "r_a": a,
            "r_b": b,
            "gap": gap,
            "win": win,
            "loss_value": float(here.loss),
            "gradient": float(here.gradient),
        },
        table=table,
        case="tie" if abs(gap) < 1e-12 else "right" if gap > 0 else "wrong",
    )
