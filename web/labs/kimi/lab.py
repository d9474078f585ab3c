"""Kimi k1.5's pay for brevity and its choice of prompts (curriculum 6.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Number, Numbers
from pycore.kimi import curriculum_weights
from pycore.length import kimi_length_reward
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points, signed
from web.labs.frame import Frame, by_sign

ORDER = 63
CONTROLS = (
    Number("weight", 1, low=0, high=3, step=0.1, symbol="w", role="signal"),
    Rows(
        "answers",
        (Column("correct", 0, 1, integer=True), Column("length", 1, 32000, integer=True)),
        default=((1, 120), (1, 260), (1, 500), (0, 100), (0, 320), (0, 480)),
        fewest=2,
        most=12,
    ),
    Numbers("success", (0.05, 0.25, 0.5, 0.75, 0.95), low=0, high=1, fewest=2, most=10),
)
PRESETS = {
    "off": {"weight": 0},
    "right": {"answers": ((1, 120), (1, 260), (1, 500), (1, 900))},
    "wrong": {"answers": ((0, 120), (0, 260), (0, 500), (0, 900))},
    "surprise": {"weight": 3},
}
PREDICT = Predict(("plus", "zero", "minus"), right="zero")
PLACES = {float(row): str(row) for row in range(1, 13)}

FIGURES = {
    "pay": Figure(
        (
            Line("rule", "length", "right", "positive", key="rule_right"),
            Line("rule", "length", "wrong", "negative", "dashed", key="rule_wrong"),
            Points("right", "length", "pay", "positive", "circle", size=10, tip=False),
            Points("wrong", "length", "pay", "negative", "square", size=10, tip=False),
            Labels("answers", "length", "pay", bold=True, align="center", dy=-14),
        ),
        y=Axis(-0.62, 0.72),
        height=280,
        zero=True,
    ),
    "advantage": Figure(
        (
            *signed("advantage", "row", "advantage"),
            Points("plain", "row", "advantage", "ink", "diamond", size=10, key="plain"),
            Labels("advantages", "row", "far", bold=True, align="center", dy="dy"),
        ),
        x=Axis(0.4, ticks=PLACES),
        y=Axis(room=0.45),
        height=260,
        zero=True,
    ),
    "prompts": Figure(
        (
            Bars("prompts", "row", "share", "signal", width=0.6, key="share"),
            Line("uniform", "row", "share", "silent", "dashed", width=2, key="uniform"),
            Labels("prompts", "row", "share", align="center", dy=-12, bold=True),
        ),
        x=Axis(0.4, ticks=PLACES),
        y=Axis(0, form="percent", room=0.2),
        height=220,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The length reward of every answer, its advantage with and without it, and how often each prompt is drawn."""
    correct, lengths = np.asarray(controls["answers"], dtype=np.float64).T
    right = correct > 0
    pay = kimi_length_reward(lengths.astype(int), right)
    total = correct + controls["weight"] * pay
    plain, shaped = (group_advantages(reward[None], scale="none")[0] for reward in (correct, total))
    row = np.arange(1, lengths.size + 1)
    shortest, longest = float(lengths.min()), float(lengths.max())
    grid = np.linspace(shortest, longest, 41)
    slope = 0.5 - (grid - shortest) / max(longest - shortest, 1.0)
    if shortest == longest:
        slope = np.zeros_like(grid)
    rates = np.asarray(controls["success"])
    solved = bool(np.all(rates == 1))
    share = np.zeros(rates.size) if solved else curriculum_weights(rates)
    # The number stands beyond the bar and the diamond, whichever reaches further on the bar's side.
    far = np.where(shaped >= 0, np.maximum(shaped, plain), np.minimum(shaped, plain))
    columns = {"row": row, "advantage": shaped, "far": far, "dy": np.where(shaped >= 0, -14.0, 16.0)}
    worst_right = float(total[right].min()) if right.any() else float("nan")
    best_wrong = float(total[~right].max()) if (~right).any() else float("nan")
    mixed = bool(right.any() and (~right).any())
    prompt = np.arange(1, rates.size + 1)
    return Frame(
        sources={
            "rule": {"length": grid, "right": slope, "wrong": np.minimum(slope, 0)},
            "right": {"length": lengths[right], "pay": pay[right]},
            "wrong": {"length": lengths[~right], "pay": pay[~right]},
            "answers": {"length": lengths, "pay": pay, "row": row},
            **by_sign("advantage", columns, "advantage"),
            "advantages": columns,
            "plain": {"row": row, "advantage": plain},
            "prompts": {"row": prompt, "share": share, "success": rates},
            "uniform": {"row": prompt, "share": np.full(rates.size, 1 / rates.size)},
        },
        values={
            "worst_right": worst_right,
            "best_wrong": best_wrong,
            "margin": worst_right - best_wrong,
            "spread": float(np.ptp(total)),
            "shortest": shortest,
            "longest": longest,
            "hardest": float(share.max()),
        },
        table={
            "row": row,
            "correct": correct,
            "length": lengths,
            "pay": pay,
            "total": total,
            "plain": plain,
            "advantage": shaped,
        },
        case="upside" if mixed and worst_right < best_wrong else "mixed" if mixed else "alike",
    )
