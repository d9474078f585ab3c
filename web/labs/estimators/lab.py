"""Bias and variance of REINFORCE, RLOO and GRPO against a gradient that is known exactly (curriculum 2.5)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Number
from pycore.estimator import estimator_moments, exact_gradient
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points
from web.labs.frame import Frame

ORDER = 25
CONTROLS = (
    Number("G", 4, low=2, high=16, step=1, integer=True, symbol="G"),
    Number("shift", 0, low=-5, high=10, step=0.5, symbol="c"),
    Rows(
        "answers",
        (Column("weight", 0.01, 100), Column("reward", -10, 10)),
        default=((0.2, 1), (0.5, 0), (0.3, 0)),
        fewest=2,
        most=4,
    ),
)
PRESETS = {
    "pair": {"G": 2},
    "many": {"G": 16},
    "rare": {"answers": ((0.02, 1), (0.58, 0), (0.4, 0))},
    "surprise": {"shift": 10},
}
PREDICT = Predict(("all", "plain", "none"), right="plain", state={"shift": 5})

KINDS: dict[str, dict[str, Any]] = {
    "plain": {"baseline": "none", "scale": "none"},
    "others": {"baseline": "leave_one_out", "scale": "none"},
    "mean": {"baseline": "mean", "scale": "none"},
    "scaled": {"baseline": "mean", "scale": "group_std", "eps": 1e-6},
}
ROLES = {"plain": "silent", "others": "reference", "mean": "current", "scaled": "old"}
MARKERS = {"plain": "triangle", "others": "diamond", "mean": "circle", "scaled": "square"}

FIGURES = {
    "error": Figure(
        (
            Bars("error", "bias", "row", "negative", across=True, width=0.5, hatch=True, key="bias"),
            Bars("error", "total", "row", "current", base="bias", across=True, width=0.5, key="variance"),
            Labels("error", "total", "row", dx=8, bold=True),
            Labels("names", "zero", "row", "muted", dy=-26),
        ),
        x=Axis(0, room=0.3),
        y=Axis(3.7, -0.75, shown=False),
        height=310,
    ),
    "gradient": Figure(
        (
            Line("exact", "answer", "gradient", "ink", width=2, key="exact"),
            *(
                Points(f"mean_{kind}", "answer", "gradient", ROLES[kind], MARKERS[kind], size=11, key=kind)
                for kind in KINDS
            ),
        ),
        x=Axis(room=0.2, ticks={1.0: "1", 2.0: "2", 3.0: "3", 4.0: "4"}),
        height=280,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Each estimator's exact mean and variance, over every group that the policy can produce."""
    weights, rewards = np.asarray(controls["answers"], dtype=np.float64).T
    p, size = weights / weights.sum(), controls["G"]
    gain = rewards + controls["shift"]
    # Of a softmax policy with one logit an answer: d log p(o) / d logits = onehot(o) - p.
    scores = np.eye(p.size) - p
    exact = exact_gradient(p, scores, gain)
    answer = np.arange(1, p.size + 1)
    sources: dict[str, Any] = {"exact": {"answer": answer, "gradient": exact}}
    table: dict[str, list[Any]] = {name: [] for name in ("estimator", "bias", "variance", "error", "length")}
    values: dict[str, float | str] = {"G_factor": (size - 1) / size}
    norm = float(np.linalg.norm(exact))
    for kind, options in KINDS.items():
        found = estimator_moments(p, scores, gain, size, partial(group_advantages, **options))
        bias = float(found.bias @ found.bias)
        ratio = float(np.linalg.norm(found.mean)) / norm if norm > 1e-12 else float("nan")
        row = (kind, bias, found.variance, bias + found.variance, ratio)
        for column, value in zip(table.values(), row, strict=True):
            column.append(value)
        sources[f"mean_{kind}"] = {"answer": answer, "gradient": found.mean}
        values |= {f"{kind}_bias": bias, f"{kind}_variance": found.variance, f"{kind}_length": ratio}
        values["silent"] = found.silent
    rows = np.arange(float(len(KINDS)))
    sources["error"] = {"row": rows, "bias": table["bias"], "total": table["error"]}
    sources["names"] = {"row": rows, "zero": np.zeros(rows.size), "estimator": list(KINDS)}
    case = "flat" if np.ptp(gain) == 0 else "shifted" if controls["shift"] else "plain"
    return Frame(sources, values, table, case)
