"""Oracle: pycore.length.overlong_penalty."""

import numpy as np

from pycore import length
from web.exercises.folder import Check

ORACLES = {"overlong_penalty": length.overlong_penalty}
CHECKS = [
    Check("zones", [(np.array([1000, 1800, 1900, 2000, 2100]), 2000, 200)]),
    Check("linear", [(np.array([1801, 1850, 1950, 1999]), 2000, 200)]),
    Check("empty", [(np.array([0, 1]), 100, 50)], hidden=True),
    Check("far", [(np.array([5000, 10**6]), 2000, 200)], hidden=True),
    Check("whole", [(np.array([0, 5, 10, 20]), 10, 10)], hidden=True),
    Check("groups", [(np.array([[90, 97], [100, 101]]), 100, 8)], hidden=True),
]
