"""DPO and two relatives on one pair of answers: implied rewards, loss, and what the gradient pulls at (0.4)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number
from pycore.direct import PairLoss, dpo, length_normalised_dpo, simpo
from pycore.preference import log_sigmoid
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, signed
from web.labs.frame import Frame, by_sign

ORDER = 4
CONTROLS = (
    Number("chosen", -20, low=-60, high=0, step=0.5, role="positive"),
    Number("rejected", -25, low=-60, high=0, step=0.5, role="negative"),
    Number("ref_chosen", -22, low=-60, high=0, step=0.5, role="reference"),
    Number("ref_rejected", -24, low=-60, high=0, step=0.5, role="reference"),
    Number("beta", 0.1, low=0.01, high=1, step=0.01, symbol="β"),
    Number("chosen_length", 10, low=1, high=100, step=1, integer=True),
    Number("rejected_length", 10, low=1, high=100, step=1, integer=True),
    Number("gamma", 0.5, low=0, high=3, step=0.1, symbol="γ"),
)
GROUPS = {
    "policy": ("chosen", "rejected"),
    "reference": ("ref_chosen", "ref_rejected"),
    "loss": ("beta", "gamma"),
    "lengths": ("chosen_length", "rejected_length"),
}
PRESETS = {
    "start": {"chosen": -22, "rejected": -24},
    "apart": {"chosen": -20, "rejected": -27, "ref_chosen": -22, "ref_rejected": -24},
    "long": {"chosen": -40, "chosen_length": 40, "ref_chosen": -42, "rejected": -20, "ref_rejected": -18},
    "surprise": {"chosen": -23, "rejected": -30, "ref_chosen": -22, "ref_rejected": -24},
}
PREDICT = Predict(("rose", "either", "fell"), right="either", state={"chosen": -23, "rejected": -30})

# Log-ratios per token are ten times smaller here, and SimPO's authors use a beta of 2 to 2.5.
PER_TOKEN = 10.0
MARGINS = np.linspace(-4, 6, 121)
METHODS = ("dpo", "normalised", "simpo")
ROLES = {"dpo": "current", "normalised": "old", "simpo": "reference"}
MARKERS = {"dpo": "circle", "normalised": "square", "simpo": "diamond"}

FIGURES = {
    "loss": Figure(
        (
            Line("curve", "margin", "loss", "ink", width=2, key="curve"),
            *(
                Points(f"here_{name}", "margin", "loss", ROLES[name], MARKERS[name], size=12, key=name)
                for name in METHODS
            ),
            # One above the other: two of the points often coincide.
            *(
                Labels(f"here_{name}", "margin", "loss", ROLES[name], bold=True, dx=10, dy=-10 - 16 * row)
                for row, name in enumerate(METHODS)
            ),
        ),
        x=Axis(-4, 6),
        y=Axis(0, 4.4),
        height=300,
    ),
    "gradient": Figure(
        (*signed("pull", "row", "pull"), Labels("pulls", "row", "pull", bold=True, align="center", dy="dy")),
        x=Axis(-0.6, 5.6, ticks={0.5: "DPO", 2.5: "LN-DPO", 4.5: "SimPO"}),
        y=Axis(room=0.3),
        height=260,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The three losses of the same pair; per-token methods with a beta ten times as large."""
    won, lost, ref_won, ref_lost = (controls[name] for name in ("chosen", "rejected", "ref_chosen", "ref_rejected"))
    long_won, long_lost, beta = controls["chosen_length"], controls["rejected_length"], controls["beta"]
    steep = beta * PER_TOKEN
    found: dict[str, PairLoss] = {
        "dpo": dpo(won, lost, ref_won, ref_lost, beta),
        "normalised": length_normalised_dpo(won, lost, ref_won, ref_lost, long_won, long_lost, steep),
        "simpo": simpo(won, lost, long_won, long_lost, steep, controls["gamma"]),
    }
    sources: dict[str, Any] = {"curve": {"margin": MARGINS, "loss": -log_sigmoid(MARGINS)}}
    table: dict[str, list[Any]] = {key: [] for key in ("method", "margin", "loss", "weight", "up", "down")}
    for name, loss in found.items():
        shown = np.clip(float(loss.margin), -4, 6)
        sources[f"here_{name}"] = {"margin": [shown], "loss": [float(-log_sigmoid(shown))]}
        numbers = (loss.margin, loss.loss, loss.weight, -loss.gradient.chosen, -loss.gradient.rejected)
        for column, value in zip(table.values(), (name, *map(float, numbers)), strict=True):
            column.append(value)
    pull = np.ravel(list(zip(table["up"], table["down"], strict=True)))
    columns = {"row": np.arange(6.0), "pull": pull, "dy": np.where(pull >= 0, -12.0, 14.0)}
    sources |= {**by_sign("pull", columns, "pull"), "pulls": columns}
    first = found["dpo"]
    moved = controls["chosen"] - controls["ref_chosen"], controls["rejected"] - controls["ref_rejected"]
    return Frame(
        sources,
        values={
            "margin": float(first.margin),
            "loss_value": float(first.loss),
            "weight": float(first.weight),
            "reward_chosen": float(first.reward_chosen),
            "reward_rejected": float(first.reward_rejected),
            "moved_chosen": moved[0],
            "moved_rejected": moved[1],
        },
        table=table,
        case="start" if moved == (0, 0) else "fell" if moved[0] < 0 and first.margin > 0 else "plain",
    )
