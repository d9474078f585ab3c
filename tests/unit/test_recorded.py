"""Oracle: the recorded runs themselves. What is published follows from them, and they are of today's recipes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pycore.journal import read
from pycore.train import PROFILES, Recipe, Record, run
from pycore.train.outcome import before_after, kept, summary
from pycore.train.sweep import cells, changes_of, transfer_map

FOLDER = Path(__file__).parents[2] / "web/recorded"


def recorded(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


@pytest.mark.parametrize("name", PROFILES)
def test_a_recorded_profile_is_of_the_recipe_as_it_stands(name):
    found = recorded(name)
    assert Recipe.from_dict(found["recipe"]) == PROFILES[name]
    assert [run["seed"] for run in found["runs"]] == [0, 1, 2, 3, 4]
    assert found["command"].startswith(f"python -m pycore sweep --profile {name} ")


@pytest.mark.parametrize("name", PROFILES)
def test_medians_ranges_and_kept_promises_follow_from_the_runs(name):
    found = recorded(name)
    changes = [changes_of(run) for run in found["runs"]]
    assert found["table"] == summary(changes)
    assert found["kept"] == {str(run["seed"]): kept(name, one) for run, one in zip(found["runs"], changes, strict=True)}


@pytest.mark.parametrize("name", PROFILES)
def test_the_median_seed_keeps_every_promise_and_no_promise_fails_on_two_seeds(name):
    found = recorded(name)
    for promise in next(iter(found["kept"].values())):
        misses = [seed for seed, promises in found["kept"].items() if not promises[promise]]
        assert len(misses) <= 1, (promise, misses)


@pytest.mark.parametrize("name", PROFILES)
def test_a_recorded_journal_is_sound_and_tells_of_seed_0_what_the_table_says(name):
    journal = read((FOLDER / f"{name}-0.jsonl").read_text(encoding="utf-8"))
    assert journal.finished
    assert Recipe.from_dict(journal.header.recipe) == PROFILES[name]
    changes = {(c.split, c.metric): c for c in before_after(journal.records)}
    first = next(run for run in recorded(name)["runs"] if run["seed"] == 0)
    for change in changes_of(first):
        if (key := (change.split, change.metric)) in changes:
            assert changes[key] == change


def test_the_transfer_map_follows_from_its_runs_and_every_cell_is_a_recipe():
    found = recorded("transfer")
    assert found["map"] == transfer_map(found["runs"])
    seeds = sorted({run["seed"] for run in found["runs"]})
    known = [(dict(cell.point), cell.seed) for cell in cells(Recipe.from_dict(found["recipe"]), found["grid"], seeds)]
    ran = [(run["point"], run["seed"]) for run in found["runs"]]
    assert len(known) == len(ran)
    assert all(cell in ran for cell in known)


def test_more_prompts_carry_over_to_held_out_sums_and_few_are_memorised():
    rows = recorded("transfer")["map"]
    plain = [row for row in rows if row["point"]["learning_rate"] == 0.002 and row["point"]["iterations"] == 2]
    for group in {row["point"]["group"] for row in plain}:
        ladder = sorted((r for r in plain if r["point"]["group"] == group), key=lambda row: row["point"]["prompts"])
        held_out = [row["after"]["held_out accuracy"]["median"] for row in ladder]
        train = [row["after"]["train accuracy"]["median"] for row in ladder]
        assert held_out[-1] > held_out[0]
        assert train[0] > train[-1]


def test_the_recorded_collapse_is_computed_again_update_by_update():
    # Natively on another machine and in the browser's Python sums are made in another order: the first figures agree to
    # many digits, and the very same tokens are sampled.
    known = read((FOLDER / "collapse-0.jsonl").read_text(encoding="utf-8")).of("update")[:3]
    quick = replace(PROFILES["collapse"].evaluation, every=1000, prompts=2, samples=1)
    recipe = replace(PROFILES["collapse"], updates=len(known), evaluation=quick, stop=())
    steps = run(recipe, base=(FOLDER / "base-0.bin").read_bytes())
    found = [step for step in steps if isinstance(step, Record) and step.kind == "update"]
    for one, other in zip(found, known, strict=True):
        assert one.metrics["tokens"] == other.metrics["tokens"]
        assert one.metrics == pytest.approx(other.metrics, rel=1e-9, abs=1e-12, nan_ok=True)
        for name, values in one.series.items():
            assert values == pytest.approx(other.series[name], rel=1e-9, abs=1e-12, nan_ok=True)
