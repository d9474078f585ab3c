"""What the clip does and does not do: the surrogate and its gradient against the importance ratio (curriculum 2.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Switch
from pycore.domain import Array
from pycore.ratio import Surrogate, clipped_surrogate
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

LARGEST = 4.0
TABLE = np.array([0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.5])
SIGNS = {"positive": 1, "negative": -1}


def compute(controls: Mapping[str, Any]) -> Frame:
    """For each sign of the advantage: the surrogate, its gradient, where that is zero, and the learner's own ratio."""
    ratio, size = controls["ratio"], controls["size"]
    low, high = controls["low"], controls["high"]
    cap = controls["cap"] if controls["dual"] else None
    # Both sides of every bound are drawn: the gradient jumps there.
    bounds = np.array([1 - low, 1 + high, *([cap] if cap else [])])
    grid = np.unique(np.concatenate([np.linspace(0.01, LARGEST, 200), bounds - 1e-9, bounds, bounds + 1e-9]))
    grid = grid[grid > 0]

    sources, values = (
        {},
        {"ratio": ratio, "size": size, "low": low, "high": high, "floor": 1 - low, "ceiling": 1 + high},
    )
    for name, sign in SIGNS.items():
        curve = _surrogate(grid, sign * size, low, high, cap)
        here = _surrogate(np.array([ratio]), sign * size, low, high, cap)
        dead = [(1 + high, LARGEST)] if sign > 0 else [(0, 1 - low), *([(cap, LARGEST)] if cap else [])]
        sources[name] = {"ratio": grid, "value": curve.value, "gradient": curve.derivative, "free": grid * sign * size}
        sources[f"{name}_here"] = {"ratio": [ratio], "value": here.value, "gradient": here.derivative} | beside(
            ratio, 2.8
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
