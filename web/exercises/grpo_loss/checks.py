"""Oracle: pycore.objective.evaluate with the GRPO protocol."""

from typing import Any

import numpy as np

from pycore.batch import Batch
from pycore.objective import evaluate
from pycore.protocol import Protocol
from web.exercises.folder import Check


def oracle(
    logp: Any, logp_old: Any, logp_ref: Any, advantages: Any, mask: Any, eps: float = 0.2, beta: float = 0.04
) -> float:
    """One group under DeepSeekMath's loss."""
    batch = Batch(
        logp[None],
        logp_old[None],
        mask[None],
        advantages[None],
        logp_ref=logp_ref[None],
        advantages=advantages[None],
    )
    protocol = Protocol(baseline="critic", scale="none", clip_low=eps, clip_high=eps, kl_coefficient=beta)
    return evaluate(protocol, batch).loss


ORACLES = {"grpo_loss": oracle}
random = np.random.default_rng(8)
mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]], bool)
logp, old, ref = np.log(random.uniform(0.1, 0.9, size=(3, 3, 4))).round(2)
zero = np.where(mask, 0.0, 0.0)
advantages = np.array([1.5, -0.5, -1.0])
short = np.array([[1, 1, 1], [1, 0, 0]], bool)
fresh = np.array([[-0.5, -1.0, -0.25], [-1.5, 0.0, 0.0]])
CHECKS = [
    Check("fresh", [(fresh, fresh, fresh, np.array([1.0, -1.0]), short)]),
    Check(
        "moved",
        [
            (
                fresh + np.array([[0.0, -0.4, 0.2], [-0.3, 0.0, 0.0]]),
                fresh,
                fresh,
                np.array([1.0, -0.5]),
                short,
                0.2,
                0.0,
            )
        ],
    ),
    Check("anchor", [(fresh, fresh, fresh - 0.7 * short, np.array([0.0, 0.0]), short, 0.2, 1.0)]),
    Check("defaults", [(logp, old, ref, advantages, mask)], hidden=True),
    Check(
        "any",
        [(logp, old, ref, advantages, mask, 0.1, 0.5), (old, logp, ref, -advantages, mask, 0.4, 0.2)],
        hidden=True,
    ),
    Check(
        "padding",
        [(np.where(mask, logp, 0.0), np.where(mask, old, -2000.0), np.where(mask, ref, -2000.0), advantages, mask)],
        hidden=True,
    ),
]
