"""How the three ways of averaging share the gradient among tokens, and what splitting a batch does to them (3.2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.aggregate import ACCUMULATIONS, accumulation_scales, denominator, response_weights
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Points, Rules, signed
from web.labs.frame import Frame, by_sign

ORDER = 32
SCHEMES = ("response_mean", "token_mean", "constant")
CONTROLS = (
    Rows(
        "responses",
        (Column("reward", -10, 10), Column("length", 1, 400, integer=True)),
        default=((1, 4), (0, 16), (1, 8), (0, 2)),
        fewest=2,
        most=12,
    ),
    Number("L", 16, low=1, high=400, step=1, integer=True, symbol="L"),
    Number("pieces", 2, low=1, high=4, step=1, integer=True, symbol="K"),
    Choice("rule", tuple(rule for rule in ACCUMULATIONS if rule != "sum"), "mean"),
)
GROUPS = {"batch": ("responses", "L"), "split": ("pieces", "rule")}
PRESETS = {
    "long": {"responses": ((1, 4), (0, 64), (1, 8), (0, 64)), "L": 64},
    "right": {"responses": ((1, 16), (0, 8), (1, 2), (0, 8))},
    "global": {"rule": "global"},
    "surprise": {"responses": ((1, 4), (0, 400), (1, 8), (0, 2))},
}
PREDICT = Predict(("same", "short", "long"), right="short")

ROLES = {"response_mean": "old", "token_mean": "signal", "constant": "current"}
MARKERS = {"response_mean": "square", "token_mean": "circle", "constant": "diamond"}


def _share(scheme: str) -> Figure:
    return Figure(
        (
            *signed(scheme, "row", "push"),
            Labels(f"{scheme}_all", "row", "push", bold=True, align="center", dy="dy"),
        ),
        x=Axis(ticks={float(row): str(row) for row in range(1, 13)}, room=0.2),
        y=Axis(room=0.6),
        height=190,
        zero=True,
    )


FIGURES = {scheme: _share(scheme) for scheme in SCHEMES} | {
    "split": Figure(
        (
            Rules("whole", "line-strong", y="ratio"),
            *(
                Points(f"split_{scheme}", "row", "ratio", ROLES[scheme], MARKERS[scheme], size=11, key=scheme)
                for scheme in SCHEMES
            ),
        ),
        x=Axis(ticks={float(row): str(row) for row in range(1, 13)}, room=0.2),
        y=Axis(0, room=0.2),
        height=230,
    )
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The push on one token of every response under each scheme, on the whole batch and on the batch in pieces."""
    rewards, lengths = np.asarray(controls["responses"], dtype=np.float64).T
    row, pieces = np.arange(1, rewards.size + 1), min(controls["pieces"], rewards.size)
    advantage = group_advantages(rewards[None], eps=0.0)[0]
    table: dict[str, Any] = {"row": row, "reward": rewards, "length": lengths}
    sources: dict[str, Any] = {"whole": {"ratio": [1.0]}}
    values: dict[str, float] = {"tokens": float(lengths.sum()), "K": float(pieces)}
    for scheme in SCHEMES:
        # Times the number of responses, so that GRPO's push is A / |o|.
        push = rewards.size * response_weights(lengths, scheme, max_tokens=controls["L"]) * advantage
        split = rewards.size * _in_pieces(lengths, scheme, controls["L"], pieces, controls["rule"]) * advantage
        columns = {"row": row, "push": push, "dy": np.where(push >= 0, -12.0, 14.0), "length": lengths}
        sources |= {**by_sign(scheme, columns, "push"), f"{scheme}_all": columns}
        moved = push != 0
        ratio = split[moved] / push[moved]
        sources[f"split_{scheme}"] = {"row": row[moved], "ratio": ratio}
        table |= {scheme: push, f"{scheme}_split": split + 0.0}
        values[f"{scheme}_error"] = float(np.max(np.abs(ratio - 1), initial=0.0))
    table["advantage"] = advantage
    pair = np.argmax(lengths), np.argmin(lengths)
    for name, index in zip(("longest", "shortest"), pair, strict=True):
        values |= {name: float(lengths[index]), f"{name}_push": float(table["response_mean"][index])}
    values["worst"] = max(values[f"{scheme}_error"] for scheme in SCHEMES)
    flat = not np.any(table["response_mean"])
    return Frame(sources, values, table, case="flat" if flat else "same" if values["worst"] < 1e-9 else "split")


def _in_pieces(lengths: Array, scheme: str, limit: int, pieces: int, rule: str) -> Array:
    """Weight of a token of each response when the batch is cut into pieces whose losses are added by the rule."""
    parts = np.array_split(lengths, pieces)
    scales = accumulation_scales([denominator(part, scheme, max_tokens=limit) for part in parts], rule)
    weights = [
        scale * response_weights(part, scheme, max_tokens=limit) for part, scale in zip(parts, scales, strict=True)
    ]
    return np.concatenate(weights)
