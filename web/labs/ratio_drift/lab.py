"""Importance ratios on one batch, update by update: from 1 to tails, with the clip and without (curriculum 2.4)."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pycore.argument import Mask
from pycore.control import Choice, Number
from pycore.diagnostics import ratio_tails
from pycore.domain import Array
from pycore.drift import Reuse, drift
from pycore.objective import Evaluation
from pycore.protocol import Protocol
from pycore.ratio import clipped_surrogate
from pycore.rows import Column, Rows
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Band, Bars, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame
from web.labs.process import Process

ORDER = 24
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Number("rate", 0.025, low=0.001, high=0.05, step=0.001, logarithmic=True, symbol="η"),
    Number("passes", 1, low=1, high=4, step=1, integer=True),
    Number("minibatches", 16, low=1, high=16, step=1, integer=True),
    Number("lag", 0, low=0, high=16, step=1, integer=True, role="old"),
    Number("noise", 0, low=0, high=0.2, step=0.01, role="old"),
    Number("low", 0.2, low=0.01, high=1, step=0.01, symbol="ε", role="silent"),
    Number("high", 0.2, low=0.01, high=1, step=0.01, symbol="ε₊", role="silent"),
    Rows(
        "own",
        (Column("old", -50, 0), Column("current", -50, 0), Column("advantage", -10, 10)),
        default=((-1.2, -0.9, 1), (-0.5, -0.5, 1), (-2.3, -2.4, 1), (-0.7, -1.1, -1), (-1.6, -1.3, -1), (-3, -3, -1)),
        most=64,
    ),
    SEED,
)
GROUPS = {"use": ("rate", "passes", "minibatches"), "age": ("lag", "noise"), "clip": ("low", "high")}
WHEN = {
    **{name: {"source": ("model",)} for name in ("rate", "passes", "minibatches", "lag", "noise", "seed")},
    "own": {"source": ("own",)},
}
PRESETS = {
    "fresh": {"minibatches": 1},
    "stale": {"lag": 16, "minibatches": 1},
    "engine": {"noise": 0.05, "minibatches": 1},
    "own": {"source": "own"},
    "surprise": {"passes": 4, "minibatches": 2, "low": 0.02, "high": 0.02},
}
PREDICT = Predict(("within", "step", "beyond"), right="beyond", state={"passes": 4})
PROCESS = Process(pace=0.15)

BIN = 0.4 / 9  # the bar in the middle is centred on 1, and 0.8 and 1.2 lie between two bars
DOWN_UP = (15.0, -13.0)  # CSS pixels: the lower of two labels stands below its point, the upper one above
WIDEST = 68  # bars: what lies further out is counted in the last one
NEARLY = 1e-3  # a bound of zero has no place on a logarithmic axis
FRAMES = 32  # of one pass through all updates, so that a long one does not bore
TICKS = {0.125: "1/8", 0.25: "1/4", 0.5: "1/2", 1.0: "1", 2.0: "2", 4.0: "4", 8.0: "8", 16.0: "16"}

FIGURES = {
    "drift": Figure(
        (
            Rules("corridor", "ink", y="bound", dash="dashed", key="corridor"),
            Band("log", "update", "low", "high", "current", key="most"),
            Line("log", "update", "least", "current", key="ends"),
            Line("log", "update", "largest", "current"),
            Line("free", "update", "least", "muted", "dotted", key="free"),
            Line("free", "update", "largest", "muted", "dotted"),
            Points("last", "update", "ratio", "current", here=True, tip=False),
            Labels("corridor", "first", "bound", "ink", dx=2, dy="dy"),
            Labels("last", "update", "ratio", "current", bold=True, align="right", dx=-12, dy="dy"),
        ),
        x=Axis(room=0.04),
        y=Axis(log=True, ticks=TICKS, room=0.22),
        height=340,
    ),
    "tokens": Figure(
        (
            Rules("corridor", "ink", x="bound", dash="dashed"),
            Bars("bins", "ratio", "up", "positive", width=BIN * 0.9, key="up"),
            Bars("bins", "ratio", "up_all", "silent", base="up", width=BIN * 0.9, hatch=True, key="clipped"),
            Bars("bins", "ratio", "down", "negative", width=BIN * 0.9, key="down"),
            Bars("bins", "ratio", "down_all", "silent", base="down", width=BIN * 0.9, hatch=True),
            Points("flat", "ratio", "zero", "silent", "square", size=7, key="flat"),
        ),
        x=Axis(room=0.05),
        y=Axis(shown=False, room=0.1),
        height=260,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Iterator[Frame | float]:
    """The log of every update on one batch, and of a twin that does not clip."""
    if controls["source"] == "own":
        old, current, advantage = np.asarray(controls["own"], dtype=np.float64).T
        yield _frame(controls, [_entry(1, current - old, advantage, controls)], [])
        return
    clipped = Protocol(clip="asymmetric", clip_low=controls["low"], clip_high=controls["high"])
    reuse = Reuse(*(controls[name] for name in ("rate", "passes", "minibatches", "lag", "noise")))
    log: list[dict[str, Any]] = []
    free: list[tuple[float, float, float]] = []
    whole, rng = reuse.lag + reuse.updates, np.random.default_rng(controls["seed"])
    stride = -(-whole // FRAMES)
    for number, (found, twin) in drift([clipped, Protocol(clip="none")], reuse, rng):
        log.append(_entry(number, *_tokens(found), controls))
        if number >= 1:
            free.append((number, float(twin.ratio.min()), float(twin.ratio.max())))
        if len(log) % stride == 0 or len(log) in (1, whole):
            yield _frame(controls, log, free)
        else:
            yield len(log) / whole


def _tokens(found: Evaluation) -> tuple[Array, Array]:
    """Log-ratio and advantage of every token, in one row."""
    advantage = np.broadcast_to(found.advantages[..., None], found.ratio.shape)
    return np.log(found.ratio).ravel(), advantage.ravel()


def _entry(number: int, log_ratio: Array, advantage: Array, controls: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the log, and the tokens that it was made from."""
    ratio = np.exp(log_ratio)
    silenced = clipped_surrogate(log_ratio, advantage, low=controls["low"], high=controls["high"]).clipped
    tails = ratio_tails(log_ratio, np.ones(ratio.size, dtype=bool))
    return {
        "update": number,
        "least": float(ratio.min()),
        "low": tails.low,
        "high": tails.high,
        "largest": float(ratio.max()),
        "outside": float(np.mean((ratio < 1 - controls["low"]) | (ratio > 1 + controls["high"]))),
        "clipped": float(np.mean(silenced)),
        "deviation": tails.largest_deviation,
        "effective": tails.effective_share,
        "tokens": (ratio, advantage, silenced),
    }


def _frame(controls: Mapping[str, Any], log: list[dict[str, Any]], free: list[tuple[float, float, float]]) -> Frame:
    last = log[-1]
    columns = {name: np.array([line[name] for line in log]) for name in last if name != "tokens"}
    number, least, largest = np.array(free).reshape(-1, 3).T
    beside = np.full(len(log) - len(free), np.nan)
    ends = [last["least"], last["largest"]]
    return Frame(
        sources={
            "corridor": {
                "bound": [max(1 - controls["low"], NEARLY), 1 + controls["high"]],
                "first": columns["update"][[0, 0]],
                "dy": DOWN_UP,
            },
            "log": {name: columns[name] for name in ("update", "least", "low", "high", "largest")},
            "free": {"update": number, "least": least, "largest": largest},
            "last": {"update": [last["update"]] * 2, "ratio": ends, "dy": DOWN_UP},
            **_bins(*last["tokens"]),
        },
        values={
            **{name: last[name] for name in last if name != "tokens"},
            "updates": float(controls["passes"] * controls["minibatches"]),
            "floor": 1 - controls["low"],
            "ceiling": 1 + controls["high"],
            "log_least": float(np.log(last["least"])) + 0.0,
            "log_largest": float(np.log(last["largest"])) + 0.0,
            "free_least": float(least[-1]) if least.size else float("nan"),
            "free_largest": float(largest[-1]) if largest.size else float("nan"),
            "count": float(last["tokens"][0].size),
        },
        table={
            **{name: columns[name] for name in ("update", "least", "low", "high", "largest", "outside", "clipped")},
            "free_least": np.concatenate([beside, least]),
            "free_largest": np.concatenate([beside, largest]),
        },
        case=_case(controls, last),
    )


def _case(controls: Mapping[str, Any], last: Mapping[str, Any]) -> str:
    if controls["source"] == "own":
        return "own"
    if last["update"] < 1:
        return "waiting"
    if last["deviation"] < 1e-9:
        return "one"
    if last["update"] == 1:
        return "before"
    return "outside" if last["outside"] > 0 else "inside"


def _bins(ratio: Array, advantage: Array, silenced: Mask) -> dict[str, Mapping[str, Any]]:
    """Shares of all tokens by ratio: A > 0 upwards, A < 0 downwards, A = 0 between; the clipped at the far ends."""
    place = np.minimum(np.rint((ratio - 1) / BIN), WIDEST).astype(int)
    places = np.arange(place.min(), place.max() + 1)

    def share(chosen: Mask) -> Array:
        return np.asarray(np.bincount(place[chosen] - places[0], minlength=places.size) / ratio.size)

    up, down, flat = (share(np.sign(advantage) == sign) for sign in (1, -1, 0))
    x, seen = 1 + BIN * places, flat > 0
    return {
        "bins": {
            "ratio": x,
            "up": up - share(silenced & (advantage > 0)),
            "up_all": up,
            "down": share(silenced & (advantage < 0)) - down,
            "down_all": -down,
        },
        "flat": {"ratio": x[seen], "zero": np.zeros(int(seen.sum())), "share": flat[seen]},
    }
