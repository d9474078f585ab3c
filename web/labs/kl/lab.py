"""Three ways to estimate a KL divergence from one sampled token, as values and as losses (curriculum 2.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Number, Switch
from pycore.domain import Array
from pycore.kl import ESTIMATORS, categorical_kl, estimator_moments, gradient_bias, kl_estimate
from pycore.rows import Column, Rows
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame

ORDER = 23
CONTROLS = (
    Number("distance", 1, low=0, high=2, step=0.05, role="current"),
    Number("samples", 200, low=10, high=5000, step=10, integer=True, logarithmic=True, symbol="n"),
    Switch("ratio"),
    Rows(
        "tokens",
        (Column("policy", 0.001, 1000), Column("reference", 0.001, 1000)),
        default=((0.6, 0.3), (0.3, 0.4), (0.1, 0.3)),
        fewest=2,
        most=12,
    ),
    SEED,
)
PRESETS = {
    "close": {"distance": 0.2},
    "few": {"samples": 20},
    "two": {"tokens": ((0.9, 0.3), (0.1, 0.7))},
    "surprise": {"ratio": True},
}
PREDICT = Predict(("none", "forward", "other"), right="none")

RATIOS = np.geomspace(0.05, 20, 121)
ROLES = {"k1": "negative", "k2": "positive", "k3": "signal"}
DASHES = {"k1": "dashed", "k2": "dotdash", "k3": "solid"}
MARKERS = {"k1": "square", "k2": "diamond", "k3": "circle"}
PLACES = {"k1": 3.0, "k2": 2.0, "k3": 1.0}

FIGURES = {
    "value": Figure(
        (
            *(Line("curve", "ratio", name, ROLES[name], DASHES[name], key=name) for name in ESTIMATORS),
            *(Points("tokens", "ratio", name, ROLES[name], MARKERS[name], size=10, tip=False) for name in ("k1", "k3")),
            Labels("tokens", "ratio", "k3", bold=True, dx=8, dy=-10),
        ),
        x=Axis(0.05, 20, log=True),
        y=Axis(-3.2, 5.2),
        zero=True,
    ),
    "estimate": Figure(
        (
            Rules("exact", "ink", x="kl", key="exact"),
            *(
                mark
                for name in ESTIMATORS
                for mark in (
                    Line(f"spread_{name}", "x", "y", ROLES[name], DASHES[name], width=2),
                    Points(f"mean_{name}", "x", "y", ROLES[name], MARKERS[name], size=11),
                )
            ),
            Labels("names", "x", "y", dy=-16),
        ),
        x=Axis(room=0.25),
        y=Axis(0.4, 3.7, shown=False),
        height=230,
    ),
    "gradient": Figure(
        (
            *(
                Points(f"gradient_{name}", "token", "gradient", ROLES[name], MARKERS[name], size=10, key=name)
                for name in ESTIMATORS
            ),
            Line("gradient", "token", "forward", "ink", width=1.5, key="forward"),
            Line("gradient", "token", "reverse", "silent", "dotted", width=1.5, key="reverse"),
        ),
        x=Axis(room=0.2, ticks={float(i): str(i) for i in range(1, 13)}),
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Values of the estimators at every ratio, a sampled mean of each, and the gradient each one expects as a loss."""
    pi, reference = _policies(controls["tokens"], controls["distance"])
    log_pi, log_ref = np.log(pi), np.log(reference)
    exact, forward = categorical_kl(log_pi, log_ref)
    # d KL(ref || pi) / d logits of pi is pi - ref.
    reverse = pi - reference
    drawn = np.random.default_rng(controls["seed"]).choice(pi.size, size=controls["samples"], p=pi)
    token = np.arange(1, pi.size + 1)

    by_token = {name: kl_estimate(log_pi, log_ref, name).value for name in ESTIMATORS}
    # At pi = 1/2 every ratio up to 20 can be drawn as a pair of numbers; the value depends on the ratio alone.
    curve = {name: kl_estimate(np.zeros_like(RATIOS), np.log(RATIOS), name).value for name in ESTIMATORS}
    sources: dict[str, Any] = {
        "curve": {"ratio": RATIOS} | curve,
        "tokens": {"ratio": np.clip(reference / pi, 0.05, 20), "token": token}
        | {name: np.clip(value, -3.2, 5.2) for name, value in by_token.items()},
        "exact": {"kl": [exact]},
        "gradient": {"token": token, "forward": forward, "reverse": reverse},
        "names": {"x": [], "y": [], "estimator": []},
    }
    values: dict[str, float | str] = {"exact": float(exact)}
    table: dict[str, list[float | str]] = {
        name: [] for name in ("estimator", "mean", "spread", "negative", "sampled", "bias")
    }
    for name in ESTIMATORS:
        moments = estimator_moments(log_pi, log_ref, name)
        found = by_token[name][drawn]
        mean, error = float(found.mean()), 2 * float(found.std(ddof=1)) / np.sqrt(found.size)
        bias = gradient_bias(log_pi, log_ref, name, ratio=controls["ratio"])
        sources[f"mean_{name}"] = {"x": [mean], "y": [PLACES[name]], "error": [error]}
        sources[f"spread_{name}"] = {"x": [mean - error, mean + error], "y": [PLACES[name]] * 2}
        sources[f"gradient_{name}"] = {"token": token, "gradient": bias.expected}
        sources["names"]["x"].append(mean)
        sources["names"]["y"].append(PLACES[name])
        sources["names"]["estimator"].append(name)
        size = float(np.linalg.norm(bias.bias))
        row: tuple[float | str, ...] = (name, moments.mean, moments.deviation, moments.negative, mean, size)
        for key, value in zip(table, row, strict=True):
            table[key].append(value)
        values |= {f"{name}_mean": mean, f"{name}_error": error, f"{name}_spread": moments.deviation}
        values |= {f"{name}_negative": moments.negative, f"{name}_bias": size}
        values[f"{name}_first"] = float(by_token[name][0])
        values[f"{name}_size"] = float(np.linalg.norm(bias.expected))
    return Frame(sources, values, table, case="same" if exact < 1e-12 else "ratio" if controls["ratio"] else "plain")


def _policies(rows: Any, distance: float) -> tuple[Array, Array]:
    """The two distributions of the table; `distance`: 0 the reference, 1 the policy, beyond both more."""
    weights = np.asarray(rows, dtype=np.float64)
    policy, reference = (column / column.sum() for column in weights.T)
    logits = (1 - distance) * np.log(reference) + distance * np.log(policy)
    moved = np.exp(logits - logits.max())
    return moved / moved.sum(), reference
