"""DPO and two relatives on a pair of answers or on many: implied rewards, loss, and where the gradient pulls (0.4)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.direct import PairLoss, dpo, length_normalised_dpo, simpo
from pycore.domain import Array
from pycore.preference import log_sigmoid
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, signed
from web.labs.frame import Columns, Frame, by_sign

ORDER = 4
PAIR = ("chosen", "rejected", "ref_chosen", "ref_rejected", "chosen_length", "rejected_length")
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Number("chosen", -20, low=-60, high=0, step=0.5, role="positive"),
    Number("rejected", -25, low=-60, high=0, step=0.5, role="negative"),
    Number("ref_chosen", -22, low=-60, high=0, step=0.5, role="reference"),
    Number("ref_rejected", -24, low=-60, high=0, step=0.5, role="reference"),
    Number("beta", 0.1, low=0.01, high=1, step=0.01, symbol="β"),
    Number("chosen_length", 10, low=1, high=100, step=1, integer=True),
    Number("rejected_length", 10, low=1, high=100, step=1, integer=True),
    Number("gamma", 0.5, low=0, high=3, step=0.1, symbol="γ"),
    Rows(
        "own",
        (
            *(Column(name, -20000, 0) for name in PAIR[:4]),
            *(Column(name, 1, 32000, integer=True) for name in PAIR[4:]),
        ),
        # A run that looks well by loss and accuracy, and whose preferred answers fall.
        default=(
            *((-41.2, -58.6, -43, -50.1, 36, 40), (-88.4, -97, -84.9, -85.2, 71, 66)),
            *((-30.5, -33.9, -31.2, -32.8, 24, 27), (-152.6, -41, -146.1, -36.7, 128, 30)),
            *((-64, -79.3, -60.8, -66.9, 50, 58), (-22.7, -40.4, -23.9, -34, 19, 33)),
            *((-110.3, -121.8, -104, -101.5, 92, 85), (-57.1, -49.9, -55.5, -50.6, 44, 47)),
            *((-75.8, -70.2, -73, -61.4, 52, 63), (-39.6, -90.7, -38.2, -74.3, 31, 70)),
            *((-96.9, -99, -95.1, -88.7, 70, 80), (-18.3, -26.8, -19, -24.5, 15, 21)),
        ),
        most=30,
    ),
)
GROUPS = {
    "policy": ("chosen", "rejected"),
    "reference": ("ref_chosen", "ref_rejected"),
    "loss": ("beta", "gamma"),
    "lengths": ("chosen_length", "rejected_length"),
}
WHEN = {**{name: {"source": ("model",)} for name in PAIR}, "own": {"source": ("own",)}}
PRESETS = {
    "start": {"chosen": -22, "rejected": -24},
    "apart": {"chosen": -20, "rejected": -27, "ref_chosen": -22, "ref_rejected": -24},
    "long": {"chosen": -40, "chosen_length": 40, "ref_chosen": -42, "rejected": -20, "ref_rejected": -18},
    "own": {"source": "own"},
    "surprise": {"chosen": -23, "rejected": -30, "ref_chosen": -22, "ref_rejected": -24},
}
PREDICT = Predict(("rose", "either", "fell"), right="either", state={"chosen": -23, "rejected": -30})

# Log-ratios per token are ten times smaller here, and SimPO's authors use a beta of 2 to 2.5.
PER_TOKEN = 10.0
NOTHING = 1e-9  # a smaller difference of rewards is rounding
WINDOW = (-4.0, 6.0)  # margins of a single pair, which stands at the edge when it lies beyond
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
            *(Points(f"pairs_{name}", "margin", "loss", ROLES[name], MARKERS[name], size=8) for name in METHODS),
            Points("fell", "margin", "loss", "negative", "triangle", size=15, key="fell", here=True),
            # One above the other: two of the points often coincide.
            *(
                Labels(f"said_{name}", "margin", "loss", ROLES[name], bold=True, dx=10, dy=-10 - 16 * row)
                for row, name in enumerate(METHODS)
            ),
        ),
        x=Axis(room=0),
        y=Axis(0, room=0.09),
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
    """The three losses of the same pairs, and their means; per-token methods with a beta ten times as large."""
    own = controls["source"] == "own"
    pairs = np.asarray(controls["own"] if own else [[controls[name] for name in PAIR]], dtype=np.float64)
    found = _losses(pairs, controls["beta"], controls["gamma"])
    moved = pairs[:, :2] - pairs[:, 2:4]
    first = found["dpo"]
    fell = (moved[:, 0] < 0) & (first.margin > NOTHING)
    ahead = {name: loss.reward_chosen - loss.reward_rejected > NOTHING for name, loss in found.items()}
    rows = {name: _columns(loss, ahead[name]) for name, loss in found.items()}
    means = {name: {key: float(np.mean(column)) for key, column in columns.items()} for name, columns in rows.items()}
    pull = np.array([means[name][way] for name in METHODS for way in ("up", "down")])
    columns = {"row": np.arange(6.0), "pull": pull, "dy": np.where(pull >= 0, -12.0, 14.0)}
    return Frame(
        sources={
            **_curve({name: loss.margin for name, loss in found.items()}, fell, own),
            **by_sign("pull", columns, "pull"),
            "pulls": columns,
        },
        values={
            "whose": "own" if own else "one",
            "pairs": float(len(pairs)),
            "margin": means["dpo"]["margin"],
            "loss_value": means["dpo"]["loss"],
            "weight": means["dpo"]["weight"],
            "reward_chosen": float(np.mean(first.reward_chosen)),
            "reward_rejected": float(np.mean(first.reward_rejected)),
            "moved_chosen": float(np.mean(moved[:, 0])),
            "moved_rejected": float(np.mean(moved[:, 1])),
            **{f"ahead_{name}": means[name]["ahead"] for name in METHODS},
            "fell": float(np.mean(fell)),
        },
        table=_table(rows, means, own),
        case=_case(moved, bool(fell.any()), own),
    )


def _losses(pairs: Array, beta: float, gamma: float) -> dict[str, PairLoss]:
    won, lost, ref_won, ref_lost, long_won, long_lost = pairs.T
    steep = beta * PER_TOKEN
    return {
        "dpo": dpo(won, lost, ref_won, ref_lost, beta),
        "normalised": length_normalised_dpo(won, lost, ref_won, ref_lost, long_won, long_lost, steep),
        "simpo": simpo(won, lost, long_won, long_lost, steep, gamma),
    }


def _case(moved: Array, fell: bool, own: bool) -> str:
    if not moved.any():
        return "own_start" if own else "start"
    if own:
        return "own_fell" if fell else "own"
    return "fell" if fell else "plain"


def _columns(loss: PairLoss, ahead: Any) -> dict[str, Array]:
    """One number a pair."""
    return {
        "margin": loss.margin,
        "loss": loss.loss,
        "weight": loss.weight,
        "up": -loss.gradient.chosen,
        "down": -loss.gradient.rejected,
        "ahead": np.asarray(ahead, dtype=np.float64),
    }


def _table(rows: Mapping[str, Any], means: Mapping[str, Any], own: bool) -> dict[str, list[Any]]:
    """A line a method; of many pairs their means, and below them every pair."""
    lines = [{"pair": "mean" if own else "1", "method": name, **means[name]} for name in METHODS]
    count = len(rows["dpo"]["margin"]) if own else 0
    for pair in range(count):
        for name in METHODS:
            numbers = {key: float(column[pair]) for key, column in rows[name].items()}
            lines.append({"pair": str(pair + 1), "method": name, **numbers})
    return {key: [line[key] for line in lines] for key in lines[0]}


def _curve(margins: Mapping[str, Array], fell: Any, own: bool) -> dict[str, Columns]:
    """The curve, the pairs on it, and which of them are DPO's with a preferred answer that fell."""
    every = np.concatenate([*margins.values(), [-1, 1]])
    low, high = (np.floor(every.min()), np.ceil(every.max())) if own else WINDOW
    grid = np.linspace(low, high, 121)
    sources: dict[str, Columns] = {"curve": {"margin": grid, "loss": -log_sigmoid(grid)}}
    none: Columns = {"margin": [], "loss": [], "exact": []}
    for name, margin in margins.items():
        shown = np.clip(margin, low, high)
        points = {"margin": shown, "loss": -log_sigmoid(shown), "exact": -log_sigmoid(margin)}
        sources[f"said_{name}"] = none if own else points
        if name == "dpo":
            sources["fell"] = {key: column[fell] for key, column in points.items()}
            points = {key: column[~fell] for key, column in points.items()}
        sources |= {f"here_{name}": none if own else points, f"pairs_{name}": points if own else none}
    return sources
