"""The recorded runs, for the texts of the course: what the dashboard shows is what a sentence says."""

import functools
import json
from pathlib import Path
from typing import Any

from pycore import journal
from pycore.train import Record

TOP = Path(__file__).resolve().parents[2] / "recorded"


def median(profile: str, split: str, metric: str, when: str = "after") -> float:
    """Median over the seeds of one metric in a recorded profile.

    Args:
        profile: `healthy` or `collapse`.
        split: `train` or `held_out`.
        metric: a metric of evaluations, such as "accuracy".
        when: `before` or `after` training.

    Raises:
        StopIteration: no such row in the record.
    """
    row = next(row for row in _read(profile)["table"] if (row["split"], row["metric"]) == (split, metric))
    return float(row[when]["median"])


def sweep(metric: str, **point: float) -> float:
    """Median of a metric after training at one point of the recorded sweep; the metric as "held_out accuracy".

    Raises:
        StopIteration: no such point in the sweep.
    """
    cell = next(cell for cell in _read("transfer")["map"] if cell["point"] == point)
    return float(cell["after"][metric]["median"])


def run(name: str, split: str, metric: str, when: str = "after") -> float:
    """A metric of one recorded run, from its first or its last evaluation.

    Args:
        name: file of the journal, without its ending.
        split: `train` or `held_out`.
        metric: a metric of evaluations, such as "accuracy".
        when: `before` or `after` training.

    Raises:
        IndexError: no evaluation of that split.
    """
    found = [record for record in _journal(name) if (record.kind, record.split) == ("evaluation", split)]
    return float(found[{"before": 0, "after": -1}[when]].metrics[metric])


def share_of_empty_groups(name: str, last: int) -> float:
    """Share of groups without a signal in the last updates of one recorded run."""
    updates = [record.metrics["informative"] for record in _journal(name) if record.kind == "update"]
    return 1 - sum(updates[-last:]) / last


def wording(name: str, metric: str) -> float:
    """What a wording of the one example gives before any training; the metric as "accuracy" or "greedy".

    Raises:
        StopIteration: no such wording in the record.
    """
    row = next(row for row in _read("smollm2_wordings")["rows"] if row["wording"] == name)
    return float(row[metric])


@functools.cache
def _journal(name: str) -> tuple[Record, ...]:
    return tuple(journal.read((TOP / f"{name}.jsonl").read_text("utf-8")).records)


@functools.cache
def _read(name: str) -> Any:
    return json.loads((TOP / f"{name}.json").read_text("utf-8"))
