"""DAPO's four edits, one switch each, on one small batch (curriculum 3.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number, Switch
from pycore.domain import Array
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.dapo.update import Answers, Edits, answers, update
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules, signed
from web.labs.frame import Columns, Frame, by_sign

ORDER = 33
EDITS = ("higher", "sampling", "tokens", "overlong")
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    *(Switch(name) for name in EDITS),
    Number("high", 0.28, low=0.2, high=0.6, step=0.01, symbol="ε₊", role="positive"),
    Number("limit", 100, low=60, high=32000, step=5, integer=True, logarithmic=True, symbol="L"),
    Number("cache", 40, low=5, high=8000, step=5, integer=True, logarithmic=True),
    Rows(
        "own",
        (
            Column("prompt", 1, 9999, integer=True),
            Column("reward", -10, 10),
            Column("length", 1, 32000, integer=True),
            Column("log_ratio", -5, 5),
        ),
        # Two mixed prompts around an unsolved one; a short right answer far beyond both upper bounds.
        default=(
            *((1, 1, 14, 0.3), (1, 0, 30, 0.04), (1, 0, 52, -0.08), (1, 0, 22, 0.01)),
            *((2, 0, 58, -0.02), (2, 0, 35, 0.03), (2, 0, 41, 0), (2, 0, 20, 0.06)),
            *((3, 1, 94, 0.12), (3, 1, 26, 0.05), (3, 0, 16, -0.25), (3, 0, 74, 0.02)),
        ),
        fewest=2,
        most=32,
        group="prompt",
    ),
)
GROUPS = {"edits": EDITS, "numbers": ("high", "limit", "cache")}
WHEN = {
    **{"high": {"higher": (True,)}, "limit": {"overlong": (True,)}, "cache": {"overlong": (True,)}},
    "own": {"source": ("own",)},
}
PRESETS = {
    "higher": {"higher": True},
    "sampling": {"sampling": True},
    "tokens": {"tokens": True},
    "own": {"source": "own", **dict.fromkeys(EDITS, True)},
    "surprise": {"overlong": True, "limit": 60},
}
PREDICT = Predict(("dropped", "less", "same"), right="less", state={"overlong": True})

# Three prompts, four responses each: one mixed, one solved, one mixed with a long right answer.
PREPARED = Answers(
    np.array([1.0, 2.0, 3.0]),
    np.array([[1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]], dtype=np.float64),
    np.array([[12, 30, 48, 20], [10, 14, 12, 18], [95, 24, 16, 70]], dtype=np.float64),
    np.array([[0.23, 0.05, -0.1, 0.0], [0.05, 0.0, 0.1, -0.05], [0.1, 0.22, -0.3, 0.02]]),
)
PLACES = {float(row): str(row) for row in range(1, 33)}
# A smaller difference is rounding, absolutely or as a share of the larger push.
NOTHING, SHARE = 1e-9, 1e-4
SPACIOUS = 4  # so many groups have room for the word beside their number

FIGURES = {
    "push": Figure(
        (
            Rules("between", "line-strong", x="row"),
            *signed("push", "row", "push"),
            Points("plain", "row", "push", "ink", "diamond", size=9, key="plain"),
            Labels("groups", "row", "top", "muted", align="center"),
            Labels("many", "row", "top", "muted", align="center"),
        ),
        x=Axis(0.3, ticks=PLACES, room=0.025),
        y=Axis(room=0.12, form="fine"),
        height=300,
        zero=True,
    ),
    "penalty": Figure(
        (
            Line("curve", "length", "penalty", "negative", key="penalty"),
            Points("answers", "length", "penalty", "negative", "square", size=9, tip=False),
        ),
        x=Axis(0, room=0.02),
        y=Axis(-1.1, 0.15),
        height=210,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The push on one token of every response under plain GRPO and with the chosen edits."""
    own = controls["source"] == "own"
    batch = answers(controls["own"]) if own else PREPARED
    chosen = [name for name in EDITS if controls[name]]
    edits = Edits(
        high=controls["high"] if controls["higher"] else Edits.high,
        sampling=controls["sampling"],
        tokens=controls["tokens"],
        limit=controls["limit"] if controls["overlong"] else 0,
        cache=controls["cache"],
    )
    plain, found = update(Edits(), batch), update(edits, batch)
    before, after = plain.push, found.push
    groups, size = batch.rewards.shape
    row, charge = np.arange(1, batch.rewards.size + 1), edits.penalty(batch.lengths).ravel()
    columns = {"row": row, "reward": batch.rewards.ravel(), "length": batch.lengths.ravel()}
    apart, larger = np.abs(after - before), np.maximum(np.abs(before), np.abs(after))
    moved = np.where(apart > np.maximum(NOTHING, SHARE * larger), apart, 0.0)
    good = (batch.rewards > batch.rewards.mean(axis=1, keepdims=True)).ravel()
    long = int(np.argmax(np.where(good, columns["length"], -1))) if good.any() else None
    most = int(np.argmax(moved)) if moved.any() else None
    return Frame(
        sources={
            **by_sign("push", {"row": row, "push": after}, "push"),
            "plain": {"row": row, "push": before},
            **_groups(batch, np.concatenate([before, after])),
            "curve": _curve(edits, max(columns["length"].max(), edits.limit)),
            "answers": {"length": columns["length"], "penalty": charge},
        },
        values={
            "groups": float(groups),
            "count": float(row.size),
            "live": float(np.sum(np.any(before.reshape(groups, size), axis=1))),
            "kept": float(found.kept),
            "asked": groups / found.kept * groups if found.kept else float("nan"),
            "clipped_before": plain.held,
            "clipped": found.held,
            "moved": float(np.count_nonzero(moved)),
            **_told("long", long, before, after),
            "long_reward": float("nan") if long is None else float(columns["reward"][long] + charge[long]),
            **_told("most", most, before, after),
            "charged": float(np.sum(charge < 0)),
            "edits": float(len(chosen)),
        },
        table={
            "prompt": np.repeat(batch.prompts, size),
            **columns,
            "penalty": charge,
            "plain": before,
            "push": after,
        },
        case=_case(chosen, own, most is not None),
    )


def _case(chosen: list[str], own: bool, changed: bool) -> str:
    if own:
        return "own_plain" if not chosen else "own_edited" if changed else "own_same"
    return "none" if not chosen else chosen[0] if len(chosen) == 1 else "several"


def _told(name: str, index: int | None, before: Array, after: Array) -> dict[str, float]:
    """One response by its number, and the push on its token before and after."""
    told = (np.nan, np.nan, np.nan) if index is None else (index + 1, before[index], after[index])
    return dict(zip((name, f"{name}_before", f"{name}_push"), map(float, told), strict=True))


def _groups(batch: Answers, pushes: Array) -> dict[str, Columns]:
    """The prompts' numbers above their bars, and the lines between them."""
    count, size = batch.rewards.shape
    middle = (size + 1) / 2 + size * np.arange(count)
    top = max(1.1 * pushes.max(), -0.35 * pushes.min()) or 1.0
    named: Columns = {"row": middle, "top": np.full(count, top), "group": batch.prompts}
    none: Columns = {"row": [], "top": [], "group": []}
    return {
        "between": {"row": size * np.arange(1, count) + 0.5},
        "groups": named if count <= SPACIOUS else none,
        "many": none if count <= SPACIOUS else named,
    }


def _curve(edits: Edits, longest: float) -> dict[str, Array]:
    """The penalty at some two hundred whole lengths, its two corners among them."""
    grid = np.concatenate([np.linspace(0, 1.05 * longest, 211), [edits.limit, max(edits.limit - edits.cache, 0)]])
    length = np.unique(np.rint(grid))
    return {"length": length, "penalty": edits.penalty(length)}
