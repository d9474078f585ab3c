"""What became of runs: the before/after table, whether a profile kept its promises, medians and ranges over seeds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycore.domain import DomainError, option
from pycore.train.recipe import SPLITS
from pycore.train.record import Record

COMPARED = ("accuracy", "reward", "length", "entropy", "kl", "pass_4")


@dataclass(frozen=True)
class Change:
    """One row of the before/after table.

    Attributes:
        metric: its name.
        split: "train" or "held_out".
        before: at the first evaluation.
        after: at the last one.
    """

    metric: str
    split: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before


def before_after(records: Iterable[Record], metrics: Sequence[str] = COMPARED) -> list[Change]:
    """First against last evaluation of each split.

    Args:
        records: of one run.
        metrics: which ones, in this order; those never measured are left out.

    Returns:
        Changes by metric, then split; empty without two evaluations.

    >>> looks = [Record("evaluation", at, "train", {"accuracy": value}) for at, value in ((0, 0.25), (9, 0.75))]
    >>> before_after(looks)[0].difference
    0.5

    Source: curriculum 5.4, the table of the practicum.
    """
    looks: dict[str, list[Record]] = {split: [] for split in SPLITS}
    for record in records:
        if record.kind == "evaluation":
            looks[record.split].append(record)
    return [
        Change(metric, split, looks[split][0].metrics[metric], looks[split][-1].metrics[metric])
        for metric in metrics
        for split in SPLITS
        if len(looks[split]) > 1 and all(metric in looks[split][at].metrics for at in (0, -1))
    ]


@dataclass(frozen=True)
class Promise:
    """What a profile claims of one metric: its change lies above or below a bound.

    Attributes:
        split: "train" or "held_out".
        metric: its name.
        above: the change must be at least this, or None.
        below: the change must be at most this, or None.
    """

    split: str
    metric: str
    above: float | None = None
    below: float | None = None

    def kept(self, difference: float) -> bool:
        """Whether a change keeps it."""
        return difference >= self.above if self.above is not None else difference <= (self.below or 0.0)


# The smallest change that counts as one: any is a rise, but zero is none.
_ANY = 1e-12
PROMISES: dict[str, tuple[Promise, ...]] = {
    "healthy": (
        Promise("train", "accuracy", above=0.25),
        Promise("held_out", "accuracy", above=0.15),
        Promise("held_out", "pass_4", above=_ANY),
    ),
    "collapse": (
        Promise("train", "accuracy", above=0.08),
        Promise("train", "pass_4", below=-_ANY),
        Promise("train", "entropy", below=-_ANY),
        Promise("held_out", "pass_4", below=-_ANY),
        Promise("held_out", "entropy", below=-_ANY),
        Promise("held_out", "accuracy", below=0.0),
    ),
}


def kept(profile: str, changes: Iterable[Change]) -> dict[str, bool]:
    """Which promises of a profile a run kept, by "split metric".

    Raises:
        DomainError: an unknown profile, or a promise about something that was not measured.
    """
    found = {(change.split, change.metric): change.difference for change in changes}
    answer = {}
    for promise in PROMISES[str(option("profile", profile, PROMISES))]:
        key = promise.split, promise.metric
        if key not in found:
            raise DomainError("changes", sorted(found), f"a change of {promise.split} {promise.metric}")
        answer[" ".join(key)] = promise.kept(found[key])
    return answer


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and range of one number over seeds.

    >>> spread([0.3, 0.1, 0.2])
    {'median': 0.2, 'low': 0.1, 'high': 0.3}
    """
    if not values:
        raise DomainError("values", [], "at least one number")
    return {"median": float(np.median(values)), "low": float(np.min(values)), "high": float(np.max(values))}


def summary(runs: Sequence[Sequence[Change]]) -> list[dict[str, Any]]:
    """The before/after table of several seeds: median and range of before, after and difference."""
    keys = [(change.metric, change.split) for change in runs[0]] if runs else []
    table = []
    for metric, split in keys:
        rows = [change for run in runs for change in run if (change.metric, change.split) == (metric, split)]
        table.append(
            {
                "metric": metric,
                "split": split,
                **{part: spread([getattr(row, part) for row in rows]) for part in ("before", "after", "difference")},
            }
        )
    return table
