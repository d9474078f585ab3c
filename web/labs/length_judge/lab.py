"""A judge that likes length, and what optimising against it leaves of short right answers (curriculum 6.6)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.length_bias import break_even, judge_scores, length_slope, without_length
from pycore.preference import luce_probability, score_gap, win_probability
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame, beside

ORDER = 66
# About the lengths of step 6.6: a mean of 24 to 39 tokens in some sets of demonstrations, of 162 to 358 in others.
SHORT_RIGHT = ((24, 1, 0), (28, 1, 0), (32, 1, 0), (36, 0, 1), (40, 1, 0), (162, 0, 0), (290, 0, 1), (358, 0, 0))
LONG_RIGHT = tuple((length, 1 - right, listed) for length, right, listed in SHORT_RIGHT)
CONTROLS = (
    Number("share", 0.7, low=0.5, high=0.95, step=0.01, role="signal"),
    Number("times", 2, low=1, high=16, step=0.1, logarithmic=True),
    Number("b", 1, low=0, high=3, step=0.05, symbol="b", role="negative"),
    Number("style", 0, low=0, high=3, step=0.1, symbol="s", role="negative"),
    Number("beta", 0.5, low=0.05, high=5, step=0.05, logarithmic=True, symbol="β", role="reference"),
    Choice("correction", ("none", "length", "verdict"), "none", role="current"),
    Rows(
        "answers",
        (Column("length", 1, 100_000, integer=True), Column("right", 0, 1, integer=True), Column("list", 0, 1, True)),
        default=SHORT_RIGHT,
        fewest=2,
        most=10,
    ),
)
GROUPS = {"pair": ("share", "times"), "judge": ("b", "style", "correction"), "press": ("beta", "answers")}
PRESETS = {
    "triple": {"times": 3},
    "slope": {"correction": "length"},
    "verdict": {"correction": "verdict", "answers": LONG_RIGHT},
    "fair": {"b": 0, "correction": "length", "answers": LONG_RIGHT},
    "surprise": {"style": 2, "correction": "length"},
}
PREDICT = Predict(("more", "same", "fewer"), right="fewer", state={"correction": "length", "answers": LONG_RIGHT})

JUDGES = ("judge", "corrected", "verifier")
LOOK = {
    "judge": ("negative", "dashed", "square"),
    "corrected": ("current", "dotdash", "diamond"),
    "verifier": ("positive", "solid", "circle"),
}
LONGEST = 16
GENTLEST, HARDEST = 100.0, 0.05  # β at both ends of a path
TICKS = {float(times): f"×{times}" for times in (1, 2, 4, 8, 16)}

FIGURES = {
    "pair": Figure(
        (
            Rules("even", "line-strong", y="half"),
            Line("duel", "times", "fair", "silent", "dotted", key="fair"),
            Line("duel_corrected", "times", "wins", "current", "dotdash", key="corrected"),
            Line("duel", "times", "wins", "negative", "dashed", key="judge"),
            Points("level", "times", "half", "ink", "cross", size=11, key="level"),
            Points("pair", "times", "wins", "negative", "square", here=True),
            Labels("pair", "times", "wins", "negative", bold=True, align="align", dx="dx", dy="dy"),
        ),
        x=Axis(1, LONGEST, log=True, ticks=TICKS, room=0.02),
        y=Axis(0, 1.04, form="percent"),
        height=280,
    ),
    "path": Figure(
        (
            *(
                Line(f"path_{one}", "length", "right", role, dash, key=one, tip=False)
                for one, (role, dash, _) in LOOK.items()
            ),
            Points("start", "length", "right", "ink", "cross", size=12, key="start"),
            *(
                Points(f"now_{one}", "length", "right", role, marker, here=True)
                for one, (role, _, marker) in LOOK.items()
            ),
            *(
                Labels(f"now_{one}", "length", "right", role, True, "align", "dx", dy)
                for (one, (role, *_)), dy in zip(LOOK.items(), (18, 18, -18), strict=True)
            ),
        ),
        x=Axis(0, form="count", room=0.12),
        y=Axis(-0.14, 1.12, form="percent"),
        height=320,
    ),
    "answers": Figure(
        (
            Rules("base", "line-strong", x="share"),
            *(
                Points(f"bar_{one}", "probability", "row", role, marker, size=10, key=one)
                for one, (role, _, marker) in LOOK.items()
            ),
            Labels("names", "edge", "row", "muted", align="right"),
        ),
        x=Axis(-0.62, 1.04, ticks={0.0: "0", 0.5: "½", 1.0: "1"}),
        y=Axis(shown=False, room=0.08),
        height=340,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The pair at every ratio of lengths, and the policies that the judge, its correction and the verifier lead to."""
    length, right, listed = np.asarray(controls["answers"], dtype=np.float64).T
    gap, bias, beta = float(score_gap(controls["share"])), controls["b"], controls["beta"]
    scores = judge_scores(gap * right + controls["style"] * listed, length, bias)
    slope = length_slope(scores, length, right if controls["correction"] == "verdict" else None)
    shown = JUDGES if controls["correction"] != "none" else ("judge", "verifier")
    reward = {"judge": scores, "corrected": without_length(scores, length, slope), "verifier": right}

    grid = np.geomspace(1, LONGEST, 61)
    times, wins = controls["times"], float(_wins(gap, bias, controls["times"]))
    level = break_even(gap, bias)
    seen = level <= LONGEST
    corrected = grid if "corrected" in shown else grid[:0]
    sources: dict[str, Any] = {
        "even": {"half": [0.5]},
        "duel": {"times": grid, "wins": _wins(gap, bias, grid), "fair": _wins(gap, 0, grid)},
        "duel_corrected": {"times": corrected, "wins": _wins(gap, bias - slope, corrected)},
        "level": {"times": [level][:seen], "half": [0.5][:seen]},
        "pair": {"times": [times], "wins": [wins], **beside(times, 4)},
        "start": {"length": [length.mean()], "right": [right.mean()]},
        "base": {"share": [1 / length.size]},
    }
    # The reference gives every answer the same chance, so the tilted policy is a softmax of reward / β.
    press = np.concatenate([[0.0], np.geomspace(1 / GENTLEST, 1 / HARDEST, 60)])
    rows = -np.arange(length.size)
    table: dict[str, Any] = {
        "row": np.arange(1, length.size + 1),
        "length": length,
        "verdict": ["right" if one else "wrong" for one in right],
        "form": ["list" if one else "prose" for one in listed],
        "score": scores - scores.mean(),
    }
    values: dict[str, float] = {"base_length": float(length.mean()), "base_right": float(right.mean())}
    for one in JUDGES:
        path, now = (luce_probability(np.multiply.outer(hard, reward[one])) for hard in (press, 1 / beta))
        keep = slice(None) if one in shown else slice(0)
        ends = {"length": float(now @ length), "right": float(now @ right), "list": float(now @ listed)}
        table[one] = now if one in shown else np.full(length.size, np.nan)
        values |= {f"{one}_{name}": value if one in shown else np.nan for name, value in ends.items()}
        sources[f"path_{one}"] = {"length": (path @ length)[keep], "right": (path @ right)[keep]}
        sources[f"bar_{one}"] = {"probability": now[keep], "row": rows[keep]}
        # The corrected judge's path lies between the two others: its label stands on the left while there is room.
        middle = length.max() * (0.15 if one == "corrected" else 0.5)
        sources[f"now_{one}"] = _here(ends, middle, keep)
    sources["names"] = {
        "row": rows,
        "edge": np.full(length.size, -0.05),
        "mark": ["✓" if one else "✗" for one in right],
        **{name: table[name] for name in ("length", "form")},
    }
    return Frame(
        sources=sources,
        values={
            **values,
            "gap": gap,
            "wins": wins,
            "level": level if level <= 1000 else np.nan,
            "slope": slope if "corrected" in shown else np.nan,
            "left": bias - slope if "corrected" in shown else np.nan,
        },
        table=table,
        case=_case(controls["correction"], bias - slope),
    )


def _wins(gap: float, bias: float, times: Any) -> Array:
    """How often the worse answer, so many times as long, beats the better one."""
    margin = bias * np.log(times) - gap
    return win_probability(margin, np.zeros_like(margin))


def _here(ends: Mapping[str, float], middle: float, keep: slice) -> dict[str, Any]:
    left = ends["length"] > middle
    return {
        "length": [ends["length"]][keep],
        "right": [ends["right"]][keep],
        "align": np.array(["right" if left else "left"])[keep],
        "dx": [-10.0 if left else 10.0][keep],
    }


def _case(correction: str, left: float) -> str:
    """What is left of the liking for length once the slope has been taken out."""
    if correction == "none":
        return "plain"
    return "clean" if abs(left) < 0.02 else "over" if left < 0 else "under"
