"""What a group update tells each response: rewards in, advantages out, under every baseline and scale (2.2, 3.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Choice, Number, Numbers
from pycore.domain import Array
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, signed
from web.labs.frame import Frame, by_sign

ORDER = 22
CONTROLS = (
    Numbers("rewards", (1, 0, 0, 0), low=-10, high=10, fewest=1, most=16),
    Numbers("other", (0.1, 0, 0, 0), low=-10, high=10, fewest=1, most=16),
    Choice("baseline", ("mean", "leave_one_out", "batch", "none"), "mean"),
    Choice("scale", ("group_std", "batch_std", "none"), "group_std"),
    Choice("ddof", ("0", "1"), "0"),
    Number("eps", 1e-6, low=1e-8, high=1, step=1e-8, logarithmic=True, symbol="ε"),
)
GROUPS = {"divisor": ("ddof", "eps")}
WHEN = {"ddof": {"scale": ("group_std", "batch_std")}, "eps": {"scale": ("group_std", "batch_std")}}
ONE_IN_SIXTEEN = (1,) + (0,) * 15
HALF = (1,) * 8 + (0,) * 8
PRESETS = {
    "none": {"scale": "none"},
    "hard": {"rewards": ONE_IN_SIXTEEN, "other": HALF},
    "flat": {"rewards": (1, 1, 1, 1), "other": (1, 1, 1, 0)},
    "loo": {"baseline": "leave_one_out", "scale": "none"},
    "surprise": {"eps": 0.1},
}
PREDICT = Predict(("tenth", "same", "root"), right="same")
FIGURES = {
    "bars": Figure(
        (
            *signed("bars", "x", "y"),
            Labels("bars", "x", "y", "muted", align="center", dy="dy"),
            Labels("groups", "x", "y", align="center", bold=True),
        ),
        x=Axis(shown=False),
        y=Axis(room=0.15),
        height=330,
        zero=True,
    ),
    "shares": Figure(
        (
            Line("success", "share", "advantage", "positive", width=1.5, tip=False),
            Points("success", "share", "advantage", "positive", key="success"),
            Line("failure", "share", "advantage", "negative", dash="dashed", width=1.5, tip=False),
            Points("failure", "share", "advantage", "negative", "square", key="failure"),
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(room=0.15),
        height=260,
        zero=True,
    ),
}

GAP = 1.5  # empty places between the two groups
NAMES = ("A", "B")


def compute(controls: Mapping[str, Any]) -> Frame:
    """Bars of the two groups' advantages, and what one success would earn at every success share of a group."""
    groups = (controls["rewards"], controls["other"])
    rewards = np.full((2, max(map(len, groups))), np.nan)
    for row, group in zip(rewards, groups, strict=True):
        row[: len(group)] = group
    settings = {"baseline": controls["baseline"], "scale": controls["scale"], "eps": controls["eps"]}
    ddof = int(controls["ddof"])
    both = [_advantages(rewards, ddof=delta, **settings) for delta in (0, 1)]
    advantages = both[ddof]

    present = ~np.isnan(rewards)
    group = np.nonzero(present)[0]
    position = np.arange(group.size) + GAP * group
    shown = advantages[present]
    size = len(groups[0])
    earned = np.array([_binary(count, size, ddof, settings) for count in range(1, size)]).reshape(-1, 2)
    largest = np.abs(advantages[0, : len(groups[0])]).max(initial=0)
    other = np.abs(advantages[1, : len(groups[1])]).max(initial=0)
    flat = [bool(np.ptp(np.array(values)) == 0) for values in groups]
    centred = _advantages(rewards, ddof=ddof, **settings | {"scale": "none"})[0, :size]
    moved = np.flatnonzero(advantages[0, :size])[:1]  # any response that has an advantage tells the divisor
    bars = {"x": position, "reward": rewards[present], "y": shown, "dy": np.where(shown < 0, 14, -14)}
    return Frame(
        sources={
            "bars": bars,
            **by_sign("bars", bars, "y"),
            "groups": {
                "x": [np.mean(position[group == row]) for row in (0, 1)],
                "y": np.full(2, 1.3 * max(np.max(shown), 0.5)),
                "name": NAMES,
            },
            "success": {"share": np.arange(1, size) / size, "advantage": earned[:, 0]},
            "failure": {"share": np.arange(1, size) / size, "advantage": earned[:, 1]},
        },
        values={
            "G": size,
            "largest": largest,
            "other": other,
            "ratio": largest / other if other else np.inf,
            "mean": float(np.mean(groups[0])),
            "std": float(np.std(groups[0], ddof=min(ddof, size - 1))),
            "first": rewards[0, 0],
            "centre": rewards[0, 0] - centred[0],
            "divisor": float(centred[moved[0]] / advantages[0, moved[0]]) if moved.size else np.nan,
            "advantage": advantages[0, 0],
        },
        table={
            "group": [NAMES[row] for row in group],
            "response": np.concatenate([np.arange(1, len(values) + 1) for values in groups]),
            "reward": rewards[present],
            "population": both[0][present],
            "sample": both[1][present],
        },
        case="flat"
        if all(flat)
        else "one_flat"
        if flat[0]
        else "same"
        if np.isclose(largest, other, rtol=1e-3)
        else "differ",
    )


def _advantages(rewards: Array, *, ddof: int, **settings: Any) -> Array:
    return group_advantages(rewards, ddof=ddof, **settings)


def _binary(count: int, size: int, ddof: int, settings: Mapping[str, Any]) -> Array:
    """Advantages of one success and one failure where `count` of `size` binary rewards are 1."""
    rewards = (np.arange(size) < count).astype(float)
    return _advantages(rewards[None], ddof=ddof, **settings)[0, [0, -1]]
