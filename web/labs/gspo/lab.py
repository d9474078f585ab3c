"""Token ratios and the sequence ratio live on different scales (curriculum 3.4)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.objective import Batch, evaluate
from pycore.protocol import PRESETS as PROTOCOLS
from pycore.ratio import Floats, importance_ratio
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame

ORDER = 34
RESPONSES = 128  # of which the first is shown token by token
CONTROLS = (
    Number("length", 60, low=2, high=200, step=1, integer=True, symbol="|o|"),
    Number("noise", 0.15, low=0.01, high=0.5, step=0.01, symbol="σ", role="current"),
    Number("drift", 0, low=-0.02, high=0.02, step=0.001, symbol="δ"),
    Number("epsilon", 0.2, low=0.0001, high=0.5, step=0.0001, logarithmic=True, symbol="ε", role="negative"),
    Choice("sign", ("positive", "negative"), "positive"),
    SEED,
)
GROUPS = {"policy": ("length", "noise", "drift"), "clip": ("epsilon", "sign")}
PRESETS = {
    "narrow": {"epsilon": 0.0004},
    "long": {"length": 200, "epsilon": 0.01},
    "short": {"length": 2, "epsilon": 0.01},
    "surprise": {"drift": 0.02, "noise": 0.02, "epsilon": 0.01},
}
PREDICT = Predict(("most", "few", "none"), right="none")

RANGES = np.geomspace(1e-4, 0.5, 38)
BASE = -2.0  # log-prob of every token under the old policy; only the difference counts

FIGURES = {
    "tokens": Figure(
        (
            Rules("bounds", "silent", y="ratio", dash="dashed"),
            Points("inside", "token", "ratio", "current", size=5, key="inside"),
            Points("outside", "token", "ratio", "negative", "diamond", size=9, key="outside"),
            Line("sequence", "token", "ratio", "old", width=3, key="sequence"),
            Labels("sequence_end", "token", "ratio", "old", bold=True, align="right", dx=-4, dy=-12),
        ),
        x=Axis(1),
        y=Axis(room=0.08),
        height=300,
    ),
    "share": Figure(
        (
            Line("shares", "epsilon", "token", "current", width=2.5, key="by_token"),
            Line("shares", "epsilon", "sequence", "old", "dashed", width=2.5, key="by_sequence"),
            Rules("here", "negative", x="epsilon"),
            Points("here", "epsilon", "token", "current", "circle", size=11, tip=False),
            Points("here", "epsilon", "sequence", "old", "square", size=11, tip=False),
        ),
        x=Axis(1e-4, 0.5, form="fine", log=True),
        y=Axis(0, 1.04, form="percent"),
        height=280,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Ratios of 128 seeded responses: how many a range holds at the token level and at the level of the response."""
    length, epsilon = controls["length"], controls["epsilon"]
    rng = np.random.default_rng(controls["seed"])
    log_ratio = controls["drift"] + controls["noise"] * rng.standard_normal((RESPONSES, length))
    ratio, sequence = importance_ratio(log_ratio), importance_ratio(log_ratio.mean(axis=1))
    side = 1 if controls["sign"] == "positive" else -1
    token_share, sequence_share = (_held(values, RANGES, side) for values in (ratio, sequence))
    here = {"token": float(_held(ratio, np.array([epsilon]), side)[0])}
    here["sequence"] = float(_held(sequence, np.array([epsilon]), side)[0])
    token = np.arange(1, length + 1)
    outside = side * (ratio[0] - 1) > epsilon
    gradient = _gradient(log_ratio[0], side, epsilon)
    bound = 1 + side * epsilon
    return Frame(
        sources={
            "inside": {"token": token[~outside], "ratio": ratio[0][~outside]},
            "outside": {"token": token[outside], "ratio": ratio[0][outside]},
            "bounds": {"ratio": [bound]},
            "sequence": {"token": [1, length], "ratio": [sequence[0]] * 2},
            "sequence_end": {"token": [length], "ratio": [sequence[0]]},
            "shares": {"epsilon": RANGES, "token": token_share, "sequence": sequence_share},
            "here": {"epsilon": [epsilon]} | {key: [value] for key, value in here.items()},
        },
        values={
            "s": float(sequence[0]),
            "smallest": float(ratio[0].min()),
            "largest": float(ratio[0].max()),
            "held": float(np.mean(outside)),
            "token_share": here["token"],
            "sequence_share": here["sequence"],
            "token_spread": float(ratio.std()),
            "sequence_spread": float(sequence.std()),
            "alive": float(np.mean(gradient != 0)),
            "bound": bound,
        },
        table={"epsilon": RANGES, "token": token_share, "sequence": sequence_share},
        case="held" if here["sequence"] > 0.5 else "free" if here["sequence"] == 0 else "some",
    )


def _held(ratio: Floats, epsilon: Array, side: int) -> Array:
    """Share of ratios beyond 1 + ε (A > 0) or below 1 - ε (A < 0), at every ε."""
    excess = np.sort(side * (ratio.ravel() - 1))
    return np.asarray(1 - np.searchsorted(excess, epsilon, side="right") / excess.size)


def _gradient(log_ratio: Array, side: int, epsilon: float) -> Array:
    """What GSPO gives every token of the response beside an equal one of the other sign."""
    shape = (1, 2, log_ratio.size)
    old = np.full(shape, BASE - max(0.0, float(log_ratio.max())))
    rewards = [[1, 0]] if side > 0 else [[0, 1]]
    protocol = replace(PROTOCOLS["gspo"], clip_low=epsilon, clip_high=epsilon)
    return np.asarray(evaluate(protocol, Batch(old + log_ratio, old, np.ones(shape, bool), rewards)).grad[0, 0])
