"""The same plan by TRL's GRPOTrainer: its sampling, its loss, its optimiser; our rewards, evaluation and journal.

An interrupted run goes on from TRL's newest whole checkpoint; one that ran out of memory does so with smaller passes.
"""

import gc
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from colab.model import Loaded
from colab.plan import Plan
from colab.policy import LoraPolicy
from colab.practice import look
from colab.problem import judge
from colab.rewards import REWARDS
from colab.task import ChatTask
from colab.trl_config import config
from pycore import journal, trainer_log
from pycore.domain import DomainError
from pycore.train import Record
from pycore.train.recipe import SPLITS

BEST = 20
# TRL's names, and what the journal calls them.
TOLD = {
    "reward": "reward",
    "rewards/accuracy_reward/mean": "accuracy",
    "rewards/format_reward/mean": "form",
    "frac_reward_zero_std": "empty groups",
    "entropy": "entropy",
}
ANSWERS = "best_answers.json"


@dataclass(eq=False)
class TrlPractice:
    """A run by TRL.

    Attributes:
        plan: what decides the run.
        loaded: model, tokenizer, ends.
        policy: the same model as a policy, which measures it before and after.
        task: prompts and verifier.
        header: first line of the journal.
        folder: where TRL keeps checkpoints, and we the journal.
        say: told what happens, in a line.
        records: what the journal will hold.
        answers: those with the highest reward so far, the newest first among equals.
    """

    plan: Plan
    loaded: Loaded
    policy: LoraPolicy
    task: ChatTask
    header: journal.Header
    folder: Path
    say: Callable[[str], None] = print
    records: list[Record] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Adapters as they are before the first update: where there is no checkpoint a second try begins here, and the
        # copy that TRL takes for the reference of a KL term is the base.
        self._fresh = self.policy.save()

    def baseline(self) -> list[Record]:
        """Measures the model before its first update; after a disconnect what was measured then is read again."""
        if not self.records:
            self.folder.mkdir(parents=True, exist_ok=True)
            saved = self.folder / "baseline.jsonl"
            self.records = _measured(saved)
            if not self.records:
                self.records = list(look(self.plan, self.policy, self.task, 0))
                saved.write_text(journal.write(self.header, self.records), encoding="utf-8")
        return self.records

    def train(self) -> list[Record]:
        """Trains, from TRL's newest checkpoint in the folder where there is one; returns the journal's records."""
        before = [record for record in self.baseline() if record.update == 0]
        iterations = self.plan.protocol.iterations
        logged = trainer_log.read(json.dumps(self._trained()))
        # One entry for each rollout, as in our own loop: TRL counts optimiser steps.
        updates = [
            replace(record, update=record.update // iterations) for record in logged.records if record.kind == "update"
        ]
        end = max(record.update for record in updates)
        self.records = [
            *before,
            *updates,
            Record("samples", end, detail={"best": self.answers}),
            *look(self.plan, self.policy, self.task, end, final=True),
            Record("end", end, detail={"reason": "updates"}),
        ]
        text = journal.write(self.header, self.records)
        (self.folder / "journal.jsonl").write_text(text, encoding="utf-8")
        return self.records

    def _trained(self) -> list[dict[str, Any]]:
        """TRL's log of the whole run, what stood in its checkpoint included."""
        while True:
            self.policy.restore(self._fresh)
            last = newest(self.folder)
            self.answers = _answers(last)
            trainer = self.trainer()
            if last is not None:
                self.say(f"Going on from {last.name}.")
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    trainer.train(resume_from_checkpoint=str(last) if last else None)
            except torch.OutOfMemoryError:
                # Left without `raise`: the exception would hold the frames, and with them the memory.
                found = None
            else:
                found = trainer.state.log_history
            finally:
                self.loaded.model.eval()
            if found is not None:
                return list(found)
            del trainer
            gc.collect()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            self._halve()

    def _halve(self) -> None:
        total = self.plan.batch * self.plan.group
        rows = _divisor(total, self.policy.rows.score)
        if rows == 1:
            raise DomainError("memory", "too little for one response", "a smaller model, max_tokens, batch or group")
        self.policy.rows.score = _divisor(total, rows // 2)
        self.say(f"Memory does not suffice for {rows} responses a pass; going on with {self.policy.rows.score}.")

    def trainer(self, **changes: Any) -> Any:
        """TRL's trainer for this plan, its arguments written out by `colab.trl_config.config`."""
        plan, loaded = self.plan, self.loaded
        rows = _divisor(plan.batch * plan.group, self.policy.rows.score)
        given = config(plan, rows=rows, precision=loaded.precision, cpu=not torch.cuda.is_available())
        if loaded.thinking is not None:
            given["chat_template_kwargs"] = {"enable_thinking": loaded.thinking}
        prompts = [
            {"prompt": self.task.conversation("train", row), "number": row} for row in range(self.task.sizes["train"])
        ]
        weights = REWARDS[plan.reward]
        # With a KL term TRL keeps a copy of the adapters under this name, and takes no second one.
        if "ref" in loaded.model.peft_config:
            loaded.model.delete_adapter("ref")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arguments = GRPOConfig(
                output_dir=str(self.folder),
                reward_weights=[weights["correct"], weights["form"]],
                **{**given, **changes},
            )
            trainer = GRPOTrainer(
                model=loaded.model,
                args=arguments,
                train_dataset=Dataset.from_list(prompts),
                processing_class=loaded.tokenizer,
                reward_funcs=[self.accuracy_reward(), self.format_reward()],
            )
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(_Told(self))
        return trainer

    def accuracy_reward(self) -> Any:
        """TRL's first reward function: 1 for the right number. It also keeps the answers for the list of the best."""
        weights = REWARDS[self.plan.reward]

        def accuracy_reward(completions: list[Any], number: list[int], **_: Any) -> list[float]:
            paid, fresh = [], []
            for said, row in zip(completions, number, strict=True):
                found = judge(_text(said), self.task.reference("train", row))
                paid.append(float(found.correct))
                fresh.append(
                    {
                        "prompt": self.task.read("train", row),
                        "response": [_text(said)],
                        "reward": float(weights["correct"] * found.correct + weights["form"] * found.form),
                        "correct": bool(found.correct),
                    }
                )
            self.answers = sorted([*fresh, *self.answers], key=lambda answer: -float(answer["reward"]))[:BEST]
            return paid

        return accuracy_reward

    def format_reward(self) -> Any:
        """TRL's second reward function: 1 for one box with a number in it."""

        def format_reward(completions: list[Any], number: list[int], **_: Any) -> list[float]:
            return [
                float(judge(_text(said), self.task.reference("train", row)).form)
                for said, row in zip(completions, number, strict=True)
            ]

        return format_reward


class _Told(TrainerCallback):  # type: ignore[misc]
    """A line for each update in place of TRL's dictionaries; the best answers beside each checkpoint."""

    def __init__(self, practice: TrlPractice) -> None:
        self.practice = practice

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Called by the trainer."""
        if logs and "reward" in logs:
            line = "  ".join(f"{ours} {float(logs[name]):.3f}" for name, ours in TOLD.items() if name in logs)
            self.practice.say(f"{state.global_step // self.practice.plan.protocol.iterations:4d}  {line}")

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Called by the trainer when a checkpoint is complete."""
        text = json.dumps(self.practice.answers, ensure_ascii=False)
        (self.practice.folder / f"checkpoint-{state.global_step}" / ANSWERS).write_text(text, encoding="utf-8")


def newest(folder: Path) -> Path | None:
    """The newest checkpoint that is whole: TRL writes its state last, so what a disconnect cut short has none."""
    found = []
    for path in folder.glob("checkpoint-*"):
        try:
            state = json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
            found.append((int(state["global_step"]), path))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return max(found)[1] if found else None


def _measured(saved: Path) -> list[Record]:
    """Both evaluations before the first update, where an earlier session wrote them whole."""
    try:
        records = journal.read(saved.read_text(encoding="utf-8")).records
    except (OSError, ValueError):
        return []
    return list(records) if [record.split for record in records] == list(SPLITS) else []


def _answers(checkpoint: Path | None) -> list[dict[str, Any]]:
    try:
        found = json.loads((checkpoint / ANSWERS).read_text(encoding="utf-8")) if checkpoint else []
    except (OSError, ValueError):
        return []
    return list(found)


def _text(completion: Any) -> str:
    """A completion of a conversation is a list of messages."""
    return completion if isinstance(completion, str) else str(completion[0]["content"])


def _divisor(total: int, most: int) -> int:
    return next(rows for rows in range(min(total, most), 0, -1) if total % rows == 0)
