"""A run of a language model, watched: the core's own loop, with greedy accuracy, answers by prompt, time, resuming."""

import io
import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from colab.plan import Plan
from colab.policy import LoraPolicy
from colab.task import ChatTask
from pycore import journal
from pycore.curriculum import Experience
from pycore.domain import DomainError
from pycore.train import Part, Progress, Record, run
from pycore.train.evaluation import evaluate
from pycore.train.recipe import SPLITS
from pycore.train.state import EVALUATION as EVALUATION_STREAM
from pycore.train.state import State, stream

# Fields that decide how long a run is and how it is watched, but not how it trains.
WATCHING = ("updates", "evaluation", "show_every", "checkpoint_every")
UPDATE = ("reward", "accuracy", "form", "informative", "entropy", "length")
EVALUATION = ("accuracy", "greedy", "form", "entropy", "kl")


@dataclass(eq=False)
class Practice:
    """Everything a run consists of.

    Attributes:
        plan: what decides the run.
        policy: the one that learns.
        task: prompts and verifier.
        folder: where journal and checkpoint are kept; None keeps nothing.
        header: first line of the journal.
        say: told what happens, in a line.
        clock: seconds; the journal's times.
    """

    plan: Plan
    policy: LoraPolicy
    task: ChatTask
    header: journal.Header
    folder: Path | None = None
    say: Callable[[str], None] = print
    clock: Callable[[], float] = time.perf_counter
    records: list[Record] = field(default_factory=list)
    _saved: int = 0
    _begun: bool = False
    _iterator: Iterator[Record] = field(default_factory=lambda: iter(()))

    def __post_init__(self) -> None:
        self._fresh = self.policy.save()

    def baseline(self) -> list[Record]:
        """Measures the model before its first update, and stops there; nothing to do where a run goes on."""
        with self._going():
            while not self._measured and self._saved == 0:
                next(self._iterator)
        return [record for record in self.records if record.kind == "evaluation" and record.update == 0]

    def train(self) -> list[Record]:
        """Runs to the end, from the folder's checkpoint where there is one; returns all records of the journal."""
        with self._going():
            for _ in self._iterator:
                pass
        return self.records

    @property
    def _measured(self) -> bool:
        return any(record.kind == "evaluation" and record.split == SPLITS[-1] for record in self.records)

    @contextmanager
    def _going(self) -> Iterator[None]:
        self._begin()
        try:
            yield
        except BaseException:
            # A generator that was interrupted is over: the next call begins again, from the checkpoint if there is one.
            self._begun = False
            raise

    def _begin(self) -> None:
        if not self._begun:
            self.policy.restore(self._fresh)
            self._saved = 0
            state = State(self.policy, self.policy.copy(), Experience.none(self.task.sizes["train"]), 0)
            self.records = self._resume(state)
            self._iterator, self._begun = self._told(self._steps(state)), True

    def _told(self, steps: Iterator[Record]) -> Iterator[Record]:
        for record in steps:
            self.records.append(record)
            self._write(record)
            yield record

    def _steps(self, state: State) -> Iterator[Record]:
        begin = last = self.clock()
        seconds = {"generate": 0.0, "update": 0.0, "evaluate": 0.0}
        for step in run(self.plan.recipe(), state=state, task=self.task):
            if isinstance(step, Part):
                continue  # its time belongs to what follows
            now = self.clock()
            if isinstance(step, Progress):
                if step.stage == "generate" and state.update > self._saved and self._due(state.update):
                    # Sampled for the next update, and nothing has moved yet: all records of this one are written.
                    self._checkpoint(state)
                seconds[step.stage] = seconds.get(step.stage, 0.0) + now - last
            elif isinstance(step, Record):
                if step.kind == "evaluation":
                    step = beside(self.plan, self.policy, self.task, step)
                    seconds["evaluate"] += self.clock() - now
                if step.kind == "update":
                    step = replace(step, metrics={**step.metrics, "generator_mismatch": self.policy.mismatch})
                if step.kind == "end":
                    yield Record("timing", step.update, metrics={**seconds, "total": now - begin})
                yield step
            last = self.clock()

    def _due(self, update: int) -> bool:
        return update % self.plan.checkpoint_every == 0

    # -- on disk

    @property
    def _journal(self) -> Path | None:
        return self.folder / "journal.jsonl" if self.folder else None

    def _write(self, record: Record) -> None:
        if self._journal is not None:
            with self._journal.open("a", encoding="utf-8") as file:
                print(journal.record_line(record), file=file)
        if record.kind == "update":
            self.say(f"{record.update:4d}  {_line(record, UPDATE)}")
        if record.kind == "evaluation":
            self.say(f"{record.update:4d}  {record.split}: {_line(record, EVALUATION)}")

    def _facts(self) -> str:
        plain = {name: value for name, value in self.plan.to_dict().items() if name not in WATCHING}
        return json.dumps(plain, sort_keys=True)

    def _checkpoint(self, state: State) -> None:
        """Whole or not at all: a disconnect in the middle of writing must not cost the last good one."""
        if self.folder is None:
            return
        file = io.BytesIO()
        known: dict[str, Any] = {name: getattr(state.experience, name) for name in ("right", "seen", "asked")}
        policy = np.frombuffer(self.policy.save(), dtype=np.uint8)
        np.savez(
            file,
            allow_pickle=False,
            facts=np.array(self._facts()),
            update=np.array(state.update),
            policy=policy,
            **known,
        )
        fresh = self.folder / "checkpoint.new"
        fresh.write_bytes(file.getvalue())
        fresh.replace(self.folder / "checkpoint.npz")
        self._saved = state.update

    def _resume(self, state: State) -> list[Record]:
        """Takes over checkpoint and journal up to it; begins a new journal where there is none."""
        if self.folder is None or self._journal is None:
            return []
        self.folder.mkdir(parents=True, exist_ok=True)
        saved = self.folder / "checkpoint.npz"
        kept: list[Record] = []
        if saved.exists():
            arrays: Any = np.load(saved, allow_pickle=False)
            if str(arrays["facts"]) != self._facts():
                raise DomainError(
                    "checkpoint", str(saved), "one of the same run: choose another folder, or empty this one"
                )
            self.policy.restore(arrays["policy"].tobytes())
            state.update = self._saved = int(arrays["update"])
            state.experience = Experience(*(arrays[name] for name in ("right", "seen", "asked")))
            kept = self._kept(state.update)
            self.say(f"Going on after update {state.update}.")
        text = journal.write(self.header, kept)
        self._journal.write_text(text, encoding="utf-8")
        return kept

    def _kept(self, update: int) -> list[Record]:
        """Records up to a checkpoint; a last line cut off by the disconnect is dropped."""
        assert self._journal is not None
        lines = self._journal.read_text(encoding="utf-8").split("\n")
        whole = "\n".join(lines[:-1])
        records = journal.read(whole).records
        return [record for record in records if record.update <= update]


def beside(plan: Plan, policy: LoraPolicy, task: ChatTask, record: Record) -> Record:
    """Adds to an evaluation accuracy by prompt and, held out, what one greedy answer to each prompt says."""
    sampled = task.judged[record.split].correct.mean(axis=1)
    series = {**record.series, "accuracy_by_prompt": sampled.tolist()}
    if record.split != "held_out":
        return replace(record, series=series)
    chosen = plan.measured(record.split)
    best = task.grade(record.split, chosen, policy.greedy(task.prompts(record.split, chosen)))
    series["greedy_by_prompt"] = best.correct[:, 0].astype(float).tolist()
    found = {"greedy": float(best.correct.mean()), "greedy_form": float(best.components["form"].mean())}
    return replace(record, metrics={**record.metrics, **found}, series=series)


def look(plan: Plan, policy: LoraPolicy, task: ChatTask, update: int, *, final: bool = False) -> Iterator[Record]:
    """Evaluates both splits as the core's loop does it, for a trainer that is not ours."""
    recipe = plan.recipe()
    for place, split in enumerate(SPLITS):
        generator = stream(recipe, EVALUATION_STREAM, int(final), update, place)
        settings = plan.evaluation
        steps = evaluate(
            policy,
            policy.copy(),
            task,
            split,
            plan.measured(split),
            generator,
            samples=settings.samples,
            group=plan.group,
            update=update,
            chunk=settings.chunk,
        )
        record = _last(steps)
        yield beside(plan, policy, task, replace(record, detail={"final": True}) if final else record)


def _last(steps: Generator[Progress | Part, None, Record]) -> Record:
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: Record = done.value
            return found


def _line(record: Record, names: tuple[str, ...]) -> str:
    return "  ".join(f"{name} {record.metrics[name]:.3f}" for name in names if name in record.metrics)
