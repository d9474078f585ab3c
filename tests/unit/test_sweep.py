"""Oracle: hand-made results, and a tiny sweep against the single run."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pycore.domain import DomainError
from pycore.gru import Size
from pycore.split import Sizes
from pycore.train import Evaluating, Recipe, Record, run
from pycore.train.outcome import Change, before_after, kept, spread, summary
from pycore.train.sweep import base_key, cells, changes_of, train_base, train_cell, transfer_map
from pycore.warm_start import WarmStart

TINY = Recipe(
    updates=1,
    batch=4,
    group=2,
    sizes=Sizes(prompts=12, held_out=8, demonstrations=20, probe=4),
    network=Size(embedding=3, hidden=5),
    warm_start=WarmStart(max_steps=3),
    evaluation=Evaluating(prompts=4, samples=4),
)


def test_a_grid_is_every_combination_with_every_seed():
    found = cells(TINY, {"prompts": [2, 12], "learning_rate": [0.1, 0.2]}, [0, 7])
    assert len({cell.name for cell in found}) == len(found) == 8
    assert found[0].name == "prompts=2 learning_rate=0.1 seed=0"
    assert [cell.recipe.batch for cell in found[::4]] == [2, 4]
    assert found[-1].recipe.sizes.prompts == 12
    assert found[-1].recipe.seed == 7


def test_cells_that_differ_only_after_the_warm_start_share_a_base():
    found = cells(TINY, {"prompts": [2, 12], "iterations": [1, 3], "group": [2, 4]}, [0, 1])
    assert len({base_key(cell.recipe) for cell in found}) == 2
    assert base_key(replace(TINY, network=Size())) != base_key(TINY)


def test_a_cell_tells_what_the_run_itself_tells():
    cell = cells(TINY, {}, [3])[0]
    base = train_base(cell.recipe)
    result = json.loads(json.dumps(train_cell(cell, base)))
    records = [record for record in run(cell.recipe) if isinstance(record, Record)]
    assert changes_of(result) == before_after(records, sorted({c[1] for c in result["changes"]})) or {
        (c.split, c.metric, c.before, c.after) for c in changes_of(result)
    } == {
        (c.split, c.metric, c.before, c.after)
        for c in before_after(records, [change[1] for change in result["changes"][::2]])
    }
    assert (result["updates"], result["reason"]) == (1, "updates")


def result(prompts, seed, accuracy):
    return {"point": {"prompts": prompts}, "seed": seed, "changes": [["held_out", "accuracy", 0.25, accuracy]]}


def test_a_map_has_the_median_and_range_of_each_point_in_any_order():
    results = [result(48, 1, 0.5), result(256, 0, 0.75), result(48, 0, 0.25), result(48, 2, 0.375)]
    for order in (results, results[::-1]):
        rows = transfer_map(order)
        assert [row["point"]["prompts"] for row in rows] == [48, 256]
        assert rows[0]["seeds"] == [0, 1, 2]
        found = rows[0]["after"]["held_out accuracy"]
        assert found == {"median": 0.375, "low": 0.25, "high": 0.5, "each": [0.25, 0.5, 0.375]}


def test_promises_are_kept_or_broken_one_by_one():
    moves = {
        ("train", "accuracy"): 0.1,
        ("train", "pass_4"): -0.1,
        ("train", "entropy"): -0.2,
        ("held_out", "pass_4"): 0.0,
        ("held_out", "entropy"): -0.1,
        ("held_out", "accuracy"): 0.0,
    }
    changes = [Change(metric, split, 0.5, 0.5 + move) for (split, metric), move in moves.items()]
    found = kept("collapse", changes)
    assert [name for name, good in found.items() if not good] == ["held_out pass_4"]
    with pytest.raises(DomainError, match="changes"):
        kept("collapse", changes[1:])
    with pytest.raises(DomainError, match="profile"):
        kept("perfect", changes)


def test_a_summary_takes_medians_over_seeds_not_medians_of_medians():
    runs = [[Change("accuracy", "train", 0.25, after)] for after in (0.25, 0.5, 1.0)]
    row = summary(runs)[0]
    assert row["difference"] == {"median": 0.25, "low": 0.0, "high": 0.75}
    assert summary([]) == []


def test_one_look_is_no_change():
    assert before_after([Record("evaluation", 0, "train", {"accuracy": 0.5})]) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cells(TINY, {"colour": [1]}, [0]), "grid = 'colour'"),
        (lambda: cells(TINY, {"prompts": [12, 12]}, [0]), "twice"),
        (lambda: cells(TINY, {"prompts": [1]}, [0]), "prompts = 1"),
        (lambda: spread([]), "values"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()


def test_seeds_spread_as_numpy_says():
    values = np.random.default_rng(0).standard_normal(5).tolist()
    assert spread(values) == {"median": np.median(values), "low": min(values), "high": max(values)}
