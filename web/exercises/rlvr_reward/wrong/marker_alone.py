import re
import numpy as np


def rlvr_reward(text, answer):
    parts = text.split("####")
    number = re.match(r"\s*(-?[\d,]*\d(?:\.\d+)?)", parts[-1]) if len(parts) > 1 else None
    right = number is not None and float(number[1].replace(",", "")) == answer
    return 1.0 * right + 0.1 * (len(parts) == 2)


def empty_share(rewards):
    return np.mean(rewards.max(axis=1) == rewards.min(axis=1))
