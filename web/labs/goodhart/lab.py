"""Goodhart in closed form: the judge's mark and true quality under best-of-n and under a KL anchor (curriculum 0.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Switch
from pycore.domain import Array
from pycore.overoptimisation import (
    Judge,
    Optimised,
    best_of_n,
    simulate_best_of_n,
    simulate_tilted,
    tilted,
    turning_point,
)
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules, Whiskers
from web.labs.frame import Frame

ORDER = 5
CONTROLS = (
    Number("beta", 0.2, low=0.1, high=5, step=0.05, logarithmic=True, symbol="β", role="reference"),
    Number("n", 64, low=1, high=1024, step=1, integer=True, logarithmic=True, symbol="n"),
    Number("noise", 0.5, low=0, high=3, step=0.1, symbol="σ", role="negative"),
    Number("bonus", 0.5, low=0, high=2, step=0.1, symbol="b", role="negative"),
    Number("cost", 0.8, low=0, high=2, step=0.1, symbol="c", role="positive"),
    Switch("cover"),
    SEED,
)
GROUPS = {"press": ("beta", "n"), "judge": ("noise", "bonus", "cost"), "view": ("cover",)}
PRESETS = {
    "noise": {"noise": 1, "bonus": 0, "n": 16, "beta": 0.5},
    "turn": {"beta": 0.4},
    "covered": {"cover": True, "beta": 0.5},
    "surprise": {"noise": 2},
}
PREDICT = Predict(("bends", "flatter", "nothing"), right="flatter", state={"noise": 1, "bonus": 0, "beta": 0.5})

CHOICES = 4 ** np.arange(15)  # how many answers the judge may choose from, along the curve
FARTHEST = 4.4  # square root of the divergence that the largest of these reaches
SIDES = {"proxy": ("negative", "dashed", "square"), "true": ("positive", "solid", "circle")}
DRAWS = 400

FIGURES = {
    "curves": Figure(
        (
            *(Line(side, "distance", side, role, dash, key=side) for side, (role, dash, _) in SIDES.items()),
            *(
                Points(f"best_{side}", "distance", side, role, marker, size=5, tip=True)
                for side, (role, _, marker) in SIDES.items()
            ),
            *(Whiskers(f"drawn_{side}", "distance", "low", "high", role) for side, (role, *_) in SIDES.items()),
            *(
                Points(f"drawn_{side}", "distance", "mean", role, marker, here=True, key=f"drawn_{side}")
                for side, (role, _, marker) in SIDES.items()
            ),
            Labels("drawn_proxy", "distance", "mean", "negative", bold=True, align="right", dx=-10, dy=-10),
            Labels("drawn_true", "distance", "mean", "positive", bold=True, align="center", dy=22),
            Rules("turn", "line-strong", x="distance", key="turn"),
        ),
        x=Axis(0, room=0.08),
        y=Axis(room=0.12),
        height=360,
        zero=True,
    ),
    "cloud": Figure(
        (
            Line("honest", "proxy", "true", "silent", "dotted", width=2, key="honest"),
            Points("plain", "proxy", "true", "silent", "circle", size=4, key="plain", tip=False),
            Points("chosen", "proxy", "true", "negative", "square", size=6, key="chosen", tip=False),
        ),
        height=300,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Both curves exactly, the learner's two optimisers by simulation, and the answers that the judge picks."""
    rng = np.random.default_rng(controls["seed"])
    judge = Judge(controls["noise"], controls["bonus"], controls["cost"])
    beta, n, shown = controls["beta"], controls["n"], not controls["cover"]
    turn = turning_point(judge)
    anchored, chosen = tilted(judge, beta), best_of_n(judge, n)
    best = best_of_n(judge, CHOICES)
    farthest = max(FARTHEST, float(np.sqrt(anchored.kl)) * 1.05)
    curve = _along(judge, np.linspace(0, farthest, 61))
    beside = _along(judge, np.sqrt(best.kl))
    # As many choices as keep the work of a movement of the slider small; the whiskers say how few they are.
    picked = simulate_best_of_n(judge, n, max(16, min(DRAWS, 10_000 // n)), rng)
    drawn = simulate_tilted(judge, beta, DRAWS, rng)
    plain = simulate_best_of_n(judge, 1, DRAWS // 2, rng)
    where = np.sqrt([float(chosen.kl), float(anchored.kl)])
    sources: dict[str, Any] = {}
    for index, side in enumerate(SIDES):
        keep = slice(None) if side == "proxy" or shown else slice(0)
        means = np.array([picked[index].mean(), drawn[index].mean()])
        errors = np.array([2 * values.std(ddof=1) / np.sqrt(values.size) for values in (picked[index], drawn[index])])
        sources[side] = {"distance": np.sqrt(curve.kl)[keep], side: getattr(curve, side)[keep]}
        sources[f"best_{side}"] = {"distance": np.sqrt(best.kl)[keep], side: getattr(best, side)[keep]}
        sources[f"drawn_{side}"] = {
            "distance": where[keep],
            "mean": means[keep],
            "low": (means - errors)[keep],
            "high": (means + errors)[keep],
            "name": ["choice", "anchor"][keep],
        }
    visible = np.isfinite(turn) and shown and np.sqrt(turn) <= farthest
    sources["turn"] = {"distance": [float(np.sqrt(turn))] if visible else []}
    keep = slice(None) if shown else slice(0)
    sources["plain"] = {"proxy": plain[0][keep], "true": plain[1][keep]}
    sources["chosen"] = {"proxy": picked[0][:100][keep], "true": picked[1][:100][keep]}
    ends = np.array([min(plain[0].min(), plain[1].min()), max(picked[0].max(), 1.0)])
    sources["honest"] = {"proxy": ends, "true": ends}
    hidden = 1.0 if shown else np.nan
    return Frame(
        sources=sources,
        values={
            "kl": float(anchored.kl),
            "proxy": float(anchored.proxy),
            "true": float(anchored.true) * hidden,
            "best_kl": float(chosen.kl),
            "best_proxy": float(chosen.proxy),
            "best_true": float(chosen.true) * hidden,
            "turn": turn * hidden if np.isfinite(turn) else np.nan,
            "turn_beta": 2 * judge.cost * judge.bonus**2 * hidden if np.isfinite(turn) else np.nan,
            "peak": float(_peak(judge)) * hidden,
        },
        table={
            "n": CHOICES,
            "kl": best.kl,
            "best_proxy": best.proxy,
            "best_true": best.true * hidden,
            "proxy": beside.proxy,
            "true": beside.true * hidden,
        },
        case="covered" if not shown else "straight" if np.isinf(turn) else "past" if anchored.kl > turn else "before",
    )


def _peak(judge: Judge) -> float:
    """The largest true quality that an anchored optimum has; NaN where it grows without end."""
    bend = 2 * judge.cost * judge.bonus**2
    return float(tilted(judge, bend).true) if bend else float("nan")


def _along(judge: Judge, distance: Array) -> Optimised:
    """The anchored optimum at these square roots of the divergence, the start included."""
    found = tilted(judge, judge.spread / (np.sqrt(2) * np.maximum(distance, 1e-9)))
    return Optimised(distance**2, found.proxy, found.true)
