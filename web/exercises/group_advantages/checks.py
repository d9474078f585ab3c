"""Oracle: pycore.advantages.group_advantages."""

from typing import Any

import numpy as np

from pycore import advantages
from web.exercises.folder import Check


def oracle(rewards: Any, eps: float = 1e-6) -> Any:
    """The canonical GRPO advantage."""
    return advantages.group_advantages(rewards, eps=eps)


ORACLES = {"group_advantages": oracle}
random = np.random.default_rng(2)
CHECKS = [
    Check("one_success", [(np.array([[1.0, 0.0, 0.0, 0.0]]),)]),
    Check("groups_apart", [(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]),)]),
    Check("flat", [(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),)]),
    Check("eps", [(np.array([[1.0, 0.0, 0.0, 1.0, 0.0]]), 0.5)], hidden=True),
    Check("any", [(random.normal(size=(3, 5)).round(3),), (random.normal(size=(4, 2)).round(3), 0.1)], hidden=True),
    Check("shift", [(np.array([[101.0, 100.0, 100.0], [3.0, 5.0, 4.0]]),)], hidden=True),
]
