"""What a TRL trainer leaves behind, as a journal: `trainer_state.json`, or its `log_history` alone.

A metric that means the same in both places takes our name. Every other one keeps its own, marked by `trl_` in front
(`completions/min_length` becomes `trl_completions_min_length`), and `header.recipe["foreign"]` maps the marks back.
TRL's `clip_ratio/*` are among these: they are shares of all tokens, ours of the tokens of one sign. One record stands
for `logging_steps` steps, whose mean it is.
"""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from pycore.domain import DomainError
from pycore.journal import LARGEST_UPDATE, MOST_CHARACTERS, MOST_LINES, Header, Journal, measured
from pycore.train.record import EVALUATION_METRICS, TIMING_METRICS, UPDATE_METRICS, Metric, Record
from pycore.untrusted import read_json

MARK = "trl_"
MOST_FOREIGN, LONGEST_NAME = 80, 200
EVALUATED = "eval_"
ENDED = "train_runtime"

SAME: dict[str, str] = {
    "loss": "loss",
    "reward": "reward",
    "grad_norm": "gradient_norm",
    "entropy": "entropy",
    "kl": "kl",
    "completions/mean_length": "length",
    "completions/clipped_ratio": "truncated",
    # Of the reward functions those that a notebook of ours, and many others, call so: raw means before any weight.
    "rewards/accuracy/mean": "accuracy",
    "rewards/accuracy_reward/mean": "accuracy",
    "rewards/format/mean": "form",
    "rewards/format_reward/mean": "form",
}
COMPLEMENT: dict[str, str] = {"frac_reward_zero_std": "informative", "completions/clipped_ratio": "ended"}
# What is left out: the trainer's own bookkeeping.
IDLE = {"step", "epoch", "total_flos", "runtime", "samples_per_second", "steps_per_second"}

_LENGTH, _SHARE = Metric("answers", "token", 0), Metric("policy", "share", 0, 1)
FOREIGN: dict[str, Metric] = {
    "reward_std": Metric("data", "", 0),
    "learning_rate": Metric("policy", "", 0),
    "num_tokens": Metric("system", "token", 0),
    "step_time": Metric("system", "second", 0),
    **{f"clip_ratio/{name}": _SHARE for name in ("low_mean", "low_min", "high_mean", "high_max", "region_mean")},
    "cispo_clip_ratio": _SHARE,
    **{f"completions/{name}_length": _LENGTH for name in ("min", "max")},
    **{f"completions/{name}_terminated_length": _LENGTH for name in ("mean", "min", "max")},
    **{f"sampling/sampling_logp_difference/{name}": Metric("policy", "nat", 0) for name in ("mean", "max")},
    **{f"sampling/importance_sampling_ratio/{name}": Metric("policy", "", 0) for name in ("min", "mean", "max")},
}


def read(text: str) -> Journal:
    """The journal of a run by TRL.

    Args:
        text: content of a `trainer_state.json`, or JSON of a list of log entries. `NaN` and `Infinity`, which Python
            writes, are taken for "not measured" and counted in `header.recipe["not_finite"]`.

    Returns:
        Journal; entries of evaluations are of the split `held_out`. Log entries' values that are no numbers, and of
        unknown name, are counted in `ignored`.

    Raises:
        DomainError: names the entry, the field and what is allowed: too large, not JSON, no log, a step that is missing
            or runs backwards, a number out of its metric's bounds.

    >>> run = read('[{"step": 1, "loss": 0.5, "reward": 0.25, "frac_reward_zero_std": 0.75, "reward_std": 0.1}]')
    >>> run.of("update")[0].metrics
    {'loss': 0.5, 'reward': 0.25, 'informative': 0.25, 'trl_reward_std': 0.1}
    """
    if not isinstance(text, str):
        raise DomainError("trainer state", type(text).__name__, "text")
    whole = read_json("trainer state", text.removeprefix("\ufeff"), longest=MOST_CHARACTERS, unmeasured=True)
    state: Any = {"log_history": whole} if isinstance(whole, list) else whole
    history = state.get("log_history") if isinstance(state, dict) else None
    if not isinstance(history, list):
        raise DomainError("trainer state", text[:80], "an object with a list log_history, or such a list")
    if not 0 < len(history) <= MOST_LINES:
        raise DomainError("len(log_history)", len(history), f"1 to {MOST_LINES} entries")
    names = _Names()
    records: list[Record] = []
    last = 0
    for place, entry in enumerate(history):
        step: Any = entry.get("step") if isinstance(entry, dict) else None
        if type(step) is not int or not last <= step <= LARGEST_UPDATE:
            raise DomainError(f"log_history[{place}].step", step, f"an integer from {last} to {LARGEST_UPDATE}")
        records += _records(f"log_history[{place}]", step, entry, names)
        last = step
    settings: dict[str, int] = {name: state[name] for name in _SETTINGS if isinstance(state.get(name), int)}
    wanted = settings.get("max_steps", 0)
    if not any(record.kind == "end" for record in records) and 0 < wanted <= last:
        records.append(Record("end", last, detail={"reason": "updates"}))
    recipe = {"trainer": "trl", **settings, "foreign": names.original, "not_finite": names.not_finite}
    return Journal(Header("", recipe), tuple(records), names.ignored)


_SETTINGS = ("max_steps", "logging_steps", "eval_steps", "save_steps", "train_batch_size", "num_train_epochs")


class _Names:
    """The marks given to foreign metrics so far, and what else is counted."""

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}
        self.not_finite = self.ignored = 0

    @property
    def original(self) -> dict[str, str]:
        """Mark to the name that the trainer wrote."""
        return {mark: name for name, mark in self.marks.items()}

    def mark(self, place: str, name: str) -> str:
        """The mark of a foreign metric: the same for the same name, another for another."""
        if name not in self.marks:
            if len(name) > LONGEST_NAME or len(self.marks) >= MOST_FOREIGN:
                raise DomainError(
                    place, name, f"at most {MOST_FOREIGN} other metrics, of at most {LONGEST_NAME} letters"
                )
            plain = MARK + re.sub(r"[^a-z0-9]+", "_", name.lower())[:60].strip("_")
            taken = set(self.marks.values())
            again = (f"{plain}_{count}" for count in range(2, MOST_FOREIGN + 2))
            self.marks[name] = plain if plain not in taken else next(mark for mark in again if mark not in taken)
        return self.marks[name]


def _records(place: str, step: int, entry: Mapping[str, Any], names: _Names) -> list[Record]:
    """One log entry as records: an update, an evaluation, the end; an entry may hold several of them."""
    told: dict[str, dict[str, float]] = {"update": {}, "evaluation": {}}
    closing = {name: value for name, value in entry.items() if name.startswith("train_")} if ENDED in entry else {}
    for name, value in entry.items():
        if name in closing:
            continue
        kind = "evaluation" if name.startswith(EVALUATED) else "update"
        short = name.removeprefix(EVALUATED)
        if short not in IDLE:
            told[kind] |= _metrics(f"{place}.{name}"[:LONGEST_NAME], kind, short, value, names)
    records = [
        Record(kind, step, "held_out" if kind == "evaluation" else "", metrics)
        for kind, metrics in told.items()
        if metrics
    ]
    if closing:
        seconds = _number(f"{place}.{ENDED}", closing[ENDED], TIMING_METRICS["total"], names)
        records += [Record("timing", step, metrics={"total": seconds}), Record("end", step, detail={"reason": "trl"})]
    return records


def _metrics(place: str, kind: str, name: str, value: object, names: _Names) -> dict[str, float]:
    """The metrics that one value of a log entry becomes."""
    ours = UPDATE_METRICS if kind == "update" else EVALUATION_METRICS
    found: dict[str, float] = {}
    if (same := SAME.get(name)) in ours:
        found[str(same)] = _number(place, value, ours[str(same)], names)
    if name in COMPLEMENT:
        found[COMPLEMENT[name]] = 1 - _number(place, value, ours[COMPLEMENT[name]], names)
    if found:
        return found
    if isinstance(value, str | list | dict | bool):
        names.ignored += 1
        return {}
    return {names.mark(place, name): _number(place, value, FOREIGN.get(name), names)}


def _number(place: str, value: object, metric: Metric | None, names: _Names) -> float:
    if isinstance(value, float) and not isfinite(value):
        names.not_finite += 1
        value = None
    return measured(place, value, metric)
