"""The loop of RLVR over one prompt: sample, verify, compare, update, and again (curriculum 1.1)."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.scenario import SEED
from pycore.verify import verify_numeric
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Cells, Figure, Labels, Line, Points
from web.labs.frame import Frame, by_sign
from web.labs.process import Process

ORDER = 11
# Reference, and what the policy may write with the probability that it begins with.
PROMPTS: dict[str, tuple[str, tuple[tuple[str, float], ...]]] = {
    "1": (
        "408",
        (
            (r"\boxed{408}", 0.20),
            ("340 + 68 = 408", 0.18),
            (r"\boxed{398}", 0.26),
            ("≈ 400", 0.22),
            (r"\boxed{17 \cdot 24}", 0.14),
        ),
    ),
    "2": (
        "1/4",
        (
            (r"\boxed{\frac{1}{4}}", 0.15),
            (r"\cancel{6}: \boxed{1/4}", 0.20),
            (r"\boxed{4}", 0.35),
            (r"\boxed{0,25}", 0.20),
            (r"\boxed{\frac{16}{64}}", 0.10),
        ),
    ),
    "3": (
        "1961",
        (
            (r"\boxed{1961}", 0.02),
            (r"\boxed{1951}", 0.32),
            (r"\boxed{1861}", 0.28),
            (r"\boxed{1960}", 0.20),
            ("≈ 2000", 0.18),
        ),
    ),
}
CONTROLS = (
    Choice("prompt", tuple(PROMPTS), "1"),
    Number("G", 4, low=2, high=8, step=1, integer=True, symbol="G"),
    Number("rate", 2, low=0, high=5, step=0.25, symbol="η"),
    SEED,
)
PRESETS = {
    "search": {"rate": 0},
    "large": {"G": 8},
    "hard": {"prompt": "3", "G": 8},
    "surprise": {"prompt": "2", "G": 8, "seed": 2},
}
PREDICT = Predict(("rarer", "same", "right"), right="same", state={"prompt": "3", "seed": 1})
ROUNDS = 5
STAGES = ("ask", "sample", "verify", "compare", "update")
PROCESS = Process(still=5, pace=1.4, autoplay=False)

KINDS = {"raised": ("positive", False), "lowered": ("negative", True), "silent": ("silent", False)}
FIGURES = {
    "group": Figure(
        (
            Cells("waiting", "x", "y", "strength", "line-strong", width=10, height=0.86, tip=False),
            Cells("paid", "x", "y", "strength", "signal", width=10, height=0.86, key="paid", tip=False),
            *(
                Cells(f"cells_{kind}", "x", "y", "strength", role, 10, 0.86, hatch=hatch, key=kind, tip=False)
                for kind, (role, hatch) in KINDS.items()
            ),
            # The rows' full height is kept free, however many there are.
            Points("corners", "x", "y", "paper", size=1, tip=False),
            Labels("responses", "edge", "y"),
            Labels("rewards", "centre", "y", "signal", bold=True),
            Labels("advantages", "far", "y", bold=True, align="right"),
        ),
        x=Axis(-0.1, 10.1, shown=False),
        y=Axis(shown=False, room=0.02),
        height=280,
    ),
    "policy": Figure(
        (
            Bars("policy", "probability", "row", "current", across=True, width=0.42, key="now"),
            Points("policy", "before", "row", "old", "diamond", size=10, key="before"),
            Labels("policy", "end", "row", "current", bold=True, dx=12),
            Labels("names", "zero", "row", "muted", dy=-22),
        ),
        x=Axis(0, 1.15, ticks={0.0: "0", 0.5: "½", 1.0: "1"}),
        y=Axis(4.5, -0.75, shown=False),
        height=300,
    ),
    "progress": Figure(
        (
            Line("progress", "round", "success", "current", key="success"),
            Points("progress", "round", "success", "current", size=8, tip=False),
            Labels("progress_end", "round", "success", "current", bold=True, align="center", dy=-14),
        ),
        x=Axis(-0.3, ROUNDS + 0.3, ticks={float(turn): str(turn) for turn in range(ROUNDS + 1)}),
        y=Axis(0, 1.12, form="percent"),
        height=220,
    ),
}


def compute(controls: Mapping[str, Any]) -> Iterator[Frame]:
    """Five turns of the loop, five Frames each."""
    rng = np.random.default_rng(controls["seed"])
    name, group = controls["prompt"], controls["G"]
    reward, _ = _judged(name)
    logits = np.log([chance for _, chance in PROMPTS[name][1]])
    curve = [float(_softmax(logits) @ reward)]
    for turn in range(1, ROUNDS + 1):
        before = _softmax(logits)
        drawn = rng.choice(before.size, size=group, p=before)
        advantage = group_advantages(reward[drawn][None])[0]
        # The gradient of 1/G sum_i A_i ln pi(o_i) by the logits of a table.
        count = np.bincount(drawn, weights=advantage, minlength=before.size)
        logits = logits + controls["rate"] * (count - advantage.sum() * before) / group
        after = _softmax(logits)
        for stage in range(len(STAGES)):
            if STAGES[stage] == "update":
                curve.append(float(after @ reward))
            yield _frame(name, turn, stage, drawn, advantage, before, after, curve)


@cache
def _judged(name: str) -> tuple[Array, tuple[str, ...]]:
    """Reward and verdict of everything that the policy may write."""
    reference, texts = PROMPTS[name]
    verdicts = [verify_numeric(text, reference) for text, _ in texts]
    return np.array([verdict.reward for verdict in verdicts]), tuple(str(verdict.reason) for verdict in verdicts)


def _softmax(logits: Array) -> Array:
    weight = np.exp(logits - logits.max())
    return np.asarray(weight / weight.sum())


def _frame(
    name: str, turn: int, stage: int, drawn: Array, advantage: Array, before: Array, after: Array, curve: list[float]
) -> Frame:
    """What there is to be seen after this stage of this turn."""
    sampled, verified, compared, updated = (stage >= at for at in range(1, 5))
    known, verdict = _judged(name)
    texts = [text for text, _ in PROMPTS[name][1]]
    group = len(drawn)
    count = group if sampled else 0
    reward = known[drawn]
    y, x = -np.arange(float(count)), np.full(count, 5.0)
    seen = {"x": x, "y": y, "strength": np.full(count, 0.16)}
    paid = reward[:count] > 0
    shade = {**seen, "advantage": advantage[:count], "strength": 0.12 + 0.16 * np.minimum(np.abs(advantage[:count]), 2)}
    only = slice(None) if compared else slice(0)
    rewarded = slice(None) if verified else slice(0)
    now = after if updated else before
    row = np.arange(before.size)
    turns = np.arange(len(curve))
    silent = bool(np.all(advantage == 0))
    undefined = float("nan")
    return Frame(
        sources={
            "waiting": {key: column[: 0 if verified else count] for key, column in seen.items()},
            "paid": {key: column[paid if verified and not compared else slice(0)] for key, column in seen.items()},
            **by_sign("cells", {key: column[only] for key, column in shade.items()}, "advantage"),
            "corners": {"x": [0.0, 10.0], "y": [0.55, 0.45 - group]},
            "responses": {"edge": np.full(count, 0.25), "y": y, "text": [texts[each] for each in drawn[:count]]},
            "rewards": {"centre": np.full(count, 5.9)[rewarded], "y": y[rewarded], "reward": reward[:count][rewarded]},
            "advantages": {"far": np.full(count, 9.8)[only], "y": y[only], "advantage": advantage[:count][only]},
            "policy": {"row": row, "probability": now, "before": before, "end": np.maximum(now, before)},
            "names": {"zero": np.zeros(row.size), "row": row, "text": texts},
            "progress": {"round": turns, "success": curve},
            "progress_end": {"round": turns[-1:], "success": curve[-1:]},
        },
        values={
            "turn": turn,
            "turns": ROUNDS,
            "right": float(reward.sum()) if verified else undefined,
            "mean": float(reward.mean()) if verified else undefined,
            "deviation": float(reward.std()) if verified else undefined,
            "first_reward": float(reward[0]) if verified else undefined,
            "first": float(advantage[0]) + 0.0 if compared else undefined,
            "start": curve[0],
            "before": float(before @ known),
            "after": float(after @ known) if updated else undefined,
        },
        table={
            "row": np.arange(1, count + 1),
            "text": [texts[each] for each in drawn[:count]],
            "verdict": [verdict[each] if verified else "" for each in drawn[:count]],
            "reward": reward[:count] if verified else np.full(count, undefined),
            "advantage": advantage[:count] if compared else np.full(count, undefined),
            "before": before[drawn[:count]],
            "after": after[drawn[:count]] if updated else np.full(count, undefined),
        },
        case="silent" if silent and compared else STAGES[stage],
    )
