"""One episode of PPO: from one grade to rewards, returns and advantages per token (curriculum 0.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Switch
from pycore.ppo import generalised_advantages, shaped_rewards
from pycore.rows import Column, Rows
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, signed
from web.labs.frame import Frame, by_sign

ORDER = 3
EPISODE = (
    (-1.2, -1.5, 0.40),
    (-0.3, -0.2, 0.42),
    (-2.1, -1.6, 0.45),
    (-0.1, -0.1, 0.38),
    (-0.8, -1.4, 0.50),
    (-1.6, -0.9, 0.55),
    (-0.4, -0.6, 0.52),
    (-0.2, -0.2, 0.60),
    (-2.4, -1.1, 0.48),
    (-0.5, -1.0, 0.70),
    (-0.1, -0.3, 0.80),
    (-0.6, -0.5, 0.90),
)
CONTROLS = (
    Number("gamma", 1, low=0, high=1, step=0.01, symbol="γ"),
    Number("lam", 0.95, low=0, high=1, step=0.01, symbol="λ"),
    Number("error", 0, low=-1, high=1, step=0.05, role="current"),
    Number("wrong", 8, low=1, high=12, step=1, integer=True, symbol="t"),
    Number("beta", 0.1, low=0, high=1, step=0.01, symbol="β", role="reference"),
    Number("score", 1, low=-2, high=2, step=0.1, symbol="R", role="signal"),
    Switch("clamp"),
    Rows(
        "tokens",
        (Column("logp", -30, 0), Column("logp_ref", -30, 0), Column("value", -5, 5)),
        default=EPISODE,
        fewest=2,
        most=16,
    ),
)
GROUPS = {"spread": ("gamma", "lam"), "critic": ("wrong", "error"), "reward": ("score", "beta", "clamp")}
PRESETS = {
    "whole": {"lam": 1, "error": 0.5},
    "near": {"lam": 0, "error": 0.5},
    "clamped": {"clamp": True, "beta": 0.5},
    "faded": {"gamma": 0.7, "lam": 1, "beta": 0},
    "surprise": {"lam": 0.5, "error": 0.5},
}
PREDICT = Predict(("one", "two", "all"), right="two", state={"lam": 0, "error": 0.5})
PLACES = {float(row): str(row) for row in range(1, 17)}

FIGURES = {
    "rewards": Figure(
        (*signed("reward", "row", "reward"), Labels("last", "row", "reward", bold=True, align="right", dx="dx")),
        x=Axis(0.4, ticks=PLACES),
        y=Axis(room=0.15),
        height=210,
        zero=True,
    ),
    "critic": Figure(
        (
            Line("episode", "row", "return", "signal", key="return"),
            Points("episode", "row", "return", "signal", "circle", size=6, tip=False),
            Line("episode", "row", "value", "current", "dashed", width=2, key="value"),
            Points("episode", "row", "value", "current", "square", size=7, tip=False),
            Points("spoilt", "row", "value", "current", "square", here=True, key="spoilt"),
        ),
        x=Axis(0.4, ticks=PLACES),
        y=Axis(room=0.15),
        height=240,
    ),
    "advantages": Figure(
        (
            *signed("advantage", "row", "advantage"),
            Points("clean", "row", "advantage", "ink", "diamond", size=9, key="clean"),
        ),
        x=Axis(0.4, ticks=PLACES),
        y=Axis(room=0.15),
        height=260,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Shaped rewards, what came after each token, and the advantages with the critic spoilt at one token."""
    logp, logp_ref, guess = np.asarray(controls["tokens"], dtype=np.float64).T
    gamma, lam, wrong = controls["gamma"], controls["lam"], min(controls["wrong"], logp.size) - 1
    mask = np.ones((1, logp.size), dtype=bool)
    given = shaped_rewards(logp[None], logp_ref[None], mask, [controls["score"]], controls["beta"], controls["clamp"])
    value = guess.copy()
    value[wrong] += controls["error"]
    found = generalised_advantages(given, value[None], mask, gamma, lam).advantages[0]
    clean = generalised_advantages(given, guess[None], mask, gamma, lam).advantages[0]
    surprise = generalised_advantages(given, value[None], mask, gamma, 0).advantages[0]
    came = generalised_advantages(given, value[None], mask, gamma, 1).returns[0]
    reward, change = given[0] + 0.0, found - clean
    reached = int(np.count_nonzero(np.abs(change) > 1e-9))
    row = np.arange(1, logp.size + 1)
    spoilt = slice(wrong, wrong + 1) if controls["error"] else slice(0)
    # Sums of a few roundings are not an advantage: they would be drawn as bars without length.
    found, change = (np.where(np.abs(values) < 1e-12, 0.0, values) for values in (found, change))
    return Frame(
        sources={
            **by_sign("reward", {"row": row, "reward": reward}, "reward"),
            "last": {"row": row[-1:], "reward": reward[-1:], "dx": [-24.0]},
            "episode": {"row": row, "return": came, "value": value},
            "spoilt": {"row": row[spoilt], "value": value[spoilt]},
            **by_sign("advantage", {"row": row, "advantage": found}, "advantage"),
            "clean": {"row": row, "advantage": clean},
        },
        values={
            "where": wrong + 1,
            "reached": reached,
            "farthest": float(np.max(np.abs(change))),
            "total": float(change.sum()),
            "fee": float(controls["score"] - reward.sum()),
            "reward": float(reward[wrong]),
            "value": float(value[wrong]),
            "next": float(value[wrong + 1]) if wrong + 1 < logp.size else 0.0,
            "surprise": float(surprise[wrong]),
            "advantage": float(found[wrong]),
            "first": float(found[0]),
            "last": float(found[-1]),
            "length": logp.size,
        },
        table={
            "row": row,
            "logp": logp,
            "logp_ref": logp_ref,
            "reward": reward,
            "value": value,
            "return": came,
            "surprise": surprise,
            "advantage": found,
            "clean": clean,
            "change": change,
        },
        case="clean" if not controls["error"] else "one" if reached == 1 else "many",
    )
