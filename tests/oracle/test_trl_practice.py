"""Oracle: the same run by TRL without an interruption; its own `trainer_state.json`; the plan's number of updates."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from trl.trainer.grpo_trainer import GRPOTrainer

from colab.model import load
from colab.plan import Plan
from colab.policy import Rows
from colab.start import begin
from colab.trl_practice import newest
from pycore import journal, run_file
from pycore.domain import DomainError
from pycore.protocol import preset
from pycore.train import Evaluating

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
PLAN = Plan(
    updates=5,
    group=4,
    max_tokens=8,
    learning_rate=1e-2,
    checkpoint_every=2,
    protocol=replace(preset("trl-1.16.0/dapo"), max_tokens=8),
    evaluation=Evaluating(every=99, prompts=6, samples=2, chunk=8),
)
MACHINE = ("trl_step_time",)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def practice(folder, plan=PLAN, *, rows=8, said=None):
    """What a new session begins with: a model loaded anew."""
    with warnings.catch_warnings():  # other people's deprecations
        warnings.simplefilter("ignore")
        loaded = load(plan.model, rank=plan.rank, alpha=plan.alpha, seed=plan.seed)
        say = (lambda _: None) if said is None else said.append
        return begin(plan, loaded, trainer="trl", folder=folder, rows=Rows(score=rows), say=say)


def interrupted(run, update):
    """Lets a run come as far as the report of an update, and no further: its checkpoint is not written yet."""
    told = run.say

    def say(line):
        told(line)
        if line.startswith(f"{update:4d}  reward"):
            raise KeyboardInterrupt

    run.say = say
    with pytest.raises(KeyboardInterrupt):
        run.train()
    return run


def lines(run):
    found = journal.read((run.folder / "journal.jsonl").read_text(encoding="utf-8"))
    assert found.finished
    kept = [
        replace(record, metrics={name: value for name, value in record.metrics.items() if name not in MACHINE})
        for record in found.records
    ]
    return [journal.record_line(record) for record in kept]


def kinds(run):
    found = journal.read((run.folder / "journal.jsonl").read_text(encoding="utf-8"))
    return [(record.kind, record.update, record.split) for record in found.records]


def whole(updates):
    looks = [("evaluation", split) for split in ("train", "held_out")]
    return [
        *((kind, 0, split) for kind, split in looks),
        *(("update", update, "") for update in range(1, updates + 1)),
        ("samples", updates, ""),
        *((kind, updates, split) for kind, split in looks),
        ("end", updates, ""),
    ]


KL = replace(PLAN, protocol=replace(PLAN.protocol, kl_coefficient=0.2, iterations=2), updates=3, checkpoint_every=1)


@pytest.mark.parametrize(
    "plan", [PLAN, pytest.param(KL, id="with a reference and two iterations", marks=pytest.mark.full)]
)
def test_an_interrupted_run_goes_on_with_nothing_missing_and_nothing_twice(plan, tmp_path):
    straight = practice(tmp_path / "whole", plan)
    straight.train()
    assert kinds(straight) == whole(plan.updates)
    broken = interrupted(practice(tmp_path / "broken", plan), 3)
    # What a disconnect leaves of the checkpoint that it cut short.
    (broken.folder / "checkpoint-99").mkdir()
    (broken.folder / "checkpoint-99" / "trainer_state.json").write_text('{"global_step": 99, "log_hist')
    said = []
    again = practice(tmp_path / "broken", plan, said=said)
    assert again.folder == broken.folder
    again.train()
    assert said[0] == f"Going on from checkpoint-{2 * plan.protocol.iterations}."
    assert kinds(again) == whole(plan.updates)
    state = json.loads((newest(again.folder) / "trainer_state.json").read_text())
    assert state["global_step"] == state["max_steps"] == plan.updates * plan.protocol.iterations
    steps = [entry["step"] for entry in state["log_history"] if "reward" in entry]
    assert steps == [plan.protocol.iterations * (place + 1) for place in range(plan.updates)]
    # TRL's own file opens as well, and tells the same.
    opened = run_file.read_any((newest(again.folder) / "trainer_state.json").read_text())
    assert [one.metrics["reward"] for one in opened.of("update")] == [
        one.metrics["reward"] for one in again.records if one.kind == "update"
    ]
    assert lines(again) == lines(straight)


@pytest.mark.full
def test_the_same_session_may_run_its_cell_again_before_any_checkpoint_and_after_the_last(tmp_path):
    plan = replace(PLAN, updates=2, checkpoint_every=2)
    straight = practice(tmp_path / "whole", plan)
    straight.train()
    once = interrupted(practice(tmp_path / "broken", plan), 1)
    assert newest(once.folder) is None
    once.say = print
    once.train()
    assert lines(once) == lines(straight)
    moved = [weight.detach().clone() for weight in straight.policy.trained]
    done = practice(tmp_path / "whole", plan)
    done.train()
    assert lines(done) == lines(straight)
    assert all(torch.equal(one, other) for one, other in zip(done.policy.trained, moved, strict=True))


def test_out_of_memory_leads_to_smaller_passes_with_a_sentence(tmp_path, monkeypatch):
    step, said = GRPOTrainer.training_step, []

    def small(self, model, inputs, items):
        if self.args.per_device_train_batch_size > 2 and self.state.global_step == 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return step(self, model, inputs, items)

    monkeypatch.setattr(GRPOTrainer, "training_step", small)
    run = practice(tmp_path, said=said)
    run.train()
    assert [line for line in said if "Memory" in line or "Going" in line] == [
        "Memory does not suffice for 8 responses a pass; going on with 4.",
        "Going on from checkpoint-2.",
        "Memory does not suffice for 4 responses a pass; going on with 2.",
        "Going on from checkpoint-2.",
    ]
    assert kinds(run) == whole(PLAN.updates)

    def never(self, model, inputs, items):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(GRPOTrainer, "training_step", never)
    with pytest.raises(DomainError, match="memory"):
        practice(tmp_path / "other", rows=1).train()


@pytest.mark.full
def test_the_best_answers_of_before_the_interruption_are_among_the_best(tmp_path):
    broken = interrupted(practice(tmp_path, said=[]), 4)
    kept = json.loads((newest(broken.folder) / "best_answers.json").read_text())
    assert 0 < len(kept) <= 20
    again = practice(tmp_path)
    again.train()
    (samples,) = [record for record in again.records if record.kind == "samples"]
    paid = [answer["reward"] for answer in samples.detail["best"]]
    assert paid == sorted(paid, reverse=True)
    assert np.sum(paid) >= np.sum([answer["reward"] for answer in kept])
