"""Practicum A: a small language model trained by reinforcement from a verifier, live in the page (curriculum 5.4)."""

from collections.abc import Iterator, Mapping
from typing import Any

from pycore.control import Choice
from web.dashboard import recipe
from web.dashboard.panel import FIGURES
from web.dashboard.training import training
from web.labs.contract import Predict, State
from web.labs.process import Process, Yielded

ORDER = 54
COMPONENT = "dashboard"
FILES = ("web/recorded/healthy-0.jsonl", "web/recorded/collapse-0.jsonl", "web/recorded/base-0.bin")
SWEEP = "web/recorded/transfer.json"
PROCESS = Process(still=1, autoplay=False, stops=True)
REFERENCES = {"none": "", "healthy": "healthy-0", "collapse": "collapse-0"}
CONTROLS = (*recipe.CONTROLS, Choice("reference", tuple(REFERENCES), "healthy"))
GROUPS = recipe.GROUPS
FOLDED = ("protocol", "measuring")
COLLAPSE: State = {
    **{"prompts": 48, "G": 4, "iterations": 16, "learning_rate": 0.0025, "batch": 16, "updates": 100, "every": 4},
    **{"stop": 0.46, "reference": "collapse"},
}
PRESETS: dict[str, State] = {
    "healthy": {},
    "surprise": COLLAPSE,
    "fast": {"learning_rate": 0.006, "updates": 100, "every": 25},
    "rloo": {"protocol": "rloo", "iterations": 1, "updates": 100, "every": 25},
}
PREDICT = Predict(("up", "same", "down"), "down", COLLAPSE)
__all__ = ["FIGURES"]


def compute(controls: Mapping[str, Any]) -> Iterator[Yielded]:
    """The run, from its base to its last evaluation."""
    return training(recipe.recipe(controls), REFERENCES[controls["reference"]], "train_run")
