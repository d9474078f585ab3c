"""Oracle: the recorded runs of a language model themselves, read by the journal's own reader."""

import json
from pathlib import Path

import numpy as np
import pytest

from pycore.interval import bootstrap_mean
from pycore.journal import read

FOLDER = Path(__file__).parents[2] / "web/recorded"
FULL = ("smollm2-0", "smollm2-1")


def journal(name):
    return read((FOLDER / f"{name}.jsonl").read_text())


def first_and_last(name):
    found = [record for record in journal(name).records if (record.kind, record.split) == ("evaluation", "held_out")]
    return found[0], found[-1]


@pytest.mark.parametrize("name", [*FULL, "smollm2_format-0"])
def test_a_recorded_run_is_whole_and_says_how_it_is_made_again(name):
    found = journal(name)
    updates = [record.metrics for record in found.records if record.kind == "update"]
    assert len(updates) == (60 if name in FULL else 22)
    told = [[metrics[name] for name in ("reward", "accuracy", "form", "informative", "entropy")] for metrics in updates]
    assert np.isfinite(told).all()
    assert found.header.passports["update"]["library_versions"]["torch"].startswith("2.13.0")


@pytest.mark.parametrize("name", FULL)
def test_the_full_reward_raises_held_out_accuracy_and_sampled_answers_gain_more_than_greedy_ones(name):
    before, after = first_and_last(name)
    paired = np.subtract(after.series["accuracy_by_prompt"], before.series["accuracy_by_prompt"])
    assert bootstrap_mean(paired, np.random.default_rng(0)).low > 0
    gained = {metric: after.metrics[metric] - before.metrics[metric] for metric in ("accuracy", "greedy")}
    assert gained["accuracy"] > gained["greedy"] >= 0


def test_paid_for_form_alone_every_group_falls_silent_while_answers_are_still_wrong():
    updates = [record.metrics for record in journal("smollm2_format-0").records if record.kind == "update"]
    assert all(metrics["informative"] == 0 for metrics in updates[-2:])
    assert any(metrics["accuracy"] < 1 for metrics in updates[-2:])


def test_the_wording_of_one_example_moves_accuracy_by_tens_of_times():
    found = json.loads((FOLDER / "smollm2_wordings.json").read_text())
    accuracy = {row["wording"]: row["accuracy"] for row in found["rows"]}
    assert accuracy["two_turns"] > 10 * max(accuracy["box_alone"], accuracy["zero_shot"])
