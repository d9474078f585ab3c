"""Which policy really drew the token: temperature, filters, mask, and the log-prob that must be stored (2.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Numbers
from pycore.decoding import Decoding, behaviour_log_probs, raw_log_probs
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Points, Rules
from web.labs.frame import Frame

ORDER = 21
MOST = 10
CONTROLS = (
    Number("temperature", 0.7, low=0.05, high=2, step=0.05, symbol="T"),
    Number("top_k", MOST, low=1, high=MOST, step=1, integer=True, symbol="k"),
    Number("top_p", 0.9, low=0.05, high=1, step=0.01, symbol="p"),
    Number("forbidden", 0, low=0, high=MOST, step=1, integer=True),
    Number("token", 1, low=1, high=MOST, step=1, integer=True, role="current"),
    Numbers("logits", (2.0, 1.2, 0.6, 0.0, -0.8, -1.5), low=-10, high=10, fewest=2, most=MOST),
)
GROUPS = {"decoding": ("temperature", "top_k", "top_p"), "grammar": ("forbidden",), "model": ("token", "logits")}
PRESETS = {
    "plain": {"temperature": 1, "top_p": 1},
    "greedy": {"temperature": 0.05, "top_p": 1},
    "grammar": {"temperature": 1, "top_p": 1, "forbidden": 1},
    "surprise": {"temperature": 1, "top_p": 0.5},
}
PREDICT = Predict(("one", "above", "below"), right="above", state={})

FIGURES = {
    "probability": Figure(
        (
            Bars("behaviour", "token", "probability", "old", width=0.6, key="behaviour"),
            Points("raw", "token", "probability", "ink", "diamond", size=11, key="raw"),
            Points("warmed", "token", "probability", "current", "triangle", size=9, key="warmed"),
            Labels("behaviour", "token", "top", "old", bold=True, align="center", dy=-14),
        ),
        x=Axis(0.4, ticks={float(token): str(token) for token in range(1, MOST + 1)}),
        y=Axis(0, 1.1, form="percent"),
        height=320,
    ),
    "ratio": Figure(
        (
            Rules("one", "line-strong", y="ratio"),
            Points("ratio", "token", "ratio", "negative", "square", size=10, key="wrong"),
            Points("mine", "token", "ratio", "current", here=True, tip=False),
            Labels("mine", "token", "ratio", "current", bold=True, dx=10, dy=-10),
        ),
        x=Axis(0.4, ticks={float(token): str(token) for token in range(1, MOST + 1)}),
        y=Axis(0, room=0.4),
        height=220,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Probabilities before and after every stage, and the ratio of the policy to itself if raw ones were stored."""
    logits = np.asarray(controls["logits"])
    size = logits.size
    allowed = np.ones(size, dtype=bool)
    if 1 <= controls["forbidden"] <= size:
        allowed[controls["forbidden"] - 1] = False
    raw = np.exp(raw_log_probs(logits))
    warmed = np.exp(raw_log_probs(logits / controls["temperature"]))
    top_k = controls["top_k"] if controls["top_k"] < size else None
    decoding = Decoding(controls["temperature"], top_k, controls["top_p"])
    behaviour = np.exp(behaviour_log_probs(logits, decoding, allowed))
    token = np.arange(1, size + 1)
    drawn = np.flatnonzero(behaviour > 0)
    ratio = behaviour / raw
    mine = int(np.clip(controls["token"], 1, size)) - 1
    possible = behaviour[mine] > 0
    kept = token[drawn]
    return Frame(
        sources={
            "behaviour": {
                "token": token,
                "probability": behaviour,
                "top": np.maximum(behaviour, np.maximum(raw, warmed)),
            },
            "raw": {"token": token, "probability": raw},
            "warmed": {"token": token, "probability": warmed},
            "one": {"ratio": [1.0]},
            "ratio": {"token": kept, "ratio": ratio[drawn]},
            "mine": {"token": [mine + 1] if possible else [], "ratio": [ratio[mine]] if possible else []},
        },
        values={
            "mine": float(mine + 1),
            "stored": float(np.log(behaviour[mine])) if possible else float("nan"),
            "raw_stored": float(np.log(raw[mine])),
            "ratio": float(ratio[mine]) if possible else float("nan"),
            "largest": float(ratio.max()),
            "support": float(drawn.size),
            "size": float(size),
            "cut": float(raw[behaviour == 0].sum()),
        },
        table={"token": token, "raw": raw, "warmed": warmed, "behaviour": behaviour, "ratio": ratio},
        case="never" if not possible else "same" if abs(ratio.max() - 1) < 1e-9 and drawn.size == size else "differs",
    )
