"""The recorded runs, for the texts of the course: what the dashboard shows is what a sentence says."""

import functools
import json
from pathlib import Path
from typing import Any

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


@functools.cache
def _read(name: str) -> Any:
    return json.loads((TOP / f"{name}.json").read_text("utf-8"))
