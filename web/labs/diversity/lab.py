"""Two ways to solve, praised for being right: what is left of the second, and what holds it (curriculum 4.2)."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pycore.control import Number
from pycore.domain import Array
from pycore.pass_at_k import expected_pass_at_k
from pycore.scenario import SEED
from web.labs.contract import Predict
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules
from web.labs.frame import Frame
from web.labs.process import Process

ORDER = 42
CONTROLS = (
    Number("first", 0.9, low=0, high=1, step=0.05, role="positive"),
    Number("second", 0.8, low=0, high=1, step=0.05, role="negative"),
    Number("beta", 0, low=0, high=1, step=0.01, symbol="β", role="reference"),
    Number("bonus", 0, low=0, high=0.3, step=0.01, symbol="α"),
    Number("only", 0, low=0, high=0.5, step=0.01),
    Number("base", 0.5, low=0.05, high=0.95, step=0.05, role="reference"),
    Number("batch", 16, low=4, high=128, step=4, integer=True),
    Number("steps", 120, low=20, high=200, step=10, integer=True),
    SEED,
)
GROUPS = {"ways": ("first", "second", "base"), "remedies": ("beta", "bonus", "only", "batch"), "run": ("steps", "seed")}
PRESETS = {
    "held": {"beta": 0.1},
    "weak": {"beta": 0.02},
    "asked": {"only": 0.05},
    "surprise": {"second": 0.9, "steps": 200},
}
PREDICT = Predict(("stay", "part", "mix"), right="part", state={"second": 0.9, "steps": 200})
PROCESS = Process(pace=0.1)

RATE = 6.0  # of the gradient step on the logit of the first way
RUNS = 8
TRIES = 4
STRIDE = 5  # steps from one frame to the next
NEARLY_GONE = 0.1  # a way with less than this is called lost

FIGURES = {
    "share": Figure(
        (
            *(
                Line("run", "step", f"sampled_{run}", "silent", width=1.2, key="" if run else "sampled", tip=False)
                for run in range(RUNS)
            ),
            Rules("rest", "reference", y="share", dash="dashed", key="rest"),
            Line("run", "step", "share", "current", width=3.5, key="exact"),
            Points("last", "step", "share", "current", here=True, tip=False),
            Labels("last", "step", "share", "current", bold=True, align="right", dx=-8, dy="dy"),
        ),
        x=Axis(0, form="count", room=0.02),
        y=Axis(0, 1.04, form="percent"),
        height=310,
    ),
    "tries": Figure(
        (
            Line("run", "step", "training", "positive", key="training"),
            Line("run", "step", "one", "ink", "dashed", width=2, key="one"),
            Line("run", "step", "four", "negative", "dotdash", key="four"),
        ),
        x=Axis(0, form="count", room=0.02),
        y=Axis(0.4, 1.04, form="percent"),
        height=250,
    ),
}


def compute(controls: Mapping[str, Any]) -> Iterator[Frame]:
    """The first way's share by the exact gradient and in runs on sampled responses, and what new prompts see of it."""
    only = controls["only"]
    right = np.array([controls["first"] * (1 - only), controls["second"] * (1 - only) + only])
    for path in _trained(right, controls):
        yield _frame(path[:, 0], path[:, 1:], right, controls)


def _frame(share: Array, sampled: Array, right: Array, controls: Mapping[str, Any]) -> Frame:
    hold, gap, base = controls["beta"] + controls["bonus"], right[0] - right[1], _logit(controls["base"])
    if hold > 0:
        rest = float(_share(np.array((gap + controls["beta"] * base) / hold)))
    else:
        rest = controls["base"] if abs(gap) < 1e-12 else float(gap > 0)
    step, ends = np.arange(share.size), sampled[-1]
    four = _new_prompts(share)
    last = float(share[-1])
    return Frame(
        sources={
            "run": {
                "step": step,
                "share": share,
                **{f"sampled_{run}": sampled[:, run] for run in range(RUNS)},
                "training": share * right[0] + (1 - share) * right[1],
                "one": np.full(step.size, 0.5),
                "four": four,
            },
            "rest": {"share": [rest]},
            "last": {"step": step[-1:], "share": [last], "dy": [14.0 if last > 0.8 else -14.0]},
        },
        values={
            "share": last,
            "rest": rest,
            "first_right": float(right[0]),
            "second_right": float(right[1]),
            "lost": float(np.sum(np.minimum(ends, 1 - ends) < NEARLY_GONE)),
            "lowest": float(ends.min()),
            "highest": float(ends.max()),
            "four_before": float(four[0]),
            "four_after": float(four[-1]),
            "training_before": float(share[0] * right[0] + (1 - share[0]) * right[1]),
            "training_after": float(last * right[0] + (1 - last) * right[1]),
        },
        table=_table(step, share, four, sampled),
        case="held" if hold > 0 else "equal" if abs(gap) < 1e-9 else "free",
    )


def _trained(right: Array, controls: Mapping[str, Any]) -> Iterator[Array]:
    """Shares of the first way so far, shape (steps + 1, 1 + RUNS): the exact run, then those on sampled batches."""
    steps, batch, base = controls["steps"], controls["batch"], _logit(controls["base"])
    beta, bonus = controls["beta"], controls["bonus"]
    rng = np.random.default_rng(controls["seed"])
    ways, luck = rng.random((2, steps, RUNS, batch), dtype=np.float32)
    gap = right[0] - right[1]
    logit = np.full(RUNS + 1, base)
    path = [np.full(RUNS + 1, controls["base"])]
    push = np.empty(RUNS + 1)
    for step, (way, chance) in enumerate(zip(ways, luck, strict=True), start=1):
        p = path[-1]
        spread = p * (1 - p)
        one = way < p[1:, None]
        reward = chance < np.where(one, right[0], right[1])
        both = np.count_nonzero(one & reward, axis=1) / batch
        push[0] = spread[0] * gap
        # mean of (reward - mean reward) (one - p), the group's own baseline
        push[1:] = both - reward.mean(axis=1) * one.mean(axis=1)
        logit = logit + RATE * (push + spread * (beta * (base - logit) - bonus * logit))
        path.append(_share(logit))
        if step % STRIDE == 0:
            yield np.stack(path)


def _table(step: Any, share: Array, four: Array, sampled: Array) -> Mapping[str, Any]:
    kept = np.unique(np.linspace(0, step.size - 1, 13).round().astype(int))
    ends = sampled[kept]
    columns = {"step": step, "share": share, "four": four}
    return {name: column[kept] for name, column in columns.items()} | {"low": ends.min(1), "high": ends.max(1)}


def _new_prompts(share: Array) -> Array:
    """pass@4 on new prompts, half of which yield to the first way only and half to the second only."""
    return np.asarray((expected_pass_at_k(share, TRIES) + expected_pass_at_k(1 - share, TRIES)) / 2)


def _logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


def _share(logit: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-logit)))
