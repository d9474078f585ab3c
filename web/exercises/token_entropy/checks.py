"""Oracle: pycore.diagnostics.token_entropy."""

import numpy as np

from pycore.diagnostics import token_entropy
from web.exercises.folder import Check

ORACLES = {"token_entropy": token_entropy}
random = np.random.default_rng(7)
CHECKS = [
    Check("uniform", [(np.zeros(4),), (np.full(10, 3.0),)]),
    Check("skewed", [(np.array([2.0, 1.0, 0.0]),)]),
    Check("tokens", [(np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 5.0]]),)]),
    Check("shift", [(np.array([2.0, 1.0, 0.0]) + 50,)], hidden=True),
    Check("large", [(np.array([1000.0, 1000.0]),), (np.array([[-800.0, 0.0, 800.0]]),)], hidden=True),
    Check("any", [(random.normal(size=(2, 3, 5)).round(3),)], hidden=True),
]
