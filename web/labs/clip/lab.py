"""What the clip does and does not do: the surrogate and its gradient against the importance ratio (curriculum 2.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Switch
from pycore.domain import Array
from pycore.ratio import Surrogate, clipped_surrogate
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules, Strips
from web.labs.frame import Frame, beside

ORDER = 23
CONTROLS = (
    Number("ratio", 1.4, low=0.05, high=4, step=0.01, symbol="ρ", role="current"),
    Number("size", 1, low=0.1, high=3, step=0.1, symbol="|A|"),
    Number("low", 0.2, low=0, high=0.95, step=0.01, symbol="ε₋", role="negative"),
    Number("high", 0.2, low=0, high=2, step=0.01, symbol="ε₊", role="positive"),
    Switch("dual"),
    Number("cap", 3, low=1.05, high=4, step=0.05, symbol="c"),
)
GROUPS = {"bounds": ("low", "high"), "second": ("dual", "cap")}
WHEN = {"cap": {"dual": (True,)}}
PRESETS = {
    "low": {"ratio": 0.5},
    "higher": {"ratio": 1.25, "high": 0.28},
    "dual": {"ratio": 3.2, "dual": True, "cap": 2.5},
    "surprise": {"ratio": 3.0},
}
PREDICT = Predict(("both", "positive", "negative", "none"), right="negative", state={"ratio": 3.0})

LARGEST = 4.0
TABLE = np.array([0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.5])
SIGNS = {"positive": 1, "negative": -1}


def _side(name: str) -> Figure:
    here = f"{name}_here"
    return Figure(
        (
            Strips(f"{name}_dead", "left", "right", key="dead"),
            Line(name, "ratio", "free", "silent", dash="dotted", width=1.5, key="free", tip=False),
            Line(name, "ratio", "gradient", "current", dash="dashed", width=2, key="gradient"),
            Line(name, "ratio", "value", name, key="value"),
            Rules(here, "current", x="ratio"),
            Points(here, "ratio", "gradient", "current", "diamond", size=10, tip=False),
            Points(here, "ratio", "value", name, here=True, tip=False),
            Labels(here, "ratio", "value", name, bold=True, align="align", dx="dx", dy="dy"),
        ),
        x=Axis(0, LARGEST),
        height=330,
        zero=True,
    )


FIGURES = {name: _side(name) for name in SIGNS}


def compute(controls: Mapping[str, Any]) -> Frame:
    """For each sign of the advantage: the surrogate, its gradient, where that is zero, and the learner's own ratio."""
    ratio, size = controls["ratio"], controls["size"]
    low, high = controls["low"], controls["high"]
    cap = controls["cap"] if controls["dual"] else None
    # Both sides of every bound are drawn: the gradient jumps there.
    bounds = np.array([1 - low, 1 + high, *([cap] if cap else [])])
    grid = np.unique(np.concatenate([np.linspace(0.01, LARGEST, 200), bounds - 1e-9, bounds, bounds + 1e-9]))
    grid = grid[grid > 0]

    sources: dict[str, Any] = {}
    values: dict[str, float] = {"ratio": ratio, "floor": 1 - low, "ceiling": 1 + high}
    values["clipped"] = float(np.clip(ratio, 1 - low, 1 + high))
    for name, sign in SIGNS.items():
        curve = _surrogate(grid, sign * size, low, high, cap)
        here = _surrogate(np.array([ratio]), sign * size, low, high, cap)
        dead = [(1 + high, LARGEST)] if sign > 0 else [(0, 1 - low), *([(cap, LARGEST)] if cap else [])]
        sources[name] = {"ratio": grid, "value": curve.value, "gradient": curve.derivative, "free": grid * sign * size}
        sources[f"{name}_here"] = {"ratio": [ratio], "value": here.value, "gradient": here.derivative} | beside(
            ratio, 2.8, rising=sign > 0
        )
        sources[f"{name}_dead"] = {"left": [start for start, _ in dead], "right": [end for _, end in dead]}
        values[f"{name}_value"], values[f"{name}_gradient"] = here.value[0], here.derivative[0]
    table = {name: _surrogate(TABLE, sign * size, low, high, cap) for name, sign in SIGNS.items()}
    alive = (values["positive_gradient"] != 0, values["negative_gradient"] != 0)
    return Frame(
        sources=sources,
        values=values,
        table={"ratio": TABLE}
        | {f"{name}_value": found.value for name, found in table.items()}
        | {f"{name}_gradient": found.derivative for name, found in table.items()},
        case={(True, True): "both", (False, True): "negative", (True, False): "positive", (False, False): "none"}[
            alive
        ],
    )


def _surrogate(ratio: Array, advantage: float, low: float, high: float, cap: float | None) -> Surrogate:
    return clipped_surrogate(np.log(ratio), np.full(ratio.shape, float(advantage)), low=low, high=high, dual=cap)
