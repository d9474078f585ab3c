"""Many runs: a grid of changes to one recipe, each over several seeds, and what came of each. No file, no process."""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pycore.domain import DomainError
from pycore.train.loop import base_policy, run
from pycore.train.outcome import Change, before_after, spread
from pycore.train.recipe import Recipe
from pycore.train.record import Record

MEASURED = ("accuracy", "reward", "length", "entropy", "kl", "pass_1", "pass_4", "pass_16", "informative", "coverage")
AXES = ("prompts", "learning_rate", "iterations", "group", "batch", "updates", "max_tokens")


@dataclass(frozen=True)
class Cell:
    """One run of a sweep.

    Attributes:
        point: the changed fields and their values, in the grid's order.
        seed: the run's seed.
        recipe: the whole recipe.
    """

    point: tuple[tuple[str, float], ...]
    seed: int
    recipe: Recipe

    @property
    def name(self) -> str:
        """A key that is the same in every process: `prompts=48 learning_rate=0.002 seed=0`."""
        return " ".join(f"{field}={value:g}" for field, value in (*self.point, ("seed", self.seed)))


def cells(recipe: Recipe, grid: Mapping[str, Sequence[float]], seeds: Iterable[int]) -> list[Cell]:
    """All combinations of the grid's values with all seeds.

    Args:
        recipe: what everything else is taken from.
        grid: field -> values; fields are those of `AXES`.
        seeds: of the runs.

    Raises:
        DomainError: an unknown field, a value that the recipe refuses, the same run twice.

    >>> [cell.name for cell in cells(Recipe(), {"prompts": [48, 256]}, [0])]
    ['prompts=48 seed=0', 'prompts=256 seed=0']
    """
    for field in grid:
        if field not in AXES:
            raise DomainError("grid", field, "one of " + ", ".join(AXES))
    found = []
    listed = list(seeds)
    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        for seed in listed:
            whole = {name: value if name == "learning_rate" else int(value) for name, value in point.items()}
            # A batch cannot be larger than what it is drawn from.
            prompts = whole.get("prompts", recipe.sizes.prompts)
            small = {"batch": min(int(whole.get("batch", recipe.batch)), int(prompts))}
            found.append(Cell(tuple(point.items()), seed, _changed(recipe, {**whole, **small, "seed": seed})))
    names = [cell.name for cell in found]
    if len(set(names)) != len(names):
        raise DomainError("grid, seeds", len(names) - len(set(names)), "no run twice")
    return found


def _changed(recipe: Recipe, changes: dict[str, Any]) -> Recipe:
    # The batch goes first where the prompts shrink: no recipe on the way may be impossible.
    return recipe.but(batch=changes.pop("batch")).but(**changes)


def base_key(recipe: Recipe) -> str:
    """Equal for recipes that start from the same base, which need not be trained twice."""
    sizes = replace(recipe.sizes, prompts=2, carry_share=None)
    parts = [recipe.seed, asdict(recipe.network), asdict(recipe.warm_start), asdict(sizes)]
    return json.dumps(parts, sort_keys=True)


def train_base(recipe: Recipe) -> bytes:
    """The recipe's warm policy, as bytes for `run(recipe, base=...)`."""
    work = base_policy(recipe)
    while True:
        try:
            next(work)
        except StopIteration as done:
            data: bytes = done.value.save()
            return data


def train_cell(cell: Cell, base: bytes) -> dict[str, Any]:
    """Runs one cell to its end.

    Returns:
        JSON values: the cell's name, point and seed, why and when the run ended, and every measured change.
    """
    records = [record for record in run(cell.recipe, base=base) if isinstance(record, Record)]
    last = records[-1]
    changes = before_after(records, MEASURED)
    return {
        "name": cell.name,
        "point": dict(cell.point),
        "seed": cell.seed,
        "updates": last.update,
        "reason": last.detail["reason"],
        "changes": [[c.split, c.metric, c.before, c.after] for c in changes],
    }


def changes_of(result: Mapping[str, Any]) -> list[Change]:
    """The changes that `train_cell` wrote down."""
    return [Change(metric, split, before, after) for split, metric, before, after in result["changes"]]


def transfer_map(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each point of the grid: median and range over seeds of every measured end value.

    Args:
        results: of `train_cell`, in any order.

    Returns:
        Rows with `point`, `seeds`, and `after`: "split metric" -> median, low, high, each seed's own value beside them.
    """
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for result in sorted(results, key=lambda one: int(one["seed"])):
        rows.setdefault(json.dumps(result["point"], sort_keys=True), []).append(result)
    table = []
    for same in rows.values():
        columns: dict[str, list[float]] = {}
        for result in same:
            for change in changes_of(result):
                columns.setdefault(f"{change.split} {change.metric}", []).append(change.after)
        table.append(
            {
                "point": dict(sorted(same[0]["point"].items())),
                "seeds": [result["seed"] for result in same],
                "after": {name: {**spread(values), "each": values} for name, values in columns.items()},
            }
        )
    return sorted(table, key=lambda row: tuple(row["point"].values()))


__all__ = [
    "Cell",
    "base_key",
    "cells",
    "changes_of",
    "train_base",
    "train_cell",
    "transfer_map",
]
