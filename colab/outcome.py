"""What became of a run: before and after on the same held-out prompts, intervals over prompts, the best answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycore.interval import bootstrap_mean
from pycore.train import Record

PAIRED = {"accuracy": "accuracy_by_prompt", "greedy": "greedy_by_prompt"}


@dataclass(frozen=True)
class Paired:
    """A measure before and after on the same prompts.

    Attributes:
        name: `accuracy` of sampled answers, or `greedy`.
        before: mean over prompts.
        after: the same prompts after training.
        low: lower bound of the difference, by the bootstrap over prompts.
        high: upper bound.
        prompts: how many there are.
    """

    name: str
    before: float
    after: float
    low: float
    high: float
    prompts: int


def looks(records: Iterable[Record], split: str = "held_out") -> list[Record]:
    """The evaluations of a split, in order."""
    return [record for record in records if record.kind == "evaluation" and record.split == split]


def paired(records: Iterable[Record], split: str = "held_out") -> list[Paired]:
    """First against last evaluation, prompt by prompt.

    The interval speaks of other prompts of the same kind, not of other training runs: those are other seeds.

    >>> shares = ((0, {"accuracy_by_prompt": [0.25] * 4}), (9, {"accuracy_by_prompt": [0.75] * 4}))
    >>> found = paired(Record("evaluation", at, "held_out", series=series) for at, series in shares)[0]
    >>> found.before, found.after, found.low
    (0.25, 0.75, 0.5)
    """
    seen = looks(records, split)
    table = []
    for name, series in PAIRED.items():
        measured = [np.array(record.series[series]) for record in seen if series in record.series]
        if len(measured) < 2:
            continue
        change = bootstrap_mean(measured[-1] - measured[0], np.random.default_rng(0))
        before, after = float(measured[0].mean()), float(measured[-1].mean())
        table.append(Paired(name, before, after, float(change.low), float(change.high), len(measured[0])))
    return table


def best_answers(records: Iterable[Record], most: int = 20) -> list[dict[str, Any]]:
    """The answers with the highest reward in all samples of a run, the latest first among equals."""
    found = [
        {**answer, "update": record.update}
        for record in records
        if record.kind == "samples"
        for answer in record.detail.get("best", [])
    ]
    return sorted(found, key=lambda answer: (-answer["reward"], -answer["update"]))[:most]
