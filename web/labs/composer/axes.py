"""The axes of a Protocol as controls, and the protocol that a set of them means."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from pycore.control import Choice, Control, Number, Switch
from pycore.domain import DomainError
from pycore.presets import LIBRARIES, PAPERS
from pycore.protocol import OPTIONS, PRESETS, Protocol

STARTS = (*PAPERS, *LIBRARIES)
CAP = 3.0
# low, high, step, integer, logarithmic
RANGES: dict[str, tuple[float, float, float, bool, bool]] = {
    "ddof": (0, 1, 1, True, False),
    "eps": (1e-9, 1, 1e-9, False, True),
    "clip_low": (0, 1, 0.01, False, False),
    "clip_high": (0, 2, 0.01, False, False),
    "clip_cap": (1.05, 10, 0.05, False, False),
    "weight_floor": (0, 1, 0.05, False, False),
    "weight_ceiling": (0.1, 10, 0.1, False, False),
    "tau_positive": (0.1, 5, 0.05, False, False),
    "tau_negative": (0.1, 5, 0.05, False, False),
    "max_tokens": (1, 32768, 1, True, True),
    "kl_coefficient": (0, 1, 0.005, False, False),
    "entropy_coefficient": (0, 0.1, 0.001, False, False),
    "overlong_cache": (0, 8192, 64, True, False),
    "iterations": (1, 64, 1, True, False),
}
BANDED = ("symmetric", "asymmetric", "dual", "delta", "geometric")
STDS = ("group_std", "batch_std", "batch_token_std")
# An axis that has no effect elsewhere stands at its default there.
WHEN: dict[str, dict[str, tuple[Any, ...]]] = {
    "ddof": {"scale": STDS},
    "eps": {"scale": (*STDS, "mean")},
    "clip_low": {"clip": BANDED},
    "clip_high": {"clip": BANDED[1:]},
    "clip_cap": {"clip": ("dual", "delta")},
    "weight_floor": {"clip": ("weight",)},
    "weight_ceiling": {"clip": ("weight",)},
    "tau_positive": {"clip": ("soft",)},
    "tau_negative": {"clip": ("soft",)},
}
GROUPS = {
    "advantage": ("baseline", "scale", "ddof", "eps", "singleton"),
    "policy": (
        "ratio",
        "clip",
        *(name for name in RANGES if name.startswith(("clip_", "weight_", "tau_"))),
    ),
    "mean": ("aggregation", "accumulation", "max_tokens", "count_empty"),
    "kl": ("kl", "kl_coefficient", "kl_placement", "kl_ratio", "kl_gradient"),
    "entropy": ("entropy_coefficient", "entropy_aggregation"),
    "rollout": ("truncation", "overlong_cache", "iterations", "dynamic_sampling"),
}
# What an axis becomes where others exclude its value.
MENDED: dict[str, Any] = {
    "clip": "none",
    "scale": "none",
    "kl_ratio": False,
    "kl_gradient": "own",
    "overlong_cache": 0,
    "dynamic_sampling": False,
    "weight_floor": 0.0,
}
KINDS = {field.name: field for field in fields(Protocol)}


def control(axis: str) -> Control:
    """The control of one axis."""
    default: Any = CAP if axis == "clip_cap" else KINDS[axis].default
    if axis in OPTIONS:
        return Choice(axis, OPTIONS[axis], default)
    if axis in RANGES:
        low, high, step, integer, logarithmic = RANGES[axis]
        return Number(axis, default, low, high, step, integer=integer, logarithmic=logarithmic)
    return Switch(axis, default)


def state(name: str) -> dict[str, Any]:
    """A published protocol as control values that differ from the defaults."""
    values = asdict(PRESETS[name])
    if values["clip_cap"] is None:
        values["clip_cap"] = CAP
    return {axis: value for axis, value in values.items() if value != control(axis).default}


def protocol(controls: Mapping[str, Any]) -> tuple[Protocol, dict[str, Any]]:
    """The protocol that the controls mean, and the values that other axes exclude, by axis."""
    axes: dict[str, Any] = {
        axis: controls[axis]
        if all(controls[other] in values for other, values in WHEN.get(axis, {}).items())
        else KINDS[axis].default
        for axis in KINDS
    }
    if axes["clip"] == "symmetric":
        axes["clip_high"] = axes["clip_low"]
    excluded: dict[str, Any] = {}
    while True:
        try:
            return Protocol(**axes), excluded
        except DomainError as error:
            axis = error.argument
            excluded.setdefault(axis, axes[axis])
            if axis == "ratio":
                axes[axis] = "sequence_mean" if axes["clip"] == "geometric" else "token"
            elif axis == "clip_cap":
                axes[axis] = 2 + axes["clip_high"]
            else:
                axes[axis] = MENDED[axis]
            if axes["clip"] == "none":
                axes |= {name: KINDS[name].default for name in WHEN if name.startswith(("clip_", "weight_", "tau_"))}
