"""Oracle: pycore.direct.dpo."""

from typing import Any

import numpy as np

from pycore import direct
from web.exercises.folder import Check


def oracle(chosen: Any, rejected: Any, ref_chosen: Any, ref_rejected: Any, beta: float = 0.1) -> float:
    """Mean over the pairs."""
    return float(direct.dpo(chosen, rejected, ref_chosen, ref_rejected, beta).loss.mean())


ORACLES = {"dpo_loss": oracle}
random = np.random.default_rng(18)
logps = -random.uniform(5, 60, size=(4, 5)).round(1)
pair = [np.array([value]) for value in (-20.0, -25.0, -22.0, -24.0)]
CHECKS = [
    Check("hand", [tuple(pair)]),
    Check("control", [(logps[0], logps[1], logps[0], logps[1]), (logps[0], logps[1], logps[0], logps[1], 3.0)]),
    Check("falling", [tuple(np.array([value]) for value in (-23.0, -30.0, -22.0, -24.0))]),
    Check("beta", [(*pair, 1.0), (*logps, 0.05)], hidden=True),
    Check("pairs", [tuple(logps)], hidden=True),
    Check("far", [tuple(np.array([value]) for value in (-9000.0, -10.0, -10.0, -9000.0))], hidden=True),
]
