"""Oracle: `run` called directly, and the same command done in one go."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pycore import journal
from pycore.__main__ import main
from pycore.gru import Size
from pycore.split import Sizes
from pycore.train import Evaluating, Recipe, Record, run
from pycore.warm_start import WarmStart

TINY = Recipe(
    updates=4,
    batch=4,
    group=4,
    sizes=Sizes(prompts=12, held_out=8, demonstrations=30, probe=8),
    network=Size(embedding=4, hidden=6),
    warm_start=WarmStart(max_steps=5),
    evaluation=Evaluating(every=2, prompts=4, samples=4),
    show_every=2,
    checkpoint_every=2,
)


@pytest.fixture
def recipe(tmp_path: Path) -> str:
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(TINY.to_dict()))
    return str(path)


def told(path: Path) -> list[str]:
    """The lines that do not speak of time."""
    return [line for line in path.read_text().splitlines()[1:] if '"timing"' not in line]


def test_train_writes_the_journal_of_the_run_and_resumes_it(recipe, tmp_path):
    out, saved = tmp_path / "run.jsonl", tmp_path / "run.bin"
    assert main(["train", "--recipe", recipe, "--seed", "3", "--out", str(out), "--checkpoint", str(saved)]) == 0
    expected = [journal.record_line(step) for step in run(replace(TINY, seed=3)) if isinstance(step, Record)]
    assert told(out) == expected
    found = journal.read(out.read_text())
    assert found.finished
    assert found.of("timing")[0].metrics["total"] > 0
    assert set(found.header.passports) == {"data", "verifier", "update"}

    rest = tmp_path / "rest.jsonl"
    assert main(["train", "--recipe", recipe, "--seed", "3", "--out", str(rest), "--resume", str(saved)]) == 0
    assert told(rest) == expected[-len(told(rest)) :]
    assert 0 < len(told(rest)) < len(expected)


def test_a_base_is_made_once_and_changes_nothing(recipe, tmp_path):
    runs = []
    for name in ("one", "two", "three"):
        out = tmp_path / f"{name}.jsonl"
        base = ["--base", str(tmp_path / "base.bin")] if name != "three" else []
        assert main(["train", "--recipe", recipe, "--out", str(out), *base]) == 0
        runs.append(told(out))
    assert runs[0] == runs[1] == runs[2]


def test_evaluate_and_compare_print_what_was_measured(recipe, tmp_path, capsys):
    out, saved = tmp_path / "run.jsonl", tmp_path / "run.bin"
    main(["train", "--recipe", recipe, "--out", str(out), "--checkpoint", str(saved)])
    capsys.readouterr()
    assert main(["evaluate", str(saved), "--samples", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["split"] for line in lines] == ["train", "held_out"]
    assert {line["metrics"]["samples"] for line in lines} == {2}
    assert main(["compare", str(out), str(out)]) == 0
    assert capsys.readouterr().out.count("accuracy") == 4


def test_an_interrupted_sweep_goes_on_where_it_was(recipe, tmp_path):
    whole, cut = tmp_path / "whole.json", tmp_path / "cut.json"
    options = ["sweep", "--recipe", recipe, "--grid", "prompts=4,12", "--seeds", "0,2", "--workers", "1", "--out"]
    assert main([*options, str(whole)]) == 0
    found = json.loads(whole.read_text())
    assert len(found["runs"]) == 4
    # What an interruption leaves: the recipe, one result, and a line cut off.
    first = json.dumps(found["runs"][0])
    marked = first.replace('"updates": 4', '"updates": 77')
    recipe_line = json.dumps(TINY.to_dict(), sort_keys=True)
    cut.with_name("cut.json.part").write_text(f"{recipe_line}\n{marked}\n{first[:40]}")
    assert main([*options, str(cut)]) == 0
    again = json.loads(cut.read_text())
    # The finished run was not computed again, the one cut off was.
    assert again["runs"][0]["updates"] == 77
    assert again["runs"][1:] == found["runs"][1:]
    assert not cut.with_name("cut.json.part").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--set", "updates=x"], "updates"),
        (["train", "--set", "nothing=1"], "FIELD=VALUE"),
        (["train", "--recipe", "/nowhere"], "nowhere"),
        (["sweep", "--out", "x", "--grid", "prompts=a"], "grid"),
        (["sweep", "--out", "x", "--seeds", "a"], "seeds"),
        (["evaluate", "/nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_one_clear_line(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("pycore: ")
    assert error.count("\n") == 1
