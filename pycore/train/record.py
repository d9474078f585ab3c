"""What a run tells: one record after another, and the list of every metric with its axis, unit and bounds."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

AXES = ("data", "policy", "answers", "system")


class Metric(NamedTuple):
    """What a metric means to a reader of a journal.

    Attributes:
        axis: its group on the dashboard, one of `AXES`.
        unit: "share", "nat", "token", "count" or "".
        low: smallest possible value; None for no bound.
        high: largest possible value; None for no bound.
    """

    axis: str
    unit: str
    low: float | None = None
    high: float | None = None


def _share(axis: str) -> Metric:
    return Metric(axis, "share", 0, 1)


UPDATE_METRICS: dict[str, Metric] = {
    # data and checking
    "reward": Metric("data", ""),
    "accuracy": _share("data"),
    "consistent": _share("data"),
    "form": _share("data"),
    "informative": _share("data"),
    "unparsed": _share("data"),
    # policy and optimisation
    "loss": Metric("policy", ""),
    "entropy": Metric("policy", "nat", 0),
    "kl": Metric("policy", "nat", 0),
    "clipped_positive": _share("policy"),
    "clipped_negative": _share("policy"),
    "ratio_low": Metric("policy", "", 0),
    "ratio_high": Metric("policy", "", 0),
    "ratio_outside": _share("policy"),
    "effective_share": _share("policy"),
    "mismatch": Metric("policy", "", 0),
    "gradient_norm": Metric("policy", "", 0),
    "rollout_age": Metric("policy", "count", 0),
    "repeats": Metric("policy", "count", 0),
    # answers
    "length": Metric("answers", "token", 0),
    "length_median": Metric("answers", "token", 0),
    "length_tail": Metric("answers", "token", 0),
    "ended": _share("answers"),
    "truncated": _share("answers"),
    # system
    "sampled": Metric("system", "count", 0),
    "rejected": Metric("system", "count", 0),
    "tokens": Metric("system", "token", 0),
    "tokens_per_effective_prompt": Metric("system", "token", 0),
}
EVALUATION_METRICS: dict[str, Metric] = {
    **{
        name: UPDATE_METRICS[name]
        for name in ("reward", "accuracy", "consistent", "form", "informative", "unparsed", "entropy", "kl")
    },
    "pass_1": _share("answers"),
    "pass_4": _share("answers"),
    "pass_16": _share("answers"),
    "coverage": _share("answers"),
    "distinct": _share("answers"),
    **{name: UPDATE_METRICS[name] for name in ("length", "length_median", "length_tail", "ended", "truncated")},
    "prompts": Metric("system", "count", 0),
    "samples": Metric("system", "count", 0),
}
# Measured outside: the core has no clock.
TIMING_METRICS: dict[str, Metric] = {
    name: Metric("system", "second", 0) for name in ("warm_start", "generate", "update", "evaluate", "total")
} | {"peak_memory": Metric("system", "byte", 0)}


@dataclass(frozen=True)
class Progress:
    """The run is alive; not part of the journal.

    Attributes:
        stage: "warm_start", "generate", "update" or "evaluate": what has just been done.
        done: steps of that stage, or updates, so far.
        total: how many there will be, at most.
        value: accuracy during the warm start, else NaN.
    """

    stage: str
    done: int
    total: int
    value: float = float("nan")


@dataclass(frozen=True)
class Record:
    """One line of a journal.

    Attributes:
        kind: "update", "evaluation", "samples", "timing" or "end".
        update: optimiser rounds finished when it was written, >= 0.
        split: of an evaluation, else "".
        metrics: numbers by name; NaN where there was nothing to measure.
        series: lists of numbers by name: by position, by difficulty.
        detail: anything else, JSON values.
    """

    kind: str
    update: int
    split: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    series: dict[str, list[float]] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Checkpoint:
    """All that a run needs to go on exactly; not part of the journal.

    Attributes:
        update: rounds finished.
        data: bytes for `run(recipe, checkpoint=data)`.
    """

    update: int
    data: bytes = field(repr=False)
