"""What the clip does and does not do: the surrogate and its gradient against the importance ratio (curriculum 2.3)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pycore.control import Choice, Number, Switch
from pycore.domain import Array
from pycore.ratio import Surrogate, clipped_surrogate
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules, Strips
from web.labs.frame import Frame, beside

ORDER = 23
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Number("ratio", 1.4, low=0.05, high=4, step=0.01, symbol="ρ", role="current"),
    Number("size", 1, low=0.1, high=3, step=0.1, symbol="|A|"),
    Number("low", 0.2, low=0, high=0.95, step=0.01, symbol="ε₋", role="negative"),
    Number("high", 0.2, low=0, high=2, step=0.01, symbol="ε₊", role="positive"),
    Switch("dual"),
    Number("cap", 3, low=1.05, high=4, step=0.05, symbol="c"),
    Rows(
        "own",
        (Column("old", -50, 0), Column("current", -50, 0), Column("advantage", -10, 10)),
        # One right answer in a group of four, some tokens of it and of a wrong one.
        default=(
            *((-0.92, -0.62, 1.73), (-0.35, -0.31, 1.73), (-1.4, -1.51, 1.73), (-2.1, -1.85, 1.73)),
            *((-0.6, -0.95, -0.58), (-0.22, -0.27, -0.58), (-3.1, -1.9, -0.58)),
            *((-1.25, -1.16, -0.58), (-0.8, -1.3, -0.58), (-0.05, -0.03, -0.58)),
        ),
        most=120,
    ),
)
GROUPS = {"bounds": ("low", "high"), "second": ("dual", "cap")}
WHEN = {
    "cap": {"dual": (True,)},
    "ratio": {"source": ("model",)},
    "size": {"source": ("model",)},
    "own": {"source": ("own",)},
}
PRESETS = {
    "low": {"ratio": 0.5},
    "higher": {"ratio": 1.25, "high": 0.28},
    "dual": {"ratio": 3.2, "dual": True, "cap": 2.5},
    "own": {"source": "own"},
    "surprise": {"ratio": 3.0},
}
PREDICT = Predict(("both", "positive", "negative", "none"), right="negative", state={"ratio": 3.0})

LARGEST, LEAST_SHOWN = 4.0, 2.0  # where the ratios end; with tokens of one's own not before this
TABLE = np.array([0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.5])
SIGNS = {"positive": 1, "negative": -1}
CASES = {(True, True): "both", (False, True): "negative", (True, False): "positive", (False, False): "none"}
# What only tokens of one's own have.
COUNTS = ("count", "held", "above", "below", "capped", "beyond", "mean", "pull", "advantage")


def _side(name: str) -> Figure:
    here = f"{name}_here"
    return Figure(
        (
            Strips(f"{name}_dead", "left", "right", key="dead"),
            Line(name, "ratio", "free", "silent", dash="dotted", width=1.5, key="free", tip=False),
            Line(name, "ratio", "gradient", "current", dash="dashed", width=2, key="gradient"),
            Line(name, "ratio", "value", name, key="value"),
            Rules(here, "current", x="ratio"),
            Points(f"{name}_alive", "ratio", "value", name, size=9),
            Points(f"{name}_held", "ratio", "value", "silent", "square", size=8),
            Points(here, "ratio", "gradient", "current", "diamond", size=10, tip=False),
            Points(here, "ratio", "value", name, here=True, tip=False),
            Labels(here, "ratio", "value", name, bold=True, align="align", dx="dx", dy="dy"),
        ),
        x=Axis(0, room=0),
        height=330,
        zero=True,
    )


FIGURES = {name: _side(name) for name in SIGNS}


class _Bounds(NamedTuple):
    """The clip: how far below and above one, and the second bound if there is one."""

    low: float
    high: float
    cap: float | None

    @property
    def floor(self) -> float:
        return 1 - self.low

    @property
    def ceiling(self) -> float:
        return 1 + self.high


def compute(controls: Mapping[str, Any]) -> Frame:
    """For each sign of the advantage: the surrogate, its gradient, where that is zero, and the learner's own ratios."""
    cap = controls["cap"] if controls["dual"] else None
    bounds = _Bounds(controls["low"], controls["high"], cap)
    if controls["source"] == "own":
        old, current, advantage = np.asarray(controls["own"], dtype=np.float64).T
        return _own(np.exp(current - old), advantage, bounds)
    ratio, size = controls["ratio"], controls["size"]
    sources: dict[str, Any] = {}
    values = _values(ratio, size, bounds) | dict.fromkeys(COUNTS, float("nan"))
    for name, sign in SIGNS.items():
        here = _surrogate(np.array([ratio]), sign * size, bounds)
        sources |= _curve(name, size, LARGEST, bounds)
        sources[f"{name}_here"] = {"ratio": [ratio], "value": here.value, "gradient": here.derivative} | beside(
            ratio, 2.8, rising=sign > 0
        )
        sources |= {f"{name}_{kind}": {"ratio": [], "value": []} for kind in ("alive", "held")}
        values[f"{name}_value"], values[f"{name}_gradient"] = here.value[0], here.derivative[0]
    table = {name: _surrogate(TABLE, sign * size, bounds) for name, sign in SIGNS.items()}
    return Frame(
        sources=sources,
        values=values,
        table={"ratio": TABLE, "size": np.full(TABLE.shape, size)}
        | {f"{name}_value": found.value for name, found in table.items()}
        | {f"{name}_gradient": found.derivative for name, found in table.items()},
        case=CASES[values["positive_gradient"] != 0, values["negative_gradient"] != 0],
    )


def _own(ratio: Array, advantage: Array, bounds: _Bounds) -> Frame:
    """Tokens of the learner's own, on curves of |A| = 1: whatever its advantage, each lies where its ratio puts it."""
    found = _surrogate(ratio, advantage, bounds)
    size, pull = np.abs(advantage), np.abs(found.derivative)
    # The one that pulls hardest is told; when all are silent, the one that has gone furthest.
    told = int(np.argmax(pull if pull.any() else np.abs(np.log(ratio))))
    least = max(1.1 * bounds.ceiling, 1.1 * (bounds.cap or 0), LEAST_SHOWN)
    sources: dict[str, Any] = {}
    values = _values(float(ratio[told]), float(size[told]), bounds) | {
        "count": float(ratio.size),
        "held": float(np.mean(found.clipped)),
        "above": float(np.sum(found.clipped & (advantage > 0))),
        "below": float(np.sum(found.clipped & (advantage < 0) & (ratio < 1))),
        "capped": float(np.sum(found.clipped & (advantage < 0) & (ratio > 1))),
        "beyond": float(np.sum(found.clipped & (advantage < 0))),
        "mean": float(found.value.mean()),
        "pull": float(pull[told] / pull.sum()) if pull.any() else float("nan"),
        "advantage": float(advantage[told]),
    }
    table: dict[str, ArrayLike] = {"ratio": ratio, "size": size}
    for name, sign in SIGNS.items():
        mine = np.sign(advantage) == sign
        sources |= _curve(name, 1, max(least, 1.08 * float(ratio[mine].max(initial=0))), bounds)
        for kind, chosen in {"alive": mine & ~found.clipped, "held": mine & found.clipped}.items():
            sources[f"{name}_{kind}"] = {"ratio": ratio[chosen], "value": found.value[chosen] / size[chosen]}
        sources[f"{name}_here"] = {key: [] for key in ("ratio", "value", "gradient", "align", "dx", "dy")}
        for part, column in {"value": found.value, "gradient": found.derivative}.items():
            table[f"{name}_{part}"] = np.where(mine, column, np.nan)
            values[f"{name}_{part}"] = float(column[mine].mean()) if mine.any() else float("nan")
    case = "own_none" if not pull.any() else "own_dual" if bounds.cap else "own"
    return Frame(sources, values, table, case=case)


def _curve(name: str, size: float, end: float, bounds: _Bounds) -> dict[str, Any]:
    """The surrogate of one sign up to the ratio `end`, and the ground where its gradient is zero."""
    sign, cap = SIGNS[name], bounds.cap
    # Both sides of every bound are drawn: the gradient jumps there.
    jumps = np.array([bounds.floor, bounds.ceiling, *([cap] if cap else [])])
    grid = np.unique(np.concatenate([np.linspace(0.01, end, 200), jumps - 1e-9, jumps, jumps + 1e-9]))
    grid = grid[grid > 0]
    curve = _surrogate(grid, sign * size, bounds)
    dead = [(bounds.ceiling, end)] if sign > 0 else [(0, bounds.floor), *([(cap, end)] if cap else [])]
    return {
        name: {"ratio": grid, "value": curve.value, "gradient": curve.derivative, "free": grid * sign * size},
        f"{name}_dead": {"left": [start for start, _ in dead], "right": [stop for _, stop in dead]},
    }


def _values(ratio: float, size: float, bounds: _Bounds) -> dict[str, Any]:
    """What the formula says of one ratio under both signs of an advantage."""
    both = {
        f"{name}_at": float(_surrogate(np.array([ratio]), sign * size, bounds).value[0]) for name, sign in SIGNS.items()
    }
    clipped = float(np.clip(ratio, bounds.floor, bounds.ceiling))
    return {
        "ratio": ratio,
        "size": size,
        "minus": -size,
        "floor": bounds.floor,
        "ceiling": bounds.ceiling,
        "clipped": clipped,
    } | both


def _surrogate(ratio: Array, advantage: ArrayLike, bounds: _Bounds) -> Surrogate:
    spread = np.broadcast_to(np.asarray(advantage, dtype=np.float64), ratio.shape)
    return clipped_surrogate(np.log(ratio), spread, low=bounds.low, high=bounds.high, dual=bounds.cap)
