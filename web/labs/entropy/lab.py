"""Entropy of what: of the softmax, of the policy that samples, of whole answers (curriculum 4.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Numbers
from pycore.decoding import Decoding, behaviour_log_probs
from pycore.diagnostics import token_entropy
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame

ORDER = 41
MOST = 16
VOCABULARY = 12
CONTROLS = (
    Number("temperature", 1, low=0.1, high=2, step=0.05, symbol="T", role="current"),
    Number("top_p", 1, low=0.1, high=1, step=0.01, symbol="p"),
    Numbers("sharpness", (6.0, 5.0, 0.1, 4.0, 6.0, 0.3, 5.0, 6.0), low=0, high=12, fewest=2, most=MOST),
)
PRESETS = {
    "cool": {"temperature": 0.6},
    "cut": {"top_p": 0.9},
    "even": {"sharpness": (1.7,) * 8},
    "surprise": {"sharpness": (12.0, 12.0, 0.0, 12.0, 12.0, 12.0, 12.0, 12.0)},
}
PREDICT = Predict(("even", "forks", "ends"), right="forks")

FIGURES = {
    "position": Figure(
        (
            Bars("positions", "position", "raw", "silent", width=0.7, key="raw"),
            Bars("positions", "position", "behaviour", "current", width=0.4, key="behaviour"),
            Rules("mean", "ink", y="raw", dash="dashed", key="mean"),
            Labels("positions", "position", "raw", align="center", dy=-12),
        ),
        x=Axis(0.4, ticks={float(place): str(place) for place in range(1, MOST + 1)}),
        y=Axis(0, room=0.15),
        height=300,
    ),
    "temperature": Figure(
        (
            Line("curve", "temperature", "token", "current", key="token"),
            Line("curve", "temperature", "raw", "silent", "dashed", width=2, key="unmoved"),
            Rules("here", "current", x="temperature"),
            Points("here", "temperature", "token", "current", here=True, tip=False),
            Labels("here", "temperature", "token", "current", bold=True, dx=10, dy=12),
        ),
        x=Axis(0.1, 2),
        y=Axis(0),
        height=240,
    ),
}
TEMPERATURES = np.linspace(0.1, 2, 39)


def compute(controls: Mapping[str, Any]) -> Frame:
    """Entropy position by position before and after decoding, and what it comes to for the whole answer."""
    # One ranking of the tokens at every position; the sharpness says how far apart they are.
    logits = -np.outer(controls["sharpness"], np.arange(VOCABULARY))
    raw = token_entropy(logits)
    behaviour = _entropy(logits, controls["temperature"], controls["top_p"])
    # All temperatures at once: their logits are divided here, and the decoding has only its filter left to do.
    curve = _entropy(logits / TEMPERATURES[:, None, None], 1, controls["top_p"]).mean(axis=1)
    position = np.arange(1, raw.size + 1)
    total, top = float(behaviour.sum()), np.sort(raw)[::-1][:2].sum()
    return Frame(
        sources={
            "positions": {"position": position, "raw": raw, "behaviour": behaviour},
            "mean": {"raw": [raw.mean()]},
            "curve": {"temperature": TEMPERATURES, "token": curve, "raw": np.full(curve.size, raw.mean())},
            "here": {"temperature": [controls["temperature"]], "token": [behaviour.mean()]},
        },
        values={
            "raw_mean": float(raw.mean()),
            "behaviour_mean": float(behaviour.mean()),
            "total": total,
            "answers": float(np.exp(total)),
            "raw_answers": float(np.exp(raw.sum())),
            "forks": float(top / raw.sum()) if raw.sum() > 1e-9 else float("nan"),
            "largest": float(raw.max()),
        },
        table="positions",
        case="plain" if controls["temperature"] == 1 and controls["top_p"] == 1 else "decoded",
    )


def _entropy(logits: Any, temperature: float, top_p: float) -> Any:
    """Of the policy that samples: its log-probs are logits as well."""
    return token_entropy(behaviour_log_probs(logits, Decoding(temperature, None, top_p)))
