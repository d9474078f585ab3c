"""Oracle: pycore.length.kimi_length_reward."""

import numpy as np

from pycore.length import kimi_length_reward
from web.exercises.folder import Check

ORACLES = {"kimi_length_reward": kimi_length_reward}
CHECKS = [
    Check("all_right", [(np.array([100, 200, 300]), np.array([True, True, True]))]),
    Check("wrong", [(np.array([100, 200, 300]), np.array([False, False, False]))]),
    Check("mixed", [(np.array([120, 400, 240, 360]), np.array([True, False, False, True]))]),
    Check(
        "equal",
        [(np.array([50, 50, 50]), np.array([True, False, True])), (np.array([7]), np.array([True]))],
        hidden=True,
    ),
    Check(
        "extremes",
        [(np.array([0, 10**6]), np.array([False, True])), (np.array([5, 6]), np.array([True, False]))],
        hidden=True,
    ),
]
