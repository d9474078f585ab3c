"""What dynamic sampling costs, what it throws away, and which prompts are left (curriculum 3.3 and 1.5)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.groups import informative_probability
from pycore.rows import Column, Rows
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame

ORDER = 33
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Number("p", 0.7, low=0.02, high=0.98, step=0.01, symbol="p", role="signal"),
    Number("spread", 0.4, low=0.02, high=0.9, step=0.02),
    Rows(
        "own",
        (Column("p", 0, 1),),
        default=tuple((k / 8,) for k in (8, 8, 1, 8, 7, 0, 8, 4, 8, 7, 8, 0, 2, 8, 6, 8, 1, 7, 0, 8)),
        fewest=2,
        most=300,
    ),
    Number("G", 8, low=2, high=64, step=1, integer=True, symbol="G"),
    Number("B", 64, low=1, high=512, step=1, integer=True, symbol="B"),
    Number("looked", 512, low=1, high=4096, step=1, integer=True, logarithmic=True, symbol="N"),
    SEED,
)
GROUPS = {"stream": ("source", "p", "spread", "own"), "batch": ("G", "B", "looked")}
WHEN = {"p": {"source": ("model",)}, "spread": {"source": ("model",)}, "own": {"source": ("own",)}}
PRESETS = {
    "early": {"p": 0.1, "spread": 0.2},
    "late": {"p": 0.95, "spread": 0.2, "looked": 128},
    "large": {"G": 32},
    "own": {"source": "own"},
    "surprise": {"p": 0.5, "spread": 0.8},
}
PREDICT = Predict(("harder", "easier", "middle"), right="middle")

BINS = 25
EDGES = np.linspace(0, 1, BINS + 1)
MIDDLES = (EDGES[1:] + EDGES[:-1]) / 2
MOST_RATES, STEPS = 25, 20  # so many different rates stand for themselves; more are rounded to twentieths
ODDS = np.linspace(-16, 16, 641)
KINDS = ("kept", "wrong", "right")

FIGURES = {
    "prompts": Figure(
        (
            Line("bins", "p", "stream", "silent", "dashed", width=2.5, key="stream"),
            Line("bins", "p", "batch", "signal", width=3, key="batch"),
            Points("rates", "p", "stream", "silent", "square", size=8, tip=False),
            Points("rates", "p", "batch", "signal", size=9, tip=False),
            Rules("stream_mean", "silent", x="p"),
            Rules("batch_mean", "signal", x="p"),
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(0, form="percent"),
        height=300,
    ),
    "fate": Figure(
        (
            Bars("fate_kept", "count", "row", "signal", across=True, width=0.6),
            Bars("fate_rejected", "count", "row", "silent", across=True, width=0.6, hatch=True),
            Labels("fates", "count", "row", dx=8, bold=True),
        ),
        x=Axis(0, form="count", room=0.9),
        y=Axis(2.6, -0.6, shown=False),
        height=190,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The stream of prompts and the part of it that reaches the batch, exactly; one seeded refill beside it."""
    size, wanted, own = controls["G"], controls["B"], controls["source"] == "own"
    p, weight = _prompts(controls["own"]) if own else _stream(controls["p"], controls["spread"])
    signal = informative_probability(p, np.array([size]))
    share = float(weight @ signal)
    right, wrong = float(weight @ p**size), float(weight @ (1 - p) ** size)
    # Where no group is ever mixed there is no batch, and nothing to take a mean of.
    batch = weight * signal / share if share > 0 else np.zeros(p.shape)
    bins = _by_rate(p, weight, batch) if own else _by_bin(p, weight, batch)
    looked, fates = _refill(p, weight, size, wanted, controls["looked"], np.random.default_rng(controls["seed"]))
    counts = np.array([fates[kind] for kind in KINDS], dtype=np.float64)
    values = {
        "share": share,
        "right": right,
        "wrong": wrong,
        "prompts": wanted / share if share > 0 else np.inf,
        "responses": wanted * size / share if share > 0 else np.inf,
        "wasted": 1 - share,
        "stream_mean": float(weight @ p),
        "batch_mean": float(batch @ p) if share > 0 else np.nan,
        "extreme_stream": float(weight[(p < 0.1) | (p > 0.9)].sum()),
        "extreme_batch": float(batch[(p < 0.1) | (p > 0.9)].sum()),
        "asked": float(looked),
        "kept": float(fates["kept"]),
        "count": float(p.size) if own else np.nan,
        "mixed": float(np.sum((p > 0) & (p < 1))) if own else np.nan,
    }
    kept = np.array([True, False, False])
    rows = np.arange(3.0)
    return Frame(
        sources={
            "bins": bins,
            "rates": {name: column if own else column[:0] for name, column in bins.items()},
            "stream_mean": {"p": [values["stream_mean"]]},
            "batch_mean": {"p": [values["batch_mean"]] if share > 0 else []},
            "fate_kept": {"row": rows[kept], "count": counts[kept]},
            "fate_rejected": {"row": rows[~kept], "count": counts[~kept]},
            "fates": {"row": rows, "count": counts, "kind": list(KINDS)},
        },
        values=values,
        table="bins",
        case=_case(controls, share, fates["kept"]),
    )


def _case(controls: Mapping[str, Any], share: float, kept: int) -> str:
    if share == 0:
        return "never"
    if kept < controls["B"]:
        return "short"
    return "own" if controls["source"] == "own" else "full"


def _prompts(own: Sequence[tuple[float]]) -> tuple[Array, Array]:
    """The learner's own prompts, each as likely as any other to come next."""
    p = np.asarray(own, dtype=np.float64).ravel()
    return p, np.full(p.size, 1 / p.size)


def _by_bin(p: Array, weight: Array, batch: Array) -> dict[str, Array]:
    stream_bins, batch_bins = (np.histogram(p, EDGES, weights=mass)[0] for mass in (weight, batch))
    return {"p": MIDDLES, "stream": stream_bins, "batch": batch_bins}


def _by_rate(p: Array, weight: Array, batch: Array) -> dict[str, Array]:
    """Shares at every rate that occurs; where there are very many, at the nearest of the twentieths."""
    rate, place = np.unique(p, return_inverse=True)
    if rate.size > MOST_RATES:
        rate, place = np.unique(np.rint(p * STEPS) / STEPS, return_inverse=True)
    stream_share, batch_share = (np.bincount(place, mass).astype(np.float64) for mass in (weight, batch))
    return {"p": rate, "stream": stream_share, "batch": batch_share}


def _stream(mean: float, spread: float) -> tuple[Array, Array]:
    """A Beta law of success probabilities as points with weights; `spread`: the correlation of two responses."""
    strength = 1 / spread - 1
    alpha, beta = mean * strength, (1 - mean) * strength
    # In log-odds the density is p^alpha (1 - p)^beta, smooth even where the one in p is infinite at an end; what lies
    # beyond the grid falls off exponentially and is put on the end points.
    log_p, log_q = -np.logaddexp(0, -ODDS), -np.logaddexp(0, ODDS)
    log_weight = alpha * log_p + beta * log_q
    log_weight[0] = np.logaddexp(log_weight[0], log_weight[0] - np.log(alpha * (ODDS[1] - ODDS[0])))
    log_weight[-1] = np.logaddexp(log_weight[-1], log_weight[-1] - np.log(beta * (ODDS[1] - ODDS[0])))
    weight = np.exp(log_weight - log_weight.max())
    return np.exp(log_p), weight / weight.sum()


def _refill(
    p: Array, weight: Array, size: int, wanted: int, limit: int, rng: np.random.Generator
) -> tuple[int, dict[str, int]]:
    """Asks prompts one after another until `wanted` groups are informative or `limit` prompts have been asked."""
    hits = rng.binomial(size, rng.choice(p, size=limit, p=weight))
    kept = np.cumsum((hits > 0) & (hits < size))
    looked = int(np.searchsorted(kept, wanted) + 1) if kept[-1] >= wanted else limit
    seen = hits[:looked]
    return looked, {
        "kept": int(kept[looked - 1]),
        "wrong": int(np.sum(seen == 0)),
        "right": int(np.sum(seen == size)),
    }
