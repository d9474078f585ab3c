"""Extraction or new strategies: pass@k of a base and a tuned model over the same prompts (curriculum 4.4)."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pycore.argument import Index
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.pass_at_k import expected_pass_at_k, pass_at_k
from pycore.rows import Column, Rows
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Band, Figure, Labels, Line, Points
from web.labs.frame import Frame

ORDER = 44
CONTROLS = (
    Choice("source", ("model", "own"), "model"),
    Number("sharpen", 3, low=1, high=6, step=0.1, symbol="s", role="current"),
    Number("boost", 1.2, low=-1, high=3, step=0.1, symbol="b"),
    Number("fresh", 0, low=0, high=0.5, step=0.05),
    Number("p", 0.25, low=0.05, high=0.9, step=0.01, symbol="p", role="reference"),
    Number("spread", 0.35, low=0.05, high=0.8, step=0.05),
    Number("prompts", 100, low=10, high=300, step=10, integer=True),
    Number("n", 64, low=2, high=256, step=2, integer=True, symbol="n"),
    Rows(
        "own",
        (Column("base", 0, 256, integer=True), Column("tuned", 0, 256, integer=True)),
        default=(
            *((3, 20), (0, 0), (1, 0), (10, 44), (25, 60), (0, 1)),
            *((2, 0), (40, 64), (5, 12), (1, 0), (18, 55), (0, 0)),
        ),
        fewest=2,
        most=300,
    ),
    SEED,
)
GROUPS = {"tuning": ("sharpen", "boost", "fresh"), "base": ("p", "spread"), "sample": ("prompts", "n")}
WHEN = {
    **{name: {"source": ("model",)} for name in ("sharpen", "boost", "fresh", "p", "spread", "prompts", "seed")},
    "own": {"source": ("own",)},
}
PRESETS = {
    "new": {"fresh": 0.3},
    "small": {"prompts": 10, "n": 16},
    "lift": {"sharpen": 1, "boost": 1.5},
    "own": {"source": "own"},
    "surprise": {"sharpen": 6, "boost": 1.8},
}
PREDICT = Predict(("tuned", "base", "same"), right="base")

SIDES = ("base", "tuned")
ROLES = {"base": "reference", "tuned": "current"}
DASHES = {"base": "dashed", "tuned": "solid"}
MARKERS = {"base": "square", "tuned": "circle"}
FRESH_RATE = 0.2  # of prompts that the base cannot solve and tuning has taught
KS = 2 ** np.arange(9)
EDGES = np.linspace(0, 1, 11)

FIGURES = {
    "curves": Figure(
        (
            *(Band(f"curve_{side}", "k", "low", "high", ROLES[side]) for side in SIDES),
            *(Line(f"curve_{side}", "k", "estimate", ROLES[side], DASHES[side], key=side) for side in SIDES),
            *(
                Points(f"curve_{side}", "k", "estimate", ROLES[side], MARKERS[side], size=7, tip=False)
                for side in SIDES
            ),
            *(
                Labels(f"ends_{side}", "k", "estimate", ROLES[side], bold=True, align="align", dx="dx", dy="dy")
                for side in SIDES
            ),
        ),
        x=Axis(0.85, 300, log=True, form="count"),
        y=Axis(0, 1.05, form="percent"),
        height=340,
    ),
    "rates": Figure(
        tuple(
            mark
            for side in SIDES
            for mark in (
                Line("rates", "rate", side, ROLES[side], DASHES[side], width=2, key=side),
                Points("rates", "rate", side, ROLES[side], MARKERS[side], size=8, tip=False),
            )
        ),
        x=Axis(0, 1, form="percent"),
        y=Axis(0, form="percent"),
        height=240,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Both curves, estimated without bias from counts of right answers; the exact values where the rates are known."""
    drawn = _own(controls) if controls["source"] == "own" else _drawn(controls)
    ks = KS[drawn.samples >= KS]
    sources: dict[str, Any] = {}
    table: dict[str, Any] = {"k": ks}
    values: dict[str, float] = {"top": float(ks[-1]), "n": float(drawn.samples)}
    for side in SIDES:
        correct = drawn.correct[side]
        each = _estimates(drawn.samples)[correct, : ks.size]
        mean, error = each.mean(axis=0), 2 * each.std(axis=0, ddof=1) / np.sqrt(correct.size)
        exact = np.full(ks.shape, np.nan)
        if drawn.known:
            exact = expected_pass_at_k(*np.meshgrid(drawn.rate[side], ks, indexing="ij")).mean(axis=0)
        sources[f"curve_{side}"] = {
            "k": ks,
            "estimate": mean,
            "low": np.maximum(mean - error, 0),
            "high": np.minimum(mean + error, 1),
        }
        up = side == "tuned"
        sources[f"ends_{side}"] = {
            "k": ks[[0, -1]],
            "estimate": mean[[0, -1]],
            "align": ["left", "right"],
            "dx": [8.0, -8.0],
            "dy": [-12.0 if up else 14.0, 14.0 if up else -12.0],
        }
        table |= {side: mean, f"{side}_error": error, f"{side}_exact": exact}
        values |= {f"{side}_one": float(mean[0]), f"{side}_top": float(mean[-1])}
        values[f"{side}_support"] = float(np.mean(correct > 0))
    share = {side: np.histogram(rate, EDGES)[0] / rate.size for side, rate in drawn.rate.items()}
    sources["rates"] = {"rate": (EDGES[1:] + EDGES[:-1]) / 2, **share}
    kind = "_exact" if drawn.known else ""
    lead = table[f"tuned{kind}"] - table[f"base{kind}"]
    behind = np.flatnonzero(lead < 0)
    for end in ("one", "top"):
        values[f"gain_{end}"] = values[f"tuned_{end}"] - values[f"base_{end}"]
    values["cross"] = float(ks[behind[0]]) if behind.size else float("nan")
    return Frame(sources, values, table, case=_case(lead))


class _Counts(NamedTuple):
    """Right answers of each side to every prompt, out of `samples`; whether `rate` is the true one or what was seen."""

    samples: int
    correct: dict[str, Index]
    rate: dict[str, Array]
    known: bool


def _drawn(controls: Mapping[str, Any]) -> _Counts:
    """Draws prompts and then samples."""
    rng = np.random.default_rng(controls["seed"])
    strength = 1 / controls["spread"] - 1
    base = rng.beta(controls["p"] * strength, (1 - controls["p"]) * strength, controls["prompts"])
    rate = {"base": base, "tuned": _tuned(base, controls["sharpen"], controls["boost"], controls["fresh"])}
    correct = {side: rng.binomial(controls["n"], rate[side]) for side in SIDES}
    return _Counts(controls["n"], correct, rate, known=True)


def _own(controls: Mapping[str, Any]) -> _Counts:
    """The learner's own counts; nobody was right more often than was asked."""
    base, tuned = np.asarray(controls["own"], dtype=int).T
    samples = max(controls["n"], int(base.max()), int(tuned.max()))
    correct = {"base": base, "tuned": tuned}
    return _Counts(samples, correct, {side: count / samples for side, count in correct.items()}, known=False)


@cache
def _estimates(samples: int) -> Array:
    """The unbiased estimate of pass@k for every count of right answers (rows) and every k."""
    counts = np.arange(samples + 1)
    columns = [pass_at_k(np.full(counts.shape, samples), counts, int(k)) for k in KS[samples >= KS]]
    return np.stack(columns, axis=-1)


def _tuned(base: Array, sharpen: float, boost: float, fresh: float) -> Array:
    """Success rates after tuning: log-odds shifted and stretched; the least solved prompts may be learnt anew."""
    inside = np.clip(base, 1e-9, 1 - 1e-9)
    odds = sharpen * (np.log(inside) - np.log1p(-inside) + boost)
    tuned = np.exp(-np.logaddexp(0, -odds))
    hardest = np.argsort(base, kind="stable")[: round(fresh * base.size)]
    tuned[hardest] = np.maximum(tuned[hardest], FRESH_RATE)
    return np.asarray(tuned)


def _case(lead: Array) -> str:
    if lead[0] > 0 and lead[-1] < 0:
        return "cross"
    return "ahead" if lead.min() >= 0 else "behind" if lead.max() <= 0 else "mixed"
