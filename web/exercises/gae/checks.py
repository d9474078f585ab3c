"""Oracle: pycore.ppo.generalised_advantages."""

from typing import Any

import numpy as np

from pycore.ppo import generalised_advantages
from web.exercises.folder import Check


def oracle(rewards: Any, values: Any, gamma: float = 1.0, lam: float = 0.95) -> Any:
    """One episode that really ends."""
    whole = np.ones((1, len(rewards)), bool)
    return generalised_advantages(rewards[None], values[None], whole, gamma, lam).advantages[0]


ORACLES = {"gae": oracle}
random = np.random.default_rng(13)
rewards, values = random.normal(size=(2, 6)).round(2)
end, critic = np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.6, 0.8])
CHECKS = [
    Check("hand", [(end, critic, 1.0, 0.5)]),
    Check("monte_carlo", [(end, critic, 1.0, 1.0)]),
    Check("one_step", [(end, critic, 0.9, 0.0)]),
    Check("any", [(rewards, values, 0.9, 0.8), (rewards, values)], hidden=True),
    Check("short", [(np.array([2.0]), np.array([0.5]), 0.9, 0.9)], hidden=True),
]
