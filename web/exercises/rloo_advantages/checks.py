"""Oracle: pycore.advantages.group_advantages with a leave-one-out baseline."""

from typing import Any

import numpy as np

from pycore.advantages import group_advantages
from web.exercises.folder import Check


def oracle(rewards: Any) -> Any:
    """Reward minus the mean of the others."""
    return group_advantages(rewards, baseline="leave_one_out", scale="none")


ORACLES = {"rloo_advantages": oracle}
random = np.random.default_rng(3)
CHECKS = [
    Check("one_success", [(np.array([[1.0, 0.0, 0.0, 0.0]]),)]),
    Check("groups_apart", [(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),)]),
    Check("flat", [(np.array([[1.0, 1.0, 1.0, 1.0]]),)]),
    Check("pair", [(np.array([[3.0, 1.0], [0.0, 5.0]]),)], hidden=True),
    Check("any", [(random.normal(size=(3, 6)).round(3),), (random.normal(size=(1, 3)).round(3),)], hidden=True),
]
