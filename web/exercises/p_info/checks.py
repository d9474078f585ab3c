"""Oracle: pycore.groups.informative_probability."""

import numpy as np

from pycore.groups import informative_probability
from web.exercises.folder import Check

ORACLES = {"p_info": informative_probability}
CHECKS = [
    Check("coin", [(0.5, 2), (0.5, 4), (0.5, 8)]),
    Check("symmetry", [(0.1, 8), (0.9, 8)]),
    Check("array", [(np.array([0.01, 0.1, 0.5, 0.9, 0.99]), 8)]),
    Check("certain", [(0.0, 8), (1.0, 8), (0.0, 2)], hidden=True),
    Check("single", [(0.3, 1), (0.8, 1)], hidden=True),
    Check("grid", [(np.array([0.02, 0.37, 0.97]), G) for G in (2, 3, 16, 64)], hidden=True),
]
