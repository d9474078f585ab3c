"""One formula for seven methods: who wrote the answers, and what multiplies each gradient (curriculum 2.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Choice, Number, Switch
from pycore.domain import Array
from pycore.rows import Column, Row, Rows
from pycore.unified import METHODS, SOURCES, Answers, anchor_coefficient, token_coefficients
from web.labs.contract import Predict, State
from web.labs.figure import Axis, Cells, Figure, Labels, signed
from web.labs.frame import Frame, by_sign

ORDER = 25
WRITERS = dict(zip(("people", "initial", "current"), SOURCES, strict=True))
DEFAULT: tuple[Row, ...] = (
    ("people", 1, 5, -9, -9),
    ("initial", 1, 4, -6, -6),
    ("initial", 0, 6, -7, -7),
    ("current", 1, 3, -4, -4),
    ("current", 0, 6, -7, -7),
    ("current", 0, 3, -4, -4),
    ("current", 0, 6, -7, -7),
)
CONTROLS = (
    Choice("method", tuple(METHODS), "grpo"),
    Switch("by_length", True),
    Rows(
        "answers",
        (
            Column("writer", options=tuple(WRITERS)),
            Column("reward", -10, 10),
            Column("length", 1, 16, integer=True),
            Column("logp", -100, 0),
            Column("logp_initial", -100, 0),
        ),
        default=DEFAULT,
        most=16,
    ),
    Number("bar", 0.5, low=-10, high=10, step=0.05, role="signal"),
    Number("critic", 0.4, low=-2, high=2, step=0.05, symbol="V", role="old"),
    Number("foresight", 0, low=0, high=1, step=0.05),
    Switch("spread", True),
    Number("beta", 0.1, low=0.01, high=5, step=0.01, symbol="β", logarithmic=True),
    Number("anchor", 0, low=0, high=0.5, step=0.01, role="reference"),
)
GROUPS = {
    "method": ("method", "by_length"),
    "answers": ("answers", "bar"),
    "knobs": tuple(c.name for c in CONTROLS[4:]),
}


def _rewarded(*rewards: float) -> tuple[Row, ...]:
    """The opening's answers with other rewards for those of the current policy."""
    return (*DEFAULT[:3], *((w, r, *rest) for (w, _, *rest), r in zip(DEFAULT[3:], rewards, strict=True)))


PRESETS: dict[str, State] = {
    "wrong": {"answers": _rewarded(0, 0, 0, 0), "method": "ppo"},
    "right": {"answers": _rewarded(1, 1, 1, 1), "method": "online rft"},
    "critic": {"method": "ppo", "foresight": 1},
    "learned": {
        "method": "dpo",
        "answers": (("initial", 1, 4, -2, -12), ("initial", 0, 6, -30, -12), *DEFAULT[3:]),
        "beta": 0.5,
    },
    "surprise": {"answers": _rewarded(0.25, 0, 0, 0)},
}
PREDICT = Predict(("rft", "ppo", "grpo", "nobody"), right="ppo", state=PRESETS["wrong"])
_NAMED = {"rft": "online rft", "online_dpo": "online dpo", "ppo": "ppo", "grpo": "grpo"}
GAP, ROOM = 0.4, 0.6  # between the blocks of different writers; between two answers' tokens
MOST_NUMBERS = 10  # with more answers the numbers would run into each other: they stand in the table
CELL: dict[str, Any] = {"x": "x", "y": "y", "strength": "strength", "width": 0.94, "height": 0.5, "tip": False}

FIGURES = {
    "map": Figure(
        (
            Cells("cells_raised", role="positive", key="raised", **CELL),
            Cells("cells_lowered", role="negative", hatch=True, key="lowered", **CELL),
            Cells("cells_silent", role="silent", key="silent", **CELL),
            Labels("numbers", "x", "y", align="center"),
            Labels("names", "edge", "y", "muted", dy=-22),
            Labels("chosen", "edge", "y", "current", bold=True, dy=-22),
            Labels("heads", "x", "y", "signal", align="center"),
            Labels("writers", "x", "y", "muted"),
        ),
        x=Axis(shown=False, room=0.02),
        y=Axis(len(METHODS) - 0.6, -1.75, shown=False),
        height=460,
    ),
    "tokens": Figure(
        (
            *signed("tokens", "x", "coefficient", width=0.9),
            Labels("rewards", "x", "y", "signal", align="center", dy=-13),
        ),
        x=Axis(shown=False),
        y=Axis(room=0.22),
        height=260,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Every method's coefficient of every answer that is its own data, and the chosen one's of every token."""
    rows = sorted(controls["answers"], key=lambda row: tuple(WRITERS).index(row[0]))
    writers = np.array([row[0] for row in rows])
    reward, length, logp, initial = np.array([row[1:] for row in rows], float).T
    x = np.arange(len(rows)) + GAP * np.cumsum(np.r_[False, writers[1:] != writers[:-1]])
    tokens: dict[str, Array] = {}
    matrix = np.full((len(METHODS), len(rows)), np.nan)
    for writer, source in WRITERS.items():
        if (mine := np.flatnonzero(writers == writer)).size:
            answers, critic = _answers(controls, reward[mine], length[mine], logp[mine], initial[mine])
            for place, (name, method) in enumerate(METHODS.items()):
                if method.source == source:
                    values = critic if "values" in method.needs else None
                    tokens[name] = token_coefficients(
                        name, answers, length[mine], values=values, by_length=controls["by_length"]
                    )
                    matrix[place, mine] = tokens[name].sum(axis=1) / (1 if controls["by_length"] else length[mine])
    chosen = list(METHODS).index(controls["method"])
    mine = np.flatnonzero(np.isfinite(matrix[chosen]))
    each = tokens.get(controls["method"], np.zeros((0, 1)))
    inside = np.arange(each.shape[1]) < length[mine, None]
    which = np.nonzero(inside)[0]
    shown = {"x": np.arange(which.size) + ROOM * which, "coefficient": each[inside] + 0.0}
    middle = np.bincount(which, shown["x"], mine.size) / np.maximum(length[mine], 1)
    filled = np.nonzero(np.isfinite(matrix))
    value = matrix[filled] + 0.0
    cells = {
        "x": x[filled[1]],
        "y": filled[0],
        "value": value,
        "strength": 0.16 + 0.5 * np.minimum(np.abs(value) / 2, 1),
    }
    firsts = np.full(len(rows), np.nan)
    firsts[mine] = each[:, 0]
    blocks = [np.flatnonzero(writers == writer) for writer in WRITERS if np.any(writers == writer)]
    few = slice(None if len(rows) <= MOST_NUMBERS else 0)
    rest = np.delete(np.arange(len(METHODS)), chosen)
    names, left = list(METHODS), x[0] - 0.45
    own = matrix[chosen, mine]
    return Frame(
        sources={
            **by_sign("cells", cells, "value"),
            "numbers": {key: cells[key][few] for key in ("x", "y", "value")},
            "names": {"edge": np.full(rest.size, left), "y": rest, "name": [names[i] for i in rest]},
            "chosen": {"edge": [left], "y": [chosen], "name": [names[chosen]]},
            "heads": {"x": x, "y": np.full(len(rows), -0.8), "reward": reward},
            "writers": {
                "x": [x[block[0]] - 0.45 for block in blocks],
                "y": np.full(len(blocks), -1.4),
                "name": [writers[block[0]] for block in blocks],
            },
            **by_sign("tokens", shown, "coefficient"),
            "rewards": {"x": middle, "y": np.max(each, axis=1, initial=0), "reward": reward[mine]},
            "table": {
                "row": np.arange(1, len(rows) + 1),
                "writer": writers,
                "reward": reward,
                "length": length,
                **{name.replace(" ", "_"): matrix[i] for i, name in enumerate(METHODS)},
                "token": firsts,
            },
        },
        values={
            **_substituted(controls, writers, reward, matrix),
            "count": mine.size,
            "raised": int(np.sum(own > 0)),
            "lowered": int(np.sum(own < 0)),
            "untouched": int(np.sum(own == 0)),
            "total": _total(own),
            "largest": float(np.max(np.abs(each), initial=0)),
        },
        table="table",
        case="nobody" if not mine.size else "silent" if not np.any(own) else "signed" if np.any(own < 0) else "praise",
    )


def _answers(
    controls: Mapping[str, Any], reward: Array, length: Array, logp: Array, initial: Array
) -> tuple[Answers, Array]:
    """One writer's answers, and what the critic expects before each of their tokens."""
    advantages = group_advantages([reward], scale="group_std" if controls["spread"] else "none", eps=0)[0]
    # The anchor's log-probs are shared out evenly over an answer's tokens.
    advantages = advantages + anchor_coefficient(logp / length, initial / length, controls["anchor"])
    known = np.minimum(np.arange(int(length.max())) / np.maximum(length - 1, 1)[:, None], 1)
    critic = controls["critic"] + controls["foresight"] * known * (reward - controls["critic"])[:, None]
    right = reward >= controls["bar"]
    return Answers(reward, right, critic[:, 0], advantages, logp, initial, controls["beta"]), critic


def _total(own: Array) -> float:
    """The sum of coefficients, where rounding is told from a true remainder; NaN without data."""
    total = float(np.sum(own)) if own.size else np.nan
    return 0.0 if abs(total) < 1e-12 * float(np.sum(np.abs(own))) else total


def _substituted(controls: Mapping[str, Any], writers: Array, reward: Array, matrix: Array) -> dict[str, float]:
    """The numbers of the best answer of the current policy under each method."""
    mine = np.flatnonzero(writers == "current")
    if not mine.size:
        return dict.fromkeys(("best", "mean", "deviation", "expected", "pull", *_NAMED), np.nan)
    best, group = mine[reward[mine].argmax()], reward[mine]
    deviation = float(group.std()) if controls["spread"] else 1.0
    found = {key: float(matrix[list(METHODS).index(name), best]) for key, name in _NAMED.items()}
    relative = (reward[best] - group.mean()) / deviation if deviation else 0.0
    return found | {
        "best": float(reward[best]),
        "mean": float(group.mean()),
        "deviation": deviation or np.nan,
        "expected": float(reward[best]) - found["ppo"],
        "pull": float(found["grpo"] - relative) if controls["anchor"] else 0.0,
    }
