"""The same plan by TRL's GRPOTrainer: its sampling, its loss, its optimiser; our rewards, evaluation and journal."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
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
from pycore.train import Record

BEST = 20
TOLD = ("reward", "rewards/accuracy_reward/mean", "rewards/format_reward/mean", "frac_reward_zero_std", "entropy")


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

    def baseline(self) -> list[Record]:
        """Measures the model before its first update."""
        if not self.records:
            saved = self.folder / "baseline.jsonl"
            # After a disconnect the adapters of this session are new, and equal to the base: the same numbers again.
            self.records = list(look(self.plan, self.policy, self.task, 0))
            self.folder.mkdir(parents=True, exist_ok=True)
            saved.write_text(journal.write(self.header, self.records), encoding="utf-8")
        return self.records

    def train(self) -> list[Record]:
        """Trains, from TRL's newest checkpoint in the folder where there is one; returns the journal's records."""
        self.baseline()
        trainer = self.trainer()
        last: str | None = get_last_checkpoint(str(self.folder))
        if last:
            self.say(f"Going on from {Path(last).name}.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trainer.train(resume_from_checkpoint=last)
        self.loaded.model.eval()
        logged = trainer_log.read(json.dumps(trainer.state.log_history))
        self.records += [record for record in logged.records if record.kind == "update"]
        end = max(record.update for record in self.records)
        best = sorted(self.answers, key=lambda answer: -float(answer["reward"]))[:BEST]
        self.records.append(Record("samples", end, detail={"best": best}))
        self.records += look(self.plan, self.policy, self.task, end, final=True)
        self.records.append(Record("end", end, detail={"reason": "updates"}))
        text = journal.write(self.header, self.records)
        (self.folder / "journal.jsonl").write_text(text, encoding="utf-8")
        return self.records

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
        trainer.add_callback(_Told(self.say))
        return trainer

    def accuracy_reward(self) -> Any:
        """TRL's first reward function: 1 for the right number. It also keeps the answers for the list of the best."""
        weights = REWARDS[self.plan.reward]

        def accuracy_reward(completions: list[Any], number: list[int], **_: Any) -> list[float]:
            paid = []
            for said, row in zip(completions, number, strict=True):
                found = judge(_text(said), self.task.reference("train", row))
                paid.append(float(found.correct))
                self.answers.append(
                    {
                        "prompt": self.task.read("train", row),
                        "response": [_text(said)],
                        "reward": weights["correct"] * found.correct + weights["form"] * found.form,
                        "correct": found.correct,
                    }
                )
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
    """A line for each update, in place of TRL's dictionaries."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Called by the trainer."""
        names = (
            "reward",
            "rewards/accuracy_reward/mean",
            "rewards/format_reward/mean",
            "frac_reward_zero_std",
            "entropy",
        )
        if logs and "reward" in logs:
            self.say(f"{state.global_step:4d}  " + "  ".join(f"{name} {float(logs[name]):.3f}" for name in names))


def _text(completion: Any) -> str:
    """A completion of a conversation is a list of messages."""
    return completion if isinstance(completion, str) else str(completion[0]["content"])


def _divisor(total: int, most: int) -> int:
    return next(rows for rows in range(min(total, most), 0, -1) if total % rows == 0)
