"""The reward of this run: for verl `compute_score`, for TRL `REWARDS` and `WEIGHTS`; both ask `pycore.verify`."""

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# verl's workers load this file by its path, from a folder of their own.
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from pycore.verify import NumericContract, accuracy_reward, format_reward, reward_parts
from pycore.verify.trainer import reward_function

SETTINGS = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))
CONTRACT = NumericContract.from_dict(SETTINGS["contract"])


def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **_: Any) -> Any:
    """verl: what one response is paid, and its parts."""
    reward = reward_parts(solution_str, ground_truth, contract=CONTRACT, **SETTINGS["weights"])
    parts = reward.raw()
    return {"score": reward.total, "acc": parts["accuracy"], "format": parts["format"]}


def _accuracy(text: str, answer: str) -> float:
    return accuracy_reward(text, answer, contract=CONTRACT)


def _format(text: str, answer: str) -> float:
    return format_reward(text, contract=CONTRACT)


# TRL: one function a part, so that its log tells them apart; the trainer adds them with these weights.
REWARDS = [reward_function(_accuracy, name="accuracy_reward"), reward_function(_format, name="format_reward")]
WEIGHTS = [SETTINGS["weights"]["accuracy"], SETTINGS["weights"]["format"]]
