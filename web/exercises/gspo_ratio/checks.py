"""Oracle: the ratio that pycore.objective.evaluate uses at the sequence level."""

from typing import Any

import numpy as np

from pycore.batch import Batch
from pycore.objective import evaluate
from pycore.protocol import Protocol
from web.exercises.folder import Check


def oracle(logp: Any, logp_old: Any, mask: Any) -> Any:
    """One ratio a response; every response of the checks begins with an active token."""
    batch = Batch(logp[None], logp_old[None], mask[None], np.zeros((1, len(logp))))
    return evaluate(Protocol(ratio="sequence_mean", clip="none"), batch).ratio.reshape(len(logp), -1)[:, 0]


ORACLES = {"gspo_ratio": oracle}
random = np.random.default_rng(11)
mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]], bool)
logp, old = np.log(random.uniform(0.1, 0.9, size=(2, 3, 4))).round(2)
CHECKS = [
    Check("doubled", [(np.array([[-0.5, -1.0]]), np.array([[-1.1931, -1.0]]), np.array([[True, True]]))]),
    Check("equal", [(logp, logp, mask)]),
    Check(
        "lengths",
        [
            (
                np.array([[-1.0, -2.0, -0.5], [-0.7, -9.0, -9.0]]),
                np.array([[-1.5, -1.5, -1.0], [-1.0, -1.0, -1.0]]),
                np.array([[True, True, True], [True, False, False]]),
            )
        ],
    ),
    Check("any", [(logp, old, mask), (old, logp, mask)], hidden=True),
    Check("long", [(np.full((1, 200), -1.0), np.full((1, 200), -1.1), np.ones((1, 200), bool))], hidden=True),
]
