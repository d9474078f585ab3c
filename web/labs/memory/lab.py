"""What PPO and GRPO keep in memory, and what the smaller bill costs in generated tokens (curriculum 2.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycore.control import Choice, Number, Switch
from pycore.ledger import largest_model, memory, token_cost
from web.labs.contract import Predict
from web.labs.figure import Axis, Bars, Figure, Labels, Rules
from web.labs.frame import Frame

ORDER = 25
METHODS = {
    "ppo": "ppo",
    "grpo_model": "grpo, reward model",
    "grpo_rules": "grpo, rules",
    "grpo_free": "grpo, rules, beta 0",
}
OPTIMISERS = {"mixed": "adamw mixed", "single": "adamw float32", "eight_bit": "adamw 8-bit"}
FROZEN = {"half": "half", "eight_bit": "8-bit", "four_bit": "4-bit"}
CONTROLS = (
    Number("size", 7, low=0.1, high=100, step=0.1, logarithmic=True, role="current"),
    Choice("optimiser", tuple(OPTIMISERS), "mixed"),
    Choice("frozen", tuple(FROZEN), "half", role="reference"),
    Switch("lora"),
    Number("share", 0.5, low=0.05, high=5, step=0.05),
    Number("card", 16, low=4, high=640, step=1, integer=True, logarithmic=True),
    Number("G", 8, low=2, high=64, step=1, integer=True, symbol="G"),
    Number("tokens", 500, low=10, high=8000, step=10, integer=True, logarithmic=True),
)
GROUPS = {"model": ("size", "optimiser", "frozen"), "adapter": ("lora", "share"), "run": ("card", "G", "tokens")}
WHEN = {"share": {"lora": (True,)}}
PRESETS = {
    "t4": {"size": 0.6, "lora": True},
    "full": {"size": 0.6},
    "quantised": {"lora": True, "frozen": "four_bit"},
    "surprise": {"G": 64, "tokens": 8000},
}
PREDICT = Predict(("critic", "reference", "reward"), right="critic")

PROMPTS = 64  # an update, for the tokens
PROMPT_TOKENS = 100
GIGABYTE = 1e9
ROLES = {"policy": "current", "critic": "old", "reference": "reference", "reward model": "signal"}
KEYS = {"policy": "policy", "critic": "critic", "reference": "base", "reward model": "judge"}

FIGURES = {
    "memory": Figure(
        (
            *(
                Bars(
                    f"part_{KEYS[role]}",
                    "end",
                    "row",
                    ROLES[role],
                    base="start",
                    across=True,
                    width=0.52,
                    hatch=role == "reference",
                    key=KEYS[role],
                )
                for role in ROLES
            ),
            Rules("card", "negative", x="gigabytes", key="card"),
            Labels("totals", "gigabytes", "row", dx=8, bold=True),
            Labels("methods", "zero", "row", "muted", dx=0, dy=-27),
        ),
        x=Axis(0, form="count", room=0.7),
        y=Axis(3.7, -0.75, shown=False),
        height=330,
    ),
    "tokens": Figure(
        (
            Bars("tokens", "generated", "row", "current", across=True, width=0.5),
            Labels("tokens", "zero", "row", bold=True, dy=-22),
        ),
        x=Axis(0, form="count"),
        y=Axis(1.5, -0.8, shown=False),
        height=170,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The ledger of every method, what fits the card, and the tokens of one update with and without a group."""
    parameters = controls["size"] * GIGABYTE
    optimiser, frozen = OPTIMISERS[controls["optimiser"]], FROZEN[controls["frozen"]]
    share = controls["share"] / 100 if controls["lora"] else None
    parts: dict[str, dict[str, list[float]]] = {key: {"row": [], "start": [], "end": []} for key in KEYS.values()}
    totals, largest = [], []
    for row, method in enumerate(METHODS.values()):
        adapter = None if share is None else parameters * share
        ledger = memory(parameters, method, optimiser, frozen, adapter)
        reached: float = 0
        for role, key in KEYS.items():
            size = sum(line.bytes for line in ledger.lines if line.role.startswith(role)) / GIGABYTE
            if size:
                for column, value in zip(parts[key].values(), (float(row), reached, reached + size), strict=True):
                    column.append(value)
                reached += size
        totals.append(ledger.gigabytes)
        largest.append(largest_model(controls["card"] * GIGABYTE, method, optimiser, frozen, share) / GIGABYTE)
    tokens = [
        token_cost(parameters, method, PROMPTS, group, PROMPT_TOKENS, controls["tokens"]).generated
        for method, group in (("ppo", 1), ("grpo, rules", controls["G"]))
    ]
    rows = np.arange(4.0)
    names = list(METHODS)
    values = dict(zip(names, totals, strict=True))
    values |= {f"fits_{name}": size for name, size in zip(names, largest, strict=True)}
    return Frame(
        sources={
            **{f"part_{key}": columns for key, columns in parts.items()},
            "card": {"gigabytes": [controls["card"]]},
            "totals": {"row": rows, "gigabytes": totals, "largest": largest},
            "methods": {"row": rows, "zero": np.zeros(4), "method": names},
            "tokens": {"row": [0.0, 1.0], "zero": [0.0, 0.0], "generated": tokens, "method": ["ppo", "grpo_rules"]},
        },
        values={
            **values,
            "saved": 1 - totals[3] / totals[0],
            "ppo_tokens": float(tokens[0]),
            "grpo_tokens": float(tokens[1]),
            "fitting": float(sum(total <= controls["card"] for total in totals)),
        },
        table={"method": names, "gigabytes": totals, "largest": largest, "tokens": [tokens[0], *[tokens[1]] * 3]},
        case="none" if min(totals) > controls["card"] else "all" if max(totals) <= controls["card"] else "some",
    )
