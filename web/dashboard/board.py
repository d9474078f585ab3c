"""Journals as the dashboard shows them: a line for each run in every panel, the table of changes, the newest values."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pycore.journal import Journal
from pycore.train.outcome import Change, before_after
from pycore.train.record import AXES, EVALUATION_METRICS, TIMING_METRICS, UPDATE_METRICS, Record
from web.dashboard.panel import PANELS, Line, Panel, source
from web.labs.figure import SLOTS

# More points than pixels only cost time.
MOST_POINTS = 600
# An axis needs something to reach over: a line of no run, which nobody sees.
NONE = ("", (np.array([0.0, 1.0]), np.array([0.0, 0.0])))
COMPARED = (
    *(
        "accuracy",
        "pass_1",
        "pass_4",
        "pass_16",
        "reward",
        "form",
        "informative",
        "distinct",
        "entropy",
        "kl",
        "length",
    ),
)


@dataclass(frozen=True)
class Run:
    """One journal on the board.

    Attributes:
        title: how a reader calls it.
        journal: what was recorded.
        origin: "recorded", "live", "kept" or "file".
        key: by which the desk knows it; "" when it cannot be put away.
        cut: whether its last line was torn.
        memo: what has been made of the journal already; a run that goes on keys it by how far it has come.
    """

    title: str
    journal: Journal
    origin: str
    key: str = ""
    cut: bool = False
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def of(self, kind: str, split: str = "") -> list[Record]:
        """The journal's records of one kind; sorted out once."""
        sorted_out = self.memo.get("records")
        if sorted_out is None or sorted_out[0] != len(self.journal.records):
            found: dict[tuple[str, str], list[Record]] = {}
            for record in self.journal.records:
                found.setdefault((record.kind, record.split), []).append(record)
            sorted_out = self.memo["records"] = (len(self.journal.records), found)
        records: list[Record] = sorted_out[1].get((kind, split), [])
        return records

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` returns, made once for each key."""
        if key not in self.memo:
            self.memo[key] = make()
        return self.memo[key]


def sources(runs: Sequence[Run]) -> dict[str, dict[str, Any]]:
    """For each kind of line of each panel the runs' lines, and a letter at the end of the first kind."""
    found: dict[str, dict[str, Any]] = {}
    for panel in PANELS:
        for line in panel.lines:
            drawn = [points(run, panel, line) for run in runs]
            held = [(slot, one) for slot, one in zip(SLOTS, drawn, strict=False) if one is not None] or [NONE]
            found[source(panel, line)] = {
                "x": [one[0] for _, one in held],
                "y": [one[1] for _, one in held],
                "slot": [slot for slot, _ in held],
            }
        found[f"{panel.name}.end"] = _ends(found[source(panel, panel.lines[0])])
    return found


def _ends(lines: Mapping[str, Any]) -> dict[str, Any]:
    """The last point of each line with its letter."""
    runs = [(slot, x, y) for slot, x, y in zip(lines["slot"], lines["x"], lines["y"], strict=True) if slot]
    last = [np.flatnonzero(np.isfinite(y))[-1] for _, _, y in runs]
    slots = [slot for slot, _, _ in runs]
    return {
        "x": np.array([x[at] for (_, x, _), at in zip(runs, last, strict=True)]),
        "y": np.array([y[at] for (_, _, y), at in zip(runs, last, strict=True)]),
        "slot": slots,
        "text": slots,
    }


Points = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def points(run: Run, panel: Panel, line: Line) -> Points | None:
    """x and y of one line of one run; None where the run never measured it."""
    moment, key = len(run.journal.records), (panel.name, line.key)
    known: tuple[int, Points | None] = run.memo.get(key, (-1, None))
    if known[0] != moment:
        known = run.memo[key] = (moment, _points(run, panel, line))
    return known[1]


def _points(run: Run, panel: Panel, line: Line) -> Points | None:
    found = _by_place(run, panel, line) if panel.series else _by_update(run, line)
    if found is None or not np.any(np.isfinite(found[1])):
        return None
    x, y = found
    if len(x) > MOST_POINTS:
        kept = np.unique(np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(int))
        x, y = x[kept], y[kept]
    return x, 1 - y if line.complement else y


def _by_place(run: Run, panel: Panel, line: Line) -> Points | None:
    """A list of the first or the last evaluation: by position, by difficulty."""
    split, _, which = line.source.partition(":")
    looks = [record for record in run.of("evaluation", split) if line.name in record.series]
    if not looks or (which == "first" and len(looks) < 2):
        return None
    y = np.array(looks[0 if which == "first" else -1].series[line.name], dtype=float)
    return np.arange(len(y), dtype=float) + (panel.name == "position"), y


def _by_update(run: Run, line: Line) -> Points:
    """A metric by update; of a run that goes on only what is new is looked at."""
    records = run.of("update") if line.source == "update" else run.of("evaluation", line.source)
    seen, x, y = run.memo.get(line.key, (0, [], []))
    for record in records[seen:]:
        if line.name in record.metrics:
            x.append(record.update)
            y.append(record.metrics[line.name])
    run.memo[line.key] = len(records), x, y
    return np.array(x, dtype=float), np.array(y, dtype=float)


def changes(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """The before/after table, run by run."""
    rows = [
        (slot, change.metric, change.split, change.before, change.after, change.difference)
        for slot, run in zip(SLOTS, runs, strict=False)
        for change in _changes(run)
    ]
    names = ("run", "metric", "split", "before", "after", "difference")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _changes(run: Run) -> list[Change]:
    looks = [*run.of("evaluation", "train"), *run.of("evaluation", "held_out")]
    found: list[Change] = run.once(("changes", len(looks)), lambda: before_after(looks, COMPARED))
    return found


def numbers(runs: Sequence[Run]) -> dict[str, float | str]:
    """What sentences quote of each run: `A_accuracy_before`, `A_updates`, ...; NaN where nothing was measured."""
    found: dict[str, float | str] = {"runs": float(len(runs))}
    for place, slot in enumerate(SLOTS):
        run = runs[place] if place < len(runs) else None
        known = {(change.metric, change.split): change for change in (_changes(run) if run is not None else ())}
        for metric in ("accuracy", "pass_4", "entropy"):
            change = known.get((metric, "held_out"))
            found[f"{slot}_{metric}_before"] = change.before if change else math.nan
            found[f"{slot}_{metric}_after"] = change.after if change else math.nan
        train = known.get(("accuracy", "train"))
        found[f"{slot}_train_before"] = train.before if train else math.nan
        found[f"{slot}_train_after"] = train.after if train else math.nan
        found[f"{slot}_title"] = run.title if run is not None else ""
    return found


def newest(runs: Sequence[Run]) -> list[tuple[str, str, str, list[float]]]:
    """Axis, metric, where it is measured, and each run's newest value: every metric that any of the runs has."""
    table = []
    for kind, split, known in (
        ("update", "", UPDATE_METRICS),
        ("evaluation", "held_out", EVALUATION_METRICS),
        ("evaluation", "train", EVALUATION_METRICS),
        ("timing", "", TIMING_METRICS),
    ):
        last = [_newest(run, kind, split) for run in runs]
        for name in dict.fromkeys([*known, *(name for found in last for name in found)]):
            values = [found.get(name, math.nan) for found in last]
            if any(math.isfinite(value) for value in values):
                axis = known[name].axis if name in known else "other"
                table.append((axis, name, split or kind, values))
    order = (*AXES, "other")
    return sorted(table, key=lambda row: order.index(row[0]))


def _newest(run: Run, kind: str, split: str) -> dict[str, float]:
    """The last value of each metric; one that is measured now and then keeps its last one."""
    records = run.of(kind, split)
    seen, found = run.memo.get(("newest", kind, split), (max(0, len(records) - 50), {}))
    for record in records[seen:]:
        found |= {name: value for name, value in record.metrics.items() if math.isfinite(value)}
    run.memo["newest", kind, split] = len(records), found
    known: dict[str, float] = found
    return known
