"""From a plan to a run that can begin: policy, task, header, and the trainer that was chosen."""

import hashlib
import json
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch

from colab.model import Loaded
from colab.passports import passports
from colab.plan import Plan
from colab.policy import LoraPolicy, Rows
from colab.practice import Practice
from colab.task import ChatTask
from colab.trl_practice import TrlPractice
from colab.wording import WORDINGS
from pycore import journal

LIBRARIES = ("torch", "transformers", "peft", "trl", "numpy")


def software() -> dict[str, str]:
    """Versions of what computes a run, and on what."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} thread"
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}, "device": device}


def prepare(plan: Plan, loaded: Loaded, *, rows: Rows | None = None) -> tuple[LoraPolicy, ChatTask]:
    """Policy and task of a plan."""
    task = ChatTask(
        plan.problems,
        plan.sides(),
        loaded.tokenizer,
        loaded.pad,
        wording=WORDINGS[plan.wording],
        reward=plan.reward,
        thinking=loaded.thinking,
    )
    policy = LoraPolicy(
        loaded.model,
        pad=loaded.pad,
        ends=loaded.ends,
        max_tokens=plan.max_tokens,
        decoding=plan.decoding,
        rows=rows,
    )
    return policy, task


def begin(
    plan: Plan,
    loaded: Loaded,
    *,
    trainer: str,
    folder: Path,
    rows: Rows | None = None,
    say: Callable[[str], None] = print,
) -> Practice | TrlPractice:
    """A run that goes on from its folder where it has been before.

    Args:
        plan: what decides it.
        loaded: its model.
        trainer: `loop` for ours, `trl` for GRPOTrainer.
        folder: every plan gets a folder of its own inside.
        rows: responses a pass, to begin with.
        say: told what happens.
    """
    policy, task = prepare(plan, loaded, rows=rows)
    policy.say = say
    found = passports(plan, task, software=software(), precision=loaded.precision, rows=policy.rows.score)
    header = journal.Header(f"{plan.model} {plan.reward} G={plan.group} {trainer}", plan.to_dict(), found, software())
    digest = hashlib.sha256(json.dumps(plan.to_dict(), sort_keys=True).encode()).hexdigest()[:12]
    place = folder / f"{trainer}-{digest}"
    if trainer == "trl":
        return TrlPractice(plan, loaded, policy, task, header, place, say)
    return Practice(plan, policy, task, header, place, say)
