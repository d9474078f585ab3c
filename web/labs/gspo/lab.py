"""Token ratios and the sequence ratio live on different scales (curriculum 3.4)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pycore.argument import Mask
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.objective import Batch, evaluate
from pycore.protocol import PRESETS as PROTOCOLS
from pycore.ratio import Floats, importance_ratio
from pycore.rows import Column, Rows
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame

ORDER = 34
RESPONSES = 128  # of which the first is shown token by token
# In the first a single token stands out, in the second none does, the third is step 3.4's.
EXAMPLE = (
    *((1, -0.31, -0.37), (1, -1.46, -1.48), (1, -0.72, -0.8), (1, -0.11, -0.1), (1, -3.2, -2.3), (1, -0.64, -0.69)),
    *((1, -1.9, -1.97), (1, -0.08, -0.11), (1, -0.55, -0.64), (1, -0.02, -0.02), (1, -1.12, -1.18), (1, -0.4, -0.49)),
    *((2, -0.85, -0.8), (2, -1.27, -1.2), (2, -0.46, -0.38), (2, -0.21, -0.17), (2, -2.04, -1.98)),
    *((2, -0.93, -0.84), (2, -0.3, -0.25), (2, -1.55, -1.48), (2, -0.67, -0.61), (2, -1.1, -1.02)),
    *((3, -1.62, -1.21), (3, -0.35, -0.57), (3, -0.9, -0.8), (3, -0.14, -0.25)),
)
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Number("length", 60, low=2, high=200, step=1, integer=True, symbol="|o|"),
    Number("noise", 0.15, low=0.01, high=0.5, step=0.01, symbol="σ", role="current"),
    Number("drift", 0, low=-0.02, high=0.02, step=0.001, symbol="δ"),
    Number("epsilon", 0.2, low=0.0001, high=0.5, step=0.0001, logarithmic=True, symbol="ε", role="negative"),
    Choice("sign", ("positive", "negative"), "positive"),
    Rows(
        "own",
        (Column("response", 0, 9999, integer=True), Column("old", -50, 0), Column("current", -50, 0)),
        default=EXAMPLE,
        most=240,
    ),
    Number("response", 1, low=1, high=64, step=1, integer=True),
    SEED,
)
GROUPS = {"policy": ("length", "noise", "drift"), "clip": ("epsilon", "sign")}
WHEN = {
    **{name: {"source": ("model",)} for name in ("length", "noise", "drift", "seed")},
    **{name: {"source": ("own",)} for name in ("own", "response")},
}
PRESETS = {
    "narrow": {"epsilon": 0.0004},
    "long": {"length": 200, "epsilon": 0.01},
    "short": {"length": 2, "epsilon": 0.01},
    "own": {"source": "own", "epsilon": 0.05},
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
            Labels("sequence_end", "token", "ratio", "old", bold=True, align="right", dx=-4, dy="dy"),
        ),
        x=Axis(0.5),
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
    """How many ratios a range holds at the token level and at the level of the response, and one response in full."""
    responses = _own(controls) if controls["source"] == "own" else _drawn(controls)
    epsilon, side = controls["epsilon"], 1 if controls["sign"] == "positive" else -1
    ratio, sequence = importance_ratio(responses.log_ratio), importance_ratio(responses.mean)
    levels = {"token": ratio[responses.mask], "sequence": sequence}
    share = {level: _held(values, RANGES, side) for level, values in levels.items()}
    here = {level: float(_held(values, np.array([epsilon]), side)[0]) for level, values in levels.items()}
    shown = responses.shown
    tokens, s = ratio[shown][responses.mask[shown]], float(sequence[shown])
    token = np.arange(1, tokens.size + 1)
    outside = side * (tokens - 1) > epsilon
    gradient = _gradient(responses, side, epsilon)
    bound = 1 + side * epsilon
    # The label of s stands on that side of its line where the figure has room.
    middle = (min(float(tokens.min()), bound) + max(float(tokens.max()), bound)) / 2
    return Frame(
        sources={
            "inside": {"token": token[~outside], "ratio": tokens[~outside]},
            "outside": {"token": token[outside], "ratio": tokens[outside]},
            "bounds": {"ratio": [bound]},
            "sequence": {"token": [0.5, tokens.size + 0.5], "ratio": [s] * 2},
            "sequence_end": {"token": [tokens.size], "ratio": [s], "dy": [-12.0 if s < middle else 14.0]},
            "shares": {"epsilon": RANGES} | share,
            "here": {"epsilon": [epsilon]} | {level: [value] for level, value in here.items()},
        },
        values={
            "s": s,
            "smallest": float(tokens.min()),
            "largest": float(tokens.max()),
            "token_share": here["token"],
            "sequence_share": here["sequence"],
            "token_spread": float(levels["token"].std()) if levels["token"].size > 1 else float("nan"),
            "sequence_spread": float(sequence.std()) if sequence.size > 1 else float("nan"),
            "alive": float(np.mean(gradient[responses.mask] != 0)),
            "number": float(responses.number[shown]),
            **{f"{level}_count": float(values.size) for level, values in levels.items()},
            **{f"{level}_held": float(round(here[level] * values.size)) for level, values in levels.items()},
        },
        table={"epsilon": RANGES} | share,
        case=_case(controls, here["sequence"], held=side * (s - 1) > epsilon),
    )


class _Responses(NamedTuple):
    """Log-ratios of tokens, shape (responses, tokens); `mask` says which are there, `shown` which response is drawn."""

    log_ratio: Array
    mask: Mask
    number: Array
    shown: int

    @property
    def mean(self) -> Array:
        """The mean log-ratio of every response over the tokens that it has."""
        return np.asarray(np.where(self.mask, self.log_ratio, 0).sum(axis=1) / self.mask.sum(axis=1))


def _drawn(controls: Mapping[str, Any]) -> _Responses:
    """Seeded responses of one length."""
    shape = RESPONSES, controls["length"]
    noise = np.random.default_rng(controls["seed"]).standard_normal(shape)
    log_ratio = controls["drift"] + controls["noise"] * noise
    return _Responses(log_ratio, np.ones(shape, dtype=bool), np.arange(1.0, RESPONSES + 1), 0)


def _own(controls: Mapping[str, Any]) -> _Responses:
    """The learner's own tokens, in their order, each in the row of its response."""
    number, old, current = np.asarray(controls["own"], dtype=np.float64).T
    numbers, row = np.unique(number, return_inverse=True)
    lengths = np.bincount(row)
    mask = np.arange(lengths.max()) < lengths[:, None]
    log_ratio = np.zeros(mask.shape)
    log_ratio[mask] = (current - old)[np.argsort(row, kind="stable")]
    return _Responses(log_ratio, mask, numbers, min(controls["response"], numbers.size) - 1)


def _held(ratio: Floats, epsilon: Array, side: int) -> Array:
    """Share of ratios beyond 1 + ε (A > 0) or below 1 - ε (A < 0), at every ε."""
    excess = np.sort(side * (ratio.ravel() - 1))
    return np.asarray(1 - np.searchsorted(excess, epsilon, side="right") / excess.size)


def _gradient(responses: _Responses, side: int, epsilon: float) -> Array:
    """What GSPO gives every token when all responses have an advantage of this sign."""
    log_ratio = responses.log_ratio[None]
    old = np.full(log_ratio.shape, BASE - max(0.0, float(log_ratio.max())))
    even = np.full(log_ratio.shape[:2], float(side))
    batch = Batch(old + log_ratio, old, responses.mask[None], np.zeros(even.shape), advantages=even)
    return np.asarray(evaluate(replace(PROTOCOLS["gspo"], clip_low=epsilon, clip_high=epsilon), batch).grad[0])


def _case(controls: Mapping[str, Any], share: float, *, held: bool) -> str:
    if controls["source"] == "own":
        return "own_held" if held else "own_free"
    return "held" if share > 0.5 else "free" if share == 0 else "some"
