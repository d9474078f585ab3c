"""Oracle: pycore.objective.evaluate with asymmetric bounds and the token mean."""

from typing import Any

import numpy as np

from pycore.batch import Batch
from pycore.objective import evaluate
from pycore.protocol import Protocol
from web.exercises.folder import Check


def oracle(logp: Any, logp_old: Any, advantages: Any, mask: Any, low: float = 0.2, high: float = 0.28) -> float:
    """One group under DAPO's loss."""
    protocol = Protocol(
        baseline="critic", scale="none", clip="asymmetric", clip_low=low, clip_high=high, aggregation="token_mean"
    )
    batch = Batch(logp[None], logp_old[None], mask[None], advantages[None], advantages=advantages[None])
    return evaluate(protocol, batch).loss


ORACLES = {"dapo_loss": oracle}
random = np.random.default_rng(10)
mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]], bool)
logp, old = np.log(random.uniform(0.1, 0.9, size=(2, 3, 4))).round(2)
short = np.array([[1, 1, 1], [1, 0, 0]], bool)
fresh = np.array([[-0.5, -1.0, -0.45], [-1.5, 0.0, 0.0]])
CHECKS = [
    Check("fresh", [(fresh, fresh, np.array([1.0, -1.0]), short)]),
    Check("higher", [(fresh + np.array([[0.22, 0.3, 0.4], [-0.2, 0.0, 0.0]]), fresh, np.array([1.0, -1.0]), short)]),
    Check("lower", [(fresh - np.array([[0.3, 0.3, 0.1], [0.27, 0.0, 0.0]]), fresh, np.array([-1.0, -1.0]), short)]),
    Check(
        "any",
        [(logp, old, np.array([1.2, -0.3, -0.9]), mask), (old, logp, np.array([1.2, -0.3, -0.9]), mask, 0.1, 0.5)],
        hidden=True,
    ),
    Check("one", [(logp[:1], old[:1], np.array([2.0]), mask[:1])], hidden=True),
]
