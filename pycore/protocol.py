"""Protocol: one frozen record that says, axis by axis, how a group update is computed.

The name of an algorithm does not replace this record. `PRESETS` maps names to records, `Protocol.nearest` maps a record
back to the closest name and lists what differs.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np

from pycore import formula, presets
from pycore.advantages import BASELINES, SCALES, SINGLETONS
from pycore.aggregate import ACCUMULATIONS, AGGREGATIONS
from pycore.argument import scalar, whole
from pycore.domain import DomainError, option, within
from pycore.kl import ESTIMATORS
from pycore.nearest import Nearest, search
from pycore.truncation import CONTRACTS
from pycore.untrusted import read_json

RATIOS = ("token", "sequence_mean", "sequence_product", "none")
CLIPS = ("symmetric", "asymmetric", "dual", "delta", "weight", "soft", "geometric", "gamma", "none")
VERSION = 1

OPTIONS: dict[str, tuple[str, ...]] = {
    "baseline": (*BASELINES, "critic"),
    "scale": SCALES,
    "singleton": SINGLETONS,
    "ratio": RATIOS,
    "clip": CLIPS,
    "aggregation": AGGREGATIONS,
    "accumulation": ACCUMULATIONS,
    "kl": (*ESTIMATORS, "exact"),
    "kl_placement": ("loss", "reward"),
    "kl_gradient": ("own", "k2"),
    "entropy_aggregation": ("token_mean", "loss"),
    "truncation": CONTRACTS,
}
_BANDED = ("symmetric", "asymmetric", "dual", "delta", "geometric")


@dataclass(frozen=True)
class Protocol:
    """How a group update is computed. The default is GRPO without a KL term.

    Attributes:
        baseline: what is subtracted from a reward (`pycore.advantages`); `critic` expects advantages in the batch.
        scale: what the centred reward is divided by (`pycore.advantages`).
        ddof: 0 population, 1 sample std.
        eps: added to the divisor, >= 0.
        singleton: advantage of a group with one graded response.
        ratio: `token` pi/pi_old; `sequence_mean` its geometric mean over the response; `sequence_product` the ratio of
            whole responses; `none` no ratio: the surrogate is A log pi.
        clip: `symmetric`, `asymmetric`; `dual`/`delta` with a cap for A < 0; `weight` CISPO; `soft` SAPO; `geometric`
            GMPO; `gamma` VESPO (a constant weight from the product of the response's ratios); `none`.
        clip_low: lower range, the bound is 1 - clip_low (GMPO: exp(-clip_low)).
        clip_high: upper range, the bound is 1 + clip_high (GMPO: exp(clip_high)).
        clip_cap: ratio above which A < 0 stops paying; for `dual` and `delta` only.
        weight_floor: smallest CISPO weight; 0 is one-sided.
        weight_ceiling: largest CISPO weight, the bound itself.
        tau_positive: SAPO temperature for A > 0.
        tau_negative: SAPO temperature for A <= 0.
        aggregation: how token terms become a loss (`pycore.aggregate`).
        accumulation: how micro-batch losses are added (`pycore.aggregate`).
        max_tokens: the constant L of `constant`, and the length limit of the overlong penalty.
        count_empty: whether a response without active tokens counts in N.
        kl: estimator; `exact` expects per-token KL values in the batch.
        kl_coefficient: beta >= 0; 0 switches the term off.
        kl_placement: `loss`, or `reward`: beta times the response's summed KL of the old policy is subtracted.
        kl_ratio: multiply the estimator by the differentiable ratio.
        kl_gradient: `own`, or `k2`: the value of `kl` with the gradient of k2 (straight-through).
        entropy_coefficient: bonus per nat, >= 0.
        entropy_aggregation: mean over active tokens, or the loss's own weights.
        truncation: what a truncated response counts for (`pycore.truncation`).
        overlong_cache: width of DAPO's soft length penalty; 0 switches it off.
        iterations: updates per rollout.
        dynamic_sampling: flat groups are left out of the batch altogether.

    Raises:
        DomainError: a value outside its axis, or axes that exclude each other.

    >>> PRESETS["dr_grpo"].aggregation
    'constant'

    Source: curriculum 3.5.
    """

    baseline: str = "mean"
    scale: str = "group_std"
    ddof: int = 0
    eps: float = 1e-6
    singleton: str = "zero"
    ratio: str = "token"
    clip: str = "symmetric"
    clip_low: float = 0.2
    clip_high: float = 0.2
    clip_cap: float | None = None
    weight_floor: float = 0.0
    weight_ceiling: float = 5.0
    tau_positive: float = 1.0
    tau_negative: float = 1.05
    aggregation: str = "response_mean"
    accumulation: str = "mean"
    max_tokens: int = 1024
    count_empty: bool = True
    kl: str = "k3"
    kl_coefficient: float = 0.0
    kl_placement: str = "loss"
    kl_ratio: bool = False
    kl_gradient: str = "own"
    entropy_coefficient: float = 0.0
    entropy_aggregation: str = "token_mean"
    truncation: str = "keep"
    overlong_cache: int = 0
    iterations: int = 1
    dynamic_sampling: bool = False

    def __post_init__(self) -> None:
        for axis, allowed in OPTIONS.items():
            option(axis, getattr(self, axis), allowed)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is bool and not isinstance(value, bool):
                raise DomainError(field.name, value, "True or False")
            if field.type is not bool and isinstance(value, bool):
                raise DomainError(field.name, value, "a number, not a truth value")
            if field.type in (int, float):
                low, high = _RANGES[field.name]
                # A plain number of its own kind, so that equal protocols hash and print alike; -0.0 is no own kind.
                number = scalar(field.name, value, low, high) + 0.0
                if field.type is int:
                    number = whole(field.name, value, int(low), high)
                object.__setattr__(self, field.name, number)
        self._check_axes_together()

    def _check_axes_together(self) -> None:
        if self.clip in ("dual", "delta"):
            low = 1 + self.clip_high if self.clip == "delta" else 1.0
            within("clip_cap", np.nan if self.clip_cap is None else self.clip_cap, low, np.inf, open_low=True)
            object.__setattr__(self, "clip_cap", float(self.clip_cap or 0))
        elif self.clip_cap is not None:
            raise DomainError("clip_cap", self.clip_cap, "None unless clip is 'dual' or 'delta'")
        if self.clip == "symmetric" and self.clip_low != self.clip_high:
            raise DomainError("clip_high", self.clip_high, f"clip_low = {self.clip_low} when clip is 'symmetric'")
        if self.weight_floor > self.weight_ceiling:
            raise DomainError("weight_floor", self.weight_floor, f"at most weight_ceiling = {self.weight_ceiling}")
        for clip, ratio in (("weight", "token"), ("geometric", "sequence_mean"), ("gamma", "token")):
            if self.clip == clip and self.ratio != ratio:
                raise DomainError("ratio", self.ratio, f"'{ratio}' when clip is '{clip}'")
        if self.ratio == "none" and self.clip != "none":
            raise DomainError("clip", self.clip, "'none' when ratio is 'none': there is nothing to clip")
        if self.kl_ratio and (self.ratio == "none" or self.kl == "exact" or self.kl_gradient == "k2"):
            raise DomainError("kl_ratio", True, "False when ratio is 'none', kl is 'exact' or kl_gradient is 'k2'")
        if self.kl == "exact" and self.kl_gradient == "k2":
            raise DomainError("kl_gradient", "k2", "'own' when kl is 'exact'")
        if self.overlong_cache > self.max_tokens:
            raise DomainError("overlong_cache", self.overlong_cache, f"at most max_tokens = {self.max_tokens}")
        if self.dynamic_sampling and self.scale == "informative_share":
            raise DomainError("dynamic_sampling", True, "False with scale 'informative_share': both repay flat groups")
        if self.baseline == "critic" and self.scale != "none":
            raise DomainError("scale", self.scale, "'none' when the critic's advantages come with the batch")

    def canonical(self) -> "Protocol":
        """The same computation with every axis that has no effect set to its default.

        >>> Protocol(clip_low=0.2, weight_ceiling=9).canonical() == Protocol()
        True
        """
        idle: set[str] = set()
        if self.scale in ("none", "informative_share"):
            idle |= {"eps"} if self.singleton == "zero" or self.scale == "none" else set()
        if self.scale not in ("group_std", "batch_std", "batch_token_std"):
            idle.add("ddof")
        if self.clip not in _BANDED:
            idle |= {"clip_low", "clip_high"}
        if self.clip != "weight":
            idle |= {"weight_floor", "weight_ceiling"}
        if self.clip != "soft":
            idle |= {"tau_positive", "tau_negative"}
        if self.aggregation != "constant" and not self.overlong_cache:
            idle.add("max_tokens")
        if self.aggregation in ("token_mean", "token_sum"):
            idle.add("count_empty")
        if self.kl_coefficient == 0:
            idle |= {"kl", "kl_placement", "kl_ratio", "kl_gradient"}
        elif self.kl_placement == "reward":
            idle |= {"kl_ratio", "kl_gradient"}
        elif self.kl == "k2":
            idle.add("kl_gradient")
        if self.entropy_coefficient == 0 or self.aggregation == "token_mean":
            idle.add("entropy_aggregation")
        if self.baseline == "critic":
            idle |= {"singleton", "eps"}
        defaults: dict[str, Any] = {field.name: field.default for field in fields(self) if field.name in idle}
        return replace(self, **defaults)

    def nearest(self, names: tuple[str, ...] | None = None) -> Nearest:
        """Closest preset and what differs from it.

        Args:
            names: presets to consider; all when None. Papers win ties over libraries.

        Returns:
            Nearest, with the differences that change the computation.

        Raises:
            DomainError: an unknown preset name.

        >>> Protocol(scale="none").nearest().name
        'dr_grpo'
        """
        candidates = {name: _canonical(name) for name in (PRESETS if names is None else names)}
        return search(vars(self.canonical()), candidates)

    def formula(self, dialect: str = "latex") -> str:
        """The objective to be maximised, written out.

        Args:
            dialect: "latex".

        >>> "clip" in Protocol().formula("latex")
        True
        """
        option("dialect", dialect, ("latex",))
        return formula.latex(self)

    def to_dict(self) -> dict[str, Any]:
        """Every axis and the version as plain JSON values: what a passport embeds."""
        # JSON has no infinity.
        axes = {axis: "inf" if value == np.inf else value for axis, value in asdict(self).items()}
        return {"version": VERSION, **axes}

    def to_json(self) -> str:
        """Sorted JSON with a version field; `from_json` reads it back.

        >>> Protocol.from_json(Protocol(eps=0.5).to_json()).eps
        0.5
        """
        return json.dumps(self.to_dict(), sort_keys=True, allow_nan=False)

    def digest(self) -> str:
        """SHA-256 of the sorted JSON, as 64 hexadecimal digits: equal in every process, which `hash` is not.

        >>> Protocol(eps=0).digest() == Protocol(eps=0.0).digest()
        True
        """
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @classmethod
    def from_json(cls, text: str) -> "Protocol":
        """The protocol written by `to_json`; missing axes take their defaults.

        Raises:
            DomainError: text that is not a JSON object, another version, an unknown axis, a value outside its axis.
        """
        record = read_json("text", text, longest=20_000, deepest=2)
        if not isinstance(record, dict):
            raise DomainError("text", text, "a JSON object")
        option("version", record.pop("version", VERSION), (VERSION,))
        known = {field.name for field in fields(cls)}
        for axis in record:
            option("axis", axis, sorted(known))
        axes: dict[str, Any] = {axis: np.inf if value == "inf" else value for axis, value in record.items()}
        return cls(**axes)


_RANGES: dict[str, tuple[float, float]] = {
    "ddof": (0, 1),
    "eps": (0, 1e300),
    "clip_low": (0, 1),
    "clip_high": (0, np.inf),
    "weight_floor": (0, 1e300),
    "weight_ceiling": (0, np.inf),
    "tau_positive": (1e-300, 1e300),
    "tau_negative": (1e-300, 1e300),
    "max_tokens": (1, 2**53),
    "kl_coefficient": (0, 1e300),
    "entropy_coefficient": (0, 1e300),
    "overlong_cache": (0, 2**53),
    "iterations": (1, 2**53),
}

PRESETS: dict[str, Protocol] = {
    name: Protocol(**axes) for name, axes in {**presets.PAPERS, **presets.LIBRARIES}.items()
}
PRESETS.update({short: PRESETS[full] for short, full in presets.DEFAULTS.items()})


@cache
def _canonical(name: str) -> dict[str, Any]:
    """The axes of a preset that count, which never change."""
    return dict(vars(preset(name).canonical()))


def preset(name: str) -> Protocol:
    """The preset called `name`.

    Raises:
        DomainError: lists the known names.

    >>> preset("rloo").baseline
    'leave_one_out'
    """
    return PRESETS[str(option("preset", name, PRESETS))]
