"""Oracle: pycore.preference.comparison_loss."""

from typing import Any

import numpy as np

from pycore.preference import comparison_loss
from web.exercises.folder import Check


def oracle(chosen: Any, rejected: Any) -> float:
    """Mean over the pairs."""
    return float(comparison_loss(chosen, rejected).loss.mean())


ORACLES = {"bradley_terry_loss": oracle}
random = np.random.default_rng(17)
one, other = random.normal(size=(2, 6)).round(2) * 3
CHECKS = [
    Check("hand", [(np.array([2.0]), np.array([1.0]))]),
    Check("equal", [(np.array([0.5, -3.0]), np.array([0.5, -3.0]))]),
    Check("pairs", [(np.array([2.0, 0.0, 1.0]), np.array([1.0, 3.0, 1.0]))]),
    Check("shift", [(one + 100, other + 100)], hidden=True),
    Check(
        "far",
        [(np.array([-1000.0, 0.0]), np.array([1000.0, 0.0])), (np.array([1000.0]), np.array([-1000.0]))],
        hidden=True,
    ),
    Check("any", [(one, other)], hidden=True),
]
