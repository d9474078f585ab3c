"""When does a group give a signal? The informative share of groups, in formula and in simulation (curriculum 1.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number
from pycore.domain import Array
from pycore.groups import (
    Share,
    informative_probability,
    mixture_informative_probability,
    simulated_informative_share,
)
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points, Rules, Whiskers
from web.labs.frame import Frame, beside

ORDER = 15
CONTROLS = (
    Number("p", 0.1, low=0, high=1, step=0.01, symbol="p", role="signal"),
    Number("G", 8, low=2, high=64, step=1, integer=True, symbol="G"),
    Number("B", 64, low=1, high=1024, step=1, integer=True, symbol="B"),
    Number("spread", 0, low=0, high=0.9, step=0.05),
    Number("correlation", 0, low=0, high=0.9, step=0.05),
    Number("groups", 300, low=50, high=2000, step=50, integer=True),
    SEED,
)
GROUPS = {"stream": ("spread", "correlation"), "simulation": ("groups", "seed")}
PRESETS = {
    "solved": {"p": 0.9, "G": 8},
    "larger": {"p": 0.9, "G": 16},
    "rare": {"p": 0.02, "G": 8},
    "surprise": {"p": 0.5, "spread": 0.6},
}
PREDICT = Predict(("third", "half", "tenth"), right="half", state={"p": 0.9})

GRID = np.linspace(0, 1, 101)
PROBES = np.linspace(0.05, 0.95, 10)
SIZES = np.array([2, 4, 8, 16, 32, 64])

FIGURES = {
    "curve": Figure(
        (
            Line("alike", "p", "informative", "silent", dash="dashed", width=1.5, key="alike", tip=False),
            Line("curve", "p", "informative", "signal", key="line"),
            Whiskers("simulated", "p", "low", "high", "ink"),
            Points("simulated", "p", "informative", "ink", size=5, key="points"),
            Rules("here", "signal", x="p"),
            Points("here", "p", "informative", "signal", here=True, tip=False),
            Labels("here", "p", "informative", "signal", bold=True, align="align", dx="dx", dy="dy"),
        ),
        x=Axis(0, 1),
        y=Axis(0, 1.08, form="percent"),
        height=330,
    ),
    "sizes": Figure(
        (
            Bars("sizes", "length", "row", "signal", width=0.6, across=True, tip=False),
            Labels("sizes", "length", "row", dx=6),
        ),
        x=Axis(low=0, form="count", room=0.35),
        y=Axis(len(SIZES) - 0.5, -0.5, ticks=dict(enumerate(map(str, SIZES.tolist())))),
        height=230,
    ),
}


def share(p: Array, size: Array, spread: float, correlation: float) -> Array:
    """Informative share of a stream of prompts with mean success `p`, shapes (n,) or (1,).

    `spread` says how far prompts differ: the correlation that the mixture alone gives two responses to one prompt.
    """
    if spread == 0:
        return informative_probability(p, size, correlation)
    p, size = np.broadcast_arrays(p, size)
    inner = (p > 0) & (p < 1)  # at 0 and 1 all prompts are alike, whatever the spread
    alpha, beta = _beta(p[inner], spread)
    result = np.zeros(p.shape)
    result[inner] = mixture_informative_probability(alpha, beta, size[inner], correlation)
    return result


def simulate(p: float, size: int, spread: float, correlation: float, groups: int, rng: np.random.Generator) -> Share:
    """Really draws `groups` prompts and one group of responses to each."""
    prompts = rng.beta(*_beta(p, spread), groups) if spread > 0 and 0 < p < 1 else np.full(groups, p)
    return simulated_informative_share(prompts, size, rng, correlation)


def _beta(p: Any, spread: float) -> tuple[Any, Any]:
    strength = 1 / spread - 1
    return p * strength, (1 - p) * strength


def compute(controls: Mapping[str, Any]) -> Frame:
    """The curve over p, the simulated groups beside it, and what a batch costs at each group size."""
    p, size, wanted, groups = (controls[name] for name in ("p", "G", "B", "groups"))
    spread, correlation = controls["spread"], controls["correlation"]
    rng = np.random.default_rng(controls["seed"])
    here = np.array([p])
    informative = share(here, np.array([size]), spread, correlation)[0]
    alike = float(informative_probability(p, size))
    counted = simulate(p, size, spread, correlation, groups, rng)
    probes = [simulate(probe, size, spread, correlation, groups, rng) for probe in PROBES]
    height = np.array([probe.value for probe in probes])
    error = 2 * np.array([probe.standard_error for probe in probes])
    by_size = share(here, SIZES, spread, correlation)
    with np.errstate(divide="ignore"):
        prompts, needed = wanted / by_size, wanted / informative
    return Frame(
        sources={
            "curve": {"p": GRID, "informative": share(GRID, np.array([size]), spread, correlation)},
            "alike": {"p": GRID, "informative": informative_probability(GRID, size)},
            "simulated": {
                "p": PROBES,
                "informative": height,
                "low": np.maximum(height - error, 0),
                "high": np.minimum(height + error, 1),
            },
            "here": {"p": here, "informative": [informative], **beside(p, 0.7, rising=p < 0.5)},
            "sizes": {
                "row": np.arange(len(SIZES)),
                "length": np.where(by_size > 0, prompts, 0),
                "prompts": prompts,
                "responses": prompts * SIZES,
            },
        },
        values={
            "informative": informative,
            "empty": 1 - informative,
            "alike": alike,
            "prompts": needed,
            "responses": needed * size,
            "counted": counted.value,
            "error": 2 * counted.standard_error,
        },
        table={
            "G": SIZES,
            "informative": by_size,
            "empty": 1 - by_size,
            "prompts": prompts,
            "responses": prompts * SIZES,
        },
        case="never" if informative == 0 else "alike" if spread == correlation == 0 else "mixture",
    )
