"""Oracle: files of real runs of TRL 1.16.0, made by `tests/oracle/trl_run.py`, and entries spoiled on purpose."""

import json
import math
from pathlib import Path

import pytest

from pycore import journal
from pycore.domain import DomainError
from pycore.journal import METRICS
from pycore.trainer_log import FOREIGN, MOST_FOREIGN, read

STATE = Path(__file__).with_name("trl") / "trainer_state.json"


@pytest.fixture
def text():
    return STATE.read_text(encoding="utf-8")


def test_what_trl_wrote_stands_in_the_journal_under_our_names(text):
    entry = next(entry for entry in json.loads(text)["log_history"] if "loss" in entry)
    update = read(text).of("update")[0]
    assert update.update == entry["step"] == 1
    for ours, theirs in {
        "reward": "reward",
        "gradient_norm": "grad_norm",
        "length": "completions/mean_length",
        "truncated": "completions/clipped_ratio",
        "accuracy": "rewards/accuracy_reward/mean",
        "kl": "kl",
        "trl_reward_std": "reward_std",
        "trl_clip_ratio_high_mean": "clip_ratio/high_mean",
        "trl_rewards_accuracy_reward_std": "rewards/accuracy_reward/std",
    }.items():
        assert update.metrics[ours] == entry[theirs], ours
    assert update.metrics["informative"] == 1 - entry["frac_reward_zero_std"]
    assert update.metrics["ended"] == 1 - entry["completions/clipped_ratio"]
    assert not {"epoch", "step", "trl_epoch", "trl_step"} & set(update.metrics)


def test_every_metric_that_is_not_ours_is_marked_and_its_name_can_be_had_back(text):
    run = read(text)
    originals = run.header.recipe["foreign"]
    for record in run.records:
        known = METRICS[record.kind]
        assert {name for name in record.metrics if name not in known} <= set(originals)
        assert not set(record.metrics) & set(known) & set(originals)
    assert originals["trl_completions_min_length"] == "completions/min_length"
    assert set(FOREIGN) - set(originals.values()) <= {
        "cispo_clip_ratio",
        *(name for name in FOREIGN if name.startswith("sampling/")),
    }


def test_evaluations_are_of_held_out_prompts_and_a_run_of_all_its_steps_has_ended(text):
    run = read(text)
    assert [record.update for record in run.of("evaluation", "held_out")] == [0, 3]
    assert run.finished
    assert run.header.recipe["max_steps"] == 3
    state = json.loads(text) | {"max_steps": 9}
    assert not read(json.dumps(state)).finished


def test_a_bare_log_is_read_and_its_closing_entry_tells_the_end():
    run = read(STATE.with_name("log_history.json").read_text(encoding="utf-8"))
    assert [record.kind for record in run.records] == ["update", "update", "timing", "end"]
    assert run.of("timing")[0].metrics["total"] > 0


def test_a_journal_made_of_it_can_be_written_and_read_back(text):
    run = read(text)
    again = journal.read(journal.write(run.header, run.records))
    for one, other in zip(run.records, again.records, strict=True):
        assert one.metrics == pytest.approx(other.metrics, nan_ok=True)


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "null"])
def test_what_was_not_measured_is_nan_wherever_it_stands(written):
    run = read(f'[{{"step": 1, "loss": {written}, "reward": 0.5, "other": {written}}}]')
    metrics = run.records[0].metrics
    assert math.isnan(metrics["loss"])
    assert math.isnan(metrics["trl_other"])
    assert run.header.recipe["not_finite"] == (0 if written == "null" else 2)


def test_names_that_look_alike_without_their_signs_stay_apart():
    run = read('[{"step": 1, "a/b": 1, "a_b": 2, "A-b": 3, "длина": 4, "ответ": 5}]')
    assert sorted(run.records[0].metrics.values()) == [1, 2, 3, 4, 5]
    assert set(run.header.recipe["foreign"].values()) == {"a/b", "a_b", "A-b", "длина", "ответ"}


def test_a_value_of_unknown_name_that_is_no_number_is_counted_and_left_out():
    run = read('[{"step": 1, "loss": 1.0, "note": "warm", "list": [1], "flag": true}]')
    assert (run.ignored, run.records[0].metrics) == (3, {"loss": 1.0})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "trainer state"),
        ("3", "log_history"),
        ("{}", "log_history"),
        ('{"log_history": {}}', "log_history"),
        ("[]", r"len\(log_history\) = 0"),
        ("[1]", r"log_history\[0\]\.step = None"),
        ('[{"loss": 1}]', r"log_history\[0\]\.step = None"),
        ('[{"step": 1.5}]', r"step = 1\.5"),
        ('[{"step": true}]', "step = True"),
        ('[{"step": -1}]', "step = -1"),
        ('[{"step": 2}, {"step": 1}]', r"log_history\[1\]\.step = 1: allowed is an integer from 2"),
        ('[{"step": 1, "reward": "high"}]', r"log_history\[0\]\.reward = 'high'"),
        ('[{"step": 1, "entropy": -2}]', r"log_history\[0\]\.entropy = -2: allowed is a number from 0"),
        ('[{"step": 1, "frac_reward_zero_std": 7}]', "frac_reward_zero_std = 7"),
        ('[{"step": 1, "eval_completions/clipped_ratio": 2}]', "eval_completions/clipped_ratio = 2"),
        ('[{"step": 1, "clip_ratio/low_mean": 1.5}]', "low_mean"),
        ('[{"step": 1, "train_runtime": -1}]', "train_runtime"),
        ('[{"step": 1, "loss": 1e999, "reward": %s}]' % ("9" * 5000), "trainer state"),
        ('[{"step": 1, "loss": %s}]' % ("9" * 400), "finite number"),
        ("[" * 100_000, "nested"),
        (json.dumps([{"step": 1} | {f"m{n}": 0 for n in range(MOST_FOREIGN + 1)}]), f"at most {MOST_FOREIGN}"),
        ('[{"step": 1, "%s": 1}]' % ("x" * 300), "letters"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text, message):
    with pytest.raises(DomainError, match=message):
        read(text)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_off_in_the_middle_says_where(text, share):
    cut = text[: int(len(text.rstrip()) * share)]
    line = cut.count("\n") + 1
    with pytest.raises(DomainError, match=rf"breaks at line ({line}|{line - 1}), column"):
        read(cut)
