"""Dividing by the group's deviation gives prompts of different difficulty different weights (curriculum 3.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame

ORDER = 31
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Rows(
        "own",
        (Column("p", 0, 1),),
        default=tuple((k / 16,) for k in (1, 8, 0, 1, 9, 16, 1, 6, 1, 15, 8, 0, 7, 1, 10, 2)),
        fewest=2,
        most=300,
    ),
    Number("p", 0.0625, low=0, high=1, step=0.01, symbol="p", role="signal"),
    Number("G", 16, low=2, high=64, step=1, integer=True, symbol="G"),
    Number("unit", 1, low=0.1, high=100, step=0.1, logarithmic=True, symbol="u"),
    Number("eps", 0, low=0, high=0.1, step=0.001, symbol="ε"),
)
GROUPS = {"group": ("p", "G"), "reward": ("unit", "eps")}
WHEN = {"own": {"source": ("own",)}}
PRESETS = {
    "half": {"p": 0.5},
    "easy": {"p": 0.94},
    "tiny": {"p": 0.75, "G": 4, "unit": 0.1},
    "own": {"source": "own"},
    "surprise": {"unit": 10},
}
PREDICT = Predict(("rare", "half", "same"), right="rare")

SCALES = ("none", "group_std", "mean")
ROLES = {"none": "current", "group_std": "old", "mean": "reference"}
DASHES = {"none": "solid", "group_std": "dashed", "mean": "dotdash"}
MARKERS = {"none": "circle", "group_std": "square", "mean": "diamond"}
OWN = {"none": 6, "group_std": 6, "mean": 9}  # a diamond looks smaller than it is


def _curves(name: str, y: str) -> tuple[Line | Points | Labels, ...]:
    lines = (Line(name, "p", f"{y}_{s}", ROLES[s], DASHES[s], key=s) for s in SCALES)
    points = (Points(f"here_{s}", "p", y, ROLES[s], MARKERS[s], size=11, tip=False) for s in SCALES)
    return (*lines, *points)


FIGURES = {
    "weight": Figure(
        (
            *_curves("curve", "weight"),
            *(Points("own", "p", f"weight_{s}", ROLES[s], MARKERS[s], size=OWN[s]) for s in SCALES),
            Labels("piles", "p", "top", "muted", align="align", dx="dx", dy=-10),
            Rules("place", "line-strong", x="p"),
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(0, room=0.16),
        height=320,
    ),
    "success": Figure(
        (
            *_curves("curve", "success"),
            *(
                Labels(f"here_{s}", "p", "success", ROLES[s], bold=True, align="align", dx="dx", dy=-10)
                for s in ("none", "group_std")
            ),
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(0),
        height=280,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """For every count of successes: the advantage of a success and the weight of the whole prompt, by scaling."""
    size, unit = controls["G"], controls["unit"]
    successes = np.arange(1, size)
    hits = int(np.clip(round(controls["p"] * size), 1, size - 1))
    groups = unit * (np.arange(size) < successes[:, None]).astype(np.float64)
    curve: dict[str, Any] = {"p": successes / size, "hits": successes}
    values: dict[str, float | str] = {"hits": hits, "share": hits / size, "deviation": float(groups[hits - 1].std())}
    values["mean"] = float(groups[hits - 1].mean())
    sources: dict[str, Any] = {"curve": curve, "place": {"p": [hits / size]}}
    for scale in SCALES:
        advantages = group_advantages(groups, scale=scale, eps=controls["eps"])
        curve[f"success_{scale}"], curve[f"weight_{scale}"] = advantages[:, 0], np.abs(advantages).mean(axis=1)
        here = {key: float(curve[f"{key}_{scale}"][hits - 1]) for key in ("success", "weight")}
        sources[f"here_{scale}"] = {"p": [hits / size], "dx": [-10 if hits / size > 0.7 else 10]} | {
            key: [value] for key, value in here.items()
        }
        sources[f"here_{scale}"]["align"] = ["right" if hits / size > 0.7 else "left"]
        values |= {f"{key}_{scale}": value for key, value in here.items()}
    values["amplified"] = curve["success_group_std"][hits - 1] / curve["success_none"][hits - 1]
    given, counted = _own(controls, hits / size)
    return Frame(sources | given, values | counted, "curve", case=_case(controls, counted["part_none"]))


def _case(controls: Mapping[str, Any], part: float) -> str:
    if controls["source"] == "own":
        return "own_silent" if np.isnan(part) else "own"
    return "unit" if controls["unit"] != 1 else "plain"


def _own(controls: Mapping[str, Any], cut: float) -> tuple[dict[str, Any], dict[str, float]]:
    """The learner's own groups on the curves; how many have at most `cut` right, and their part of the whole weight."""
    shares = np.asarray(controls["own"] if controls["source"] == "own" else (), dtype=np.float64).ravel()
    p, shared = np.unique(shares, return_counts=True)
    weights = _weights(p, controls["unit"], controls["eps"])
    hard = p <= cut + 1e-12
    values = {"count": float(shares.size), "below": float(shared[hard].sum())}
    for scale, weight in weights.items():
        whole = float(shared @ weight)
        values[f"part_{scale}"] = float(shared[hard] @ weight[hard]) / whole if whole > 0 else np.nan
    top = np.max(list(weights.values()), axis=0)
    told = (shared > 1) & (shared >= 0.1 * shares.size) & (top > 0)
    right = p[told] > 0.9
    piles = {
        "p": p[told],
        "top": top[told],
        "count": shared[told],
        "align": np.where(right, "right", "left"),
        "dx": np.where(right, -7, 7),
    }
    return {"own": {"p": p, **{f"weight_{s}": weights[s] for s in SCALES}}, "piles": piles}, values


def _weights(p: Array, unit: float, eps: float) -> dict[str, Array]:
    """Mean size of an advantage in a group with a share `p` of hits; none where all its rewards are equal."""
    divisors = {"none": np.ones(p.shape), "group_std": unit * np.sqrt(p * (1 - p)) + eps, "mean": unit * p + eps}
    size = 2 * unit * p * (1 - p)
    return {name: np.divide(size, by, out=np.zeros(p.shape), where=size > 0) for name, by in divisors.items()}
