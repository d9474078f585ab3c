"""Oracle: pycore.ratio.clipped_surrogate."""

from typing import Any

import numpy as np

from pycore import ratio as pycore_ratio
from web.exercises.folder import Check


def oracle(ratio: Any, advantage: Any, eps: float = 0.2) -> Any:
    """PPO's pessimistic clip."""
    rho, gain = np.broadcast_arrays(np.asarray(ratio, float), np.asarray(advantage, float))
    return pycore_ratio.clipped_surrogate(np.log(rho), gain, low=eps, high=eps).value


ORACLES = {"clipped_surrogate": oracle}
random = np.random.default_rng(5)
rho = np.array([0.5, 0.8, 1.0, 1.2, 1.5])
CHECKS = [
    Check("gain", [(rho, np.ones(5))]),
    Check("loss", [(rho, -np.ones(5))]),
    Check("equal", [(np.ones(3), np.array([2.0, 0.0, -3.0]))]),
    Check("eps", [(rho, np.array([1.0, -1.0, 2.0, -2.0, 1.0]), 0.1), (rho, -np.ones(5), 0.5)], hidden=True),
    Check("any", [(random.uniform(0.2, 3, (3, 4)).round(3), random.normal(size=(3, 4)).round(3))], hidden=True),
]
