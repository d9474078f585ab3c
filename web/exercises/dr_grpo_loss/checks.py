"""Oracle: pycore.objective.evaluate with the Dr. GRPO protocol."""

from typing import Any

import numpy as np

from pycore.batch import Batch
from pycore.objective import evaluate
from pycore.protocol import Protocol
from web.exercises.folder import Check


def oracle(logp: Any, logp_old: Any, rewards: Any, mask: Any, max_tokens: int, eps: float = 0.2) -> float:
    """One group, centred rewards, a constant divisor."""
    protocol = Protocol(scale="none", aggregation="constant", max_tokens=max_tokens, clip_low=eps, clip_high=eps)
    return evaluate(protocol, Batch(logp[None], logp_old[None], mask[None], rewards[None])).loss


ORACLES = {"dr_grpo_loss": oracle}
random = np.random.default_rng(9)
mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]], bool)
logp, old = np.log(random.uniform(0.1, 0.9, size=(2, 3, 4))).round(2)
short = np.array([[1, 1, 1], [1, 0, 0]], bool)
fresh = np.array([[-0.5, -1.0, -0.45], [-1.5, 0.0, 0.0]])
moved = fresh + np.array([[0.0, -0.4, 0.3], [-0.3, 0.0, 0.0]])
CHECKS = [
    Check("fresh", [(fresh, fresh, np.array([1.0, 0.0]), short, 10)]),
    Check("moved", [(moved, fresh, np.array([1.0, 0.0]), short, 10)]),
    Check("flat", [(moved, fresh, np.array([1.0, 1.0]), short, 10)], hidden=True),
    Check(
        "constant", [(logp, old, np.array([1.0, 0.0, 0.5]), mask, 4), (logp, old, np.array([1.0, 0.0, 0.5]), mask, 400)]
    ),
    Check(
        "any",
        [(logp, old, np.array([3.0, -1.0, 0.0]), mask, 16, 0.1), (old, logp, np.array([0.0, 1.0, 1.0]), mask, 5)],
        hidden=True,
    ),
]
