import re
import numpy as np


def rlvr_reward(text, answer):
    parts = text.split("####")
    number = re.match(r"\s*(-?[\d,]*\d(?:\.\d+)?)", parts[-1]) if len(parts) > 1 else None
    right = str(answer) in re.findall(r"-?\d+", text.replace(",", ""))
    return 1.0 * right + 0.1 * (number is not None and len(parts) == 2)


def empty_share(rewards):
    return np.mean(rewards.max(axis=1) == rewards.min(axis=1))
