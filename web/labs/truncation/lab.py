"""What a truncated response counts for, and what that teaches about stopping (curriculum 4.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.length import overlong_penalty
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, signed
from web.labs.frame import Frame, by_sign

ORDER = 43
CONTRACTS = ("wrong", "drop", "silence", "soft")
CONTROLS = (
    Choice("contract", CONTRACTS, "wrong", role="current"),
    Number("limit", 256, low=64, high=1024, step=16, integer=True, logarithmic=True, symbol="L"),
    Number("end", 0.01, low=0.001, high=0.05, step=0.001, logarithmic=True, symbol="h"),
    Number("unsure", 0.5, low=0, high=1, step=0.05),
    Number("need", 16, low=0, high=60, step=1, integer=True),
    Number("steps", 25, low=5, high=80, step=5, integer=True),
)
GROUPS = {"rule": ("contract", "limit"), "policy": ("end", "unsure", "need", "steps")}
PRESETS = {
    "drop": {"contract": "drop"},
    "budget": {"contract": "drop", "limit": 512},
    "soft": {"contract": "soft"},
    "surprise": {"contract": "soft", "limit": 64, "need": 40},
}
PREDICT = Predict(("rises", "stays", "sinks"), right="sinks", state={"contract": "drop"})

RIGHT = (0.9, 0.1)  # chance that a finished response is right: where the model is sure and where it is not
RATE = 4.0  # of the exact gradient step on the two logits of the end token
DROPPED, SILENCED = (np.array([float(name == one) for name in CONTRACTS]) for one in ("drop", "silence"))
SOFT = CONTRACTS.index("soft")
SOFT_PART = 4  # the soft zone is this part of the limit
LENGTHS = np.array([0.4, 200 / 256, 240 / 256, 1.0])  # of the four responses, as shares of the limit
DASHES = {"wrong": "dashed", "drop": "dotted", "silence": "dotdash", "soft": "solid"}

FIGURES = {
    "run": Figure(
        (
            *(Line("run", "step", name, "silent", dash, width=2, key=name) for name, dash in DASHES.items()),
            Line("run", "step", "chosen", "current", width=3.5, key="chosen", tip=False),
            Points("contracts", "step", "finished", "silent", "square", size=8),
            Points("last", "step", "finished", "current", here=True, tip=False),
            Labels("last", "step", "finished", "current", bold=True, align="right", dx=-8, dy="dy"),
        ),
        x=Axis(0, form="count"),
        y=Axis(0, 1.04, form="percent"),
        height=300,
    ),
    "whom": Figure(
        (
            Line("run", "step", "sure", "positive", key="sure"),
            Line("run", "step", "doubting", "negative", "dashed", key="doubting"),
            Line("run", "step", "right", "ink", "dotdash", width=2, key="right"),
        ),
        x=Axis(0, form="count"),
        y=Axis(0, 1.04, form="percent"),
        height=240,
    ),
    "four": Figure(
        (
            *signed("four", "place", "advantage", width=0.6),
            Labels("above", "place", "advantage", align="center", dy=-12),
            Labels("below", "place", "advantage", align="center", dy=12),
            Labels("names", "place", "floor", "muted", align="center"),
        ),
        x=Axis(-0.6, 3.6, shown=False),
        y=Axis(-2.3, 1.7),
        height=240,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Trains the end token under every contract by the exact gradient; four responses under the chosen one."""
    limit, need, contract = controls["limit"], controls["need"], controls["contract"]
    weight = np.array([1 - controls["unsure"], controls["unsure"]])
    runs = _trained(controls)
    every = 1 - (1 - runs) ** limit
    finished = dict(zip(CONTRACTS, (every @ weight).T, strict=True))
    here = CONTRACTS.index(contract)
    end, ends = runs[:, here], every[:, here]
    right = ((1 - end) ** need - (1 - end) ** limit) @ (weight * RIGHT)
    length = (ends / end) @ weight
    step, chosen = np.arange(controls["steps"] + 1), finished[contract]
    penalty = overlong_penalty((LENGTHS * limit).round().astype(int), limit, limit // SOFT_PART)
    all_four = {name: _four(name, penalty) for name in CONTRACTS}
    four = all_four[contract]
    rows = {"place": np.arange(4.0), "advantage": four}
    up, down = four >= 0, ~(four >= 0)
    last = float(chosen[-1])
    table: dict[str, Any] = {
        "step": np.full(len(CONTRACTS), step[-1]),
        "contract": list(CONTRACTS),
        "finished": [float(finished[name][-1]) for name in CONTRACTS],
        "first": [float(all_four[name][1]) for name in CONTRACTS],
        "error": [float(all_four[name][2]) for name in CONTRACTS],
        "cut": [float(all_four[name][3]) for name in CONTRACTS],
    }
    return Frame(
        sources={
            "run": {
                "step": step,
                **finished,
                "chosen": chosen,
                "sure": ends[:, 0],
                "doubting": ends[:, 1],
                "right": right,
            },
            "contracts": table,
            "last": {"step": step[-1:], "finished": [last], "dy": [14.0 if last > 0.8 else -14.0]},
            **by_sign("four", rows, "advantage"),
            "above": {name: column[up] for name, column in rows.items()},
            "below": {
                "place": rows["place"][down],
                "advantage": np.nan_to_num(four[down]),
                "shown": four[down],
            },
            "names": {
                "place": np.arange(4.0),
                "floor": np.full(4, -2.1),
                "answer": ["right", "right", "error", "cut"],
            },
        },
        values={
            "cut_before": float(1 - chosen[0]),
            "finished_before": float(chosen[0]),
            "finished_after": last,
            "doubting_after": float(ends[-1, 1]),
            "right_before": float(right[0]),
            "right_after": float(right[-1]),
            "length_before": float(length[0]),
            "length_after": float(length[-1]),
            "penalty": float(penalty[1]),
            "error": float(four[2]),
            "cut": float(four[3]),
        },
        table="contracts",
        case=contract,
    )


def _trained(controls: Mapping[str, Any]) -> Array:
    """Chance of the end token by contract, where the model is sure and where not, shape (steps + 1, contracts, 2)."""
    limit, need = controls["limit"], controls["need"]
    zone = limit // SOFT_PART
    powers = np.array([need, limit, limit - zone], float)[:, None, None]
    weight, right = np.array([1 - controls["unsure"], controls["unsure"]]), np.array(RIGHT)
    end = np.full((len(CONTRACTS), 2), float(controls["end"]))
    logits, path = np.log(end / (1 - end)), [end]
    for _ in range(controls["steps"]):
        early, cut, before = np.exp(powers * np.log1p(-end))
        mean = (right * (early - cut)) @ weight
        # What finishing is measured against: truncated responses have it too, unless their advantage is made zero.
        baseline = mean * (DROPPED / (1 - cut @ weight) + SILENCED)
        # d (1 - h)^n / d logit = -n h (1 - h)^n, term by term.
        push = end * ((right - baseline[:, None]) * limit * cut - right * need * early)
        h, missed, reached = end[SOFT], cut[SOFT], before[SOFT]
        push[SOFT] += (h * ((limit - zone) * reached - limit * missed) + (1 - h) * (reached - missed)) / (zone * h)
        logits = np.minimum(np.maximum(logits + RATE * weight * push, -12), 4)
        end = 1 / (1 + np.exp(-logits))
        path.append(end)
    return np.stack(path)


def _four(contract: str, penalty: Array) -> Array:
    """Advantages of two right, a wrong and a truncated response; NaN for one that takes no part."""
    reward = np.array([1.0, 1.0, 0.0, 0.0]) + (penalty if contract == "soft" else 0.0)
    if contract == "drop":
        return np.append(group_advantages(reward[None, :3], eps=0)[0], np.nan)
    advantages = group_advantages(reward[None], eps=0)[0]
    return np.append(advantages[:3], 0.0) if contract == "silence" else advantages
