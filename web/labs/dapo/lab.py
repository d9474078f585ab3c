"""DAPO's four edits, one switch each, on one small batch (curriculum 3.3)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pycore.control import Number, Switch
from pycore.length import overlong_penalty
from pycore.objective import Batch, Evaluation, evaluate
from pycore.protocol import Protocol
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, signed
from web.labs.frame import Frame, by_sign

ORDER = 33
EDITS = ("higher", "sampling", "tokens", "overlong")
CONTROLS = (
    *(Switch(name) for name in EDITS),
    Number("high", 0.28, low=0.2, high=0.6, step=0.01, symbol="ε₊", role="positive"),
    Number("limit", 100, low=60, high=200, step=5, integer=True, symbol="L"),
    Number("cache", 40, low=5, high=60, step=5, integer=True),
)
GROUPS = {"edits": EDITS, "numbers": ("high", "limit", "cache")}
WHEN = {"high": {"higher": (True,)}, "limit": {"overlong": (True,)}, "cache": {"overlong": (True,)}}
PRESETS = {
    "higher": {"higher": True},
    "sampling": {"sampling": True},
    "tokens": {"tokens": True},
    "all": dict.fromkeys(EDITS, True),
    "surprise": {"overlong": True, "limit": 60},
}
PREDICT = Predict(("dropped", "less", "same"), right="less", state={"overlong": True})

# Three prompts, four responses each: one mixed, one solved, one mixed with a long right answer.
REWARDS = np.array([[1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]], dtype=np.float64)
LENGTHS = np.array([[12, 30, 48, 20], [10, 14, 12, 18], [95, 24, 16, 70]])
LOG_RATIOS = np.array([[0.23, 0.05, -0.1, 0.0], [0.05, 0.0, 0.1, -0.05], [0.1, 0.22, -0.3, 0.02]])
GRPO = Protocol(eps=1e-6)
BASE = -2.0
PLACES = {float(row): str(row) for row in range(1, 13)}

FIGURES = {
    "push": Figure(
        (
            *signed("push", "row", "push"),
            Points("plain", "row", "push", "ink", "diamond", size=9, key="plain"),
            Labels("groups", "row", "top", "muted", align="center"),
        ),
        x=Axis(0.3, 12.7, ticks=PLACES),
        y=Axis(room=0.12),
        height=300,
        zero=True,
    ),
    "penalty": Figure(
        (
            Line("curve", "length", "penalty", "negative", key="penalty"),
            Points("answers", "length", "penalty", "negative", "square", size=9, tip=False),
        ),
        x=Axis(0, 210),
        y=Axis(-1.1, 0.15),
        height=210,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The push on one token of every response under plain GRPO and with the chosen edits."""
    limit, cache = controls["limit"], controls["cache"]
    changes: dict[str, Any] = {}
    if controls["higher"]:
        changes |= {"clip": "asymmetric", "clip_high": controls["high"]}
    if controls["sampling"]:
        changes["dynamic_sampling"] = True
    if controls["tokens"]:
        changes["aggregation"] = "token_mean"
    if controls["overlong"]:
        changes |= {"overlong_cache": cache, "max_tokens": limit}
    plain, found = evaluate(GRPO, _batch()), evaluate(replace(GRPO, **changes), _batch())
    row = np.arange(1, REWARDS.size + 1)
    before, after = _push(plain), _push(found)
    grid = np.arange(0, 211, 1)
    charge = overlong_penalty(LENGTHS.ravel(), limit, cache) if controls["overlong"] else np.zeros(row.size)
    curve = overlong_penalty(grid, limit, cache) if controls["overlong"] else np.zeros(grid.size)
    kept = int(np.sum(found.lengths.sum(axis=1) > 0))
    chosen = [name for name in EDITS if controls[name]]
    return Frame(
        sources={
            **by_sign("push", {"row": row, "push": after}, "push"),
            "plain": {"row": row, "push": before},
            "groups": {"row": [2.5, 6.5, 10.5], "top": [max(after.max(), before.max()) * 1.1] * 3, "group": [1, 2, 3]},
            "curve": {"length": grid, "penalty": curve},
            "answers": {"length": LENGTHS.ravel(), "penalty": charge},
        },
        values={
            "kept": float(kept),
            "asked": 3 / kept * 3 if controls["sampling"] and kept else 3.0,
            "clipped_before": plain.clip_share_positive,
            "clipped": found.clip_share_positive,
            "moved": float(np.sum(np.abs(after - before) > 1e-9)),
            "long_push": float(after[8]),
            "long_before": float(before[8]),
            "charged": float(np.sum(charge < 0)),
            "long_reward": float(REWARDS.ravel()[8] + charge[8]),
            "edits": float(len(chosen)),
            "informative": found.informative_share,
        },
        table={
            "row": row,
            "reward": REWARDS.ravel(),
            "length": LENGTHS.ravel(),
            "penalty": charge,
            "plain": before,
            "push": after,
        },
        case="none" if not chosen else chosen[0] if len(chosen) == 1 else "several",
    )


def _batch() -> Batch:
    mask = np.arange(LENGTHS.max()) < LENGTHS[..., None]
    old = np.full(mask.shape, BASE)
    return Batch(old + LOG_RATIOS[..., None], old, mask, REWARDS)


def _push(found: Evaluation) -> Any:
    """Of the first token of every response, times the number of responses of the batch."""
    return -REWARDS.size * found.grad[:, :, 0].ravel() + 0.0
