"""An arena of answer styles: the reward decides which of them a small policy learns (curriculum 5 and 1.2)."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from pycore.control import Number
from pycore.domain import Array
from pycore.verify.reward import accuracy_reward, format_reward
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Rules
from web.labs.frame import Frame

ORDER = 53
CONTROLS = (
    Number("accuracy", 1, low=0, high=2, step=0.1, role="positive"),
    Number("format", 0.1, low=0, high=2, step=0.05, role="negative"),
    Number("anywhere", 0, low=0, high=1, step=0.05),
    Number("skill", 0.4, low=0, high=1, step=0.05, symbol="q"),
    Number("steps", 80, low=10, high=200, step=10, integer=True),
)
GROUPS = {"pay": ("accuracy", "format", "anywhere"), "run": ("skill", "steps")}
PRESETS = {
    "format": {"accuracy": 0, "format": 1},
    "anywhere": {"accuracy": 0, "format": 0, "anywhere": 1},
    "flat": {"skill": 0, "format": 0},
    "surprise": {"anywhere": 0.8, "skill": 0.2, "steps": 120},
}
PREDICT = Predict(("reason", "guess", "listing"), right="guess", state={"accuracy": 0, "format": 1})

STYLES = ("reason", "bare", "guess", "listing")
START = np.array([0.15, 0.6, 0.2, 0.05])
RATE = 0.5  # of the exact gradient step on the four logits
ROLES = {"reason": "positive", "bare": "silent", "guess": "negative", "listing": "old"}
DASHES = {"reason": "solid", "bare": "dotted", "guess": "dashed", "listing": "dotdash"}

TASKS = 20
REFERENCES = tuple(int(value) for value in np.random.default_rng(1).choice(np.arange(8, 100), TASKS, replace=False))

FIGURES = {
    "styles": Figure(
        (
            *(Line("run", "step", style, ROLES[style], DASHES[style], key=style) for style in STYLES),
            Rules("zero", "line-strong", y="share"),
        ),
        x=Axis(0, form="count"),
        y=Axis(0, 1.04, form="percent"),
        height=300,
    ),
    "truth": Figure(
        (
            Line("run", "step", "right", "positive", key="right"),
            Line("run", "step", "reward", "ink", "dashed", width=2, key="reward"),
        ),
        x=Axis(0, form="count"),
        y=Axis(0, room=0.1),
        height=230,
    ),
    "pay": Figure(
        (
            Bars("pay", "reward", "row", "signal", across=True, width=0.55),
            Labels("pay", "reward", "row", dx=8, bold=True),
            Labels("names", "zero", "row", "muted", dy=-24),
        ),
        x=Axis(0, room=0.3),
        y=Axis(3.6, -0.75, shown=False),
        height=250,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """Pays every style by the real verifier and follows the exact gradient of the mean reward from a common start."""
    form, right, anywhere = _measured(round(controls["skill"] * TASKS))
    pay = controls["accuracy"] * right + controls["format"] * form + controls["anywhere"] * anywhere
    shares = _trained(pay, controls["steps"])
    step = np.arange(len(shares))
    kept = np.unique(np.linspace(0, len(shares) - 1, 121).round().astype(int))
    run = {"step": step[kept]} | {style: shares[kept, index] for index, style in enumerate(STYLES)}
    run |= {"right": shares[kept] @ right, "reward": shares[kept] @ pay}
    last, first = shares[-1], shares[0]
    winner = STYLES[int(np.argmax(last))]
    rows = np.arange(4.0)
    return Frame(
        sources={
            "run": run,
            "zero": {"share": [0.0]},
            "pay": {"row": rows, "reward": pay},
            "names": {"row": rows, "zero": np.zeros(4), "style": list(STYLES)},
        },
        values={
            "winner": winner,
            "share": float(last.max()),
            "right_before": float(first @ right),
            "right_after": float(last @ right),
            "reward_before": float(first @ pay),
            "reward_after": float(last @ pay),
        },
        table={
            "style": list(STYLES),
            "right": right,
            "form": form,
            "anywhere": anywhere,
            "reward": pay,
            "before": first,
            "after": last,
        },
        case="flat" if np.ptp(pay) < 1e-12 else "honest" if winner == "reason" else "hacked",
    )


@cache
def _measured(solved: int) -> tuple[Array, Array, Array]:
    """Of every style over the tasks: form kept, right under the contract, right number anywhere; shape (styles,)."""
    found = np.zeros((3, len(STYLES)))
    for task, reference in enumerate(REFERENCES):
        # What the policy can do is the same in every style; the styles differ in what they show of it.
        value = reference if task < solved else reference + 1
        texts = {
            "reason": f"So the sum is {value}. #### {value}",
            "bare": f"So the sum is {value}.",
            "guess": "#### 7",
            "listing": " ".join(map(str, range(1, 101))),
        }
        for index, style in enumerate(STYLES):
            words = texts[style].replace(".", " ").split()
            found[:, index] += (
                format_reward(texts[style]),
                accuracy_reward(texts[style], reference),
                str(reference) in words,
            )
    form, right, anywhere = found / len(REFERENCES)
    return form, right, anywhere


def _trained(pay: Array, steps: int) -> Array:
    """Shares of the styles after every step, shape (steps + 1, styles)."""
    logits, shares = np.log(START), [START]
    for _ in range(steps):
        p = shares[-1]
        logits = logits + RATE * p * (pay - p @ pay)
        weights = np.exp(logits - logits.max())
        shares.append(weights / weights.sum())
    return np.stack(shares)
