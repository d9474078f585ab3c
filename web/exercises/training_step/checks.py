"""Oracle: the exact gradient of pycore.objective.evaluate, carried to the logits."""

from typing import Any

import numpy as np

from pycore.batch import Batch
from pycore.objective import evaluate
from pycore.protocol import Protocol
from web.exercises.folder import Check


def oracle(logits: Any, tokens: Any, mask: Any, rewards: Any, lr: float = 0.5, max_norm: float = 1.0) -> Any:
    """One GRPO step on fresh answers of a policy with a softmax at each position."""
    logp = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    said = logp[np.arange(tokens.shape[1]), tokens]
    by_token = evaluate(Protocol(), Batch(said[None], said[None], mask[None], rewards[None])).grad[0]
    gradient = np.zeros_like(logits)
    for answer, slopes in zip(tokens, by_token, strict=True):
        for position, (token, slope) in enumerate(zip(answer, slopes, strict=True)):
            gradient[position] -= slope * np.exp(logp[position])
            gradient[position, token] += slope
    norm = np.sqrt((gradient**2).sum())
    return logits - lr * gradient * (max_norm / norm if norm > max_norm else 1.0)


ORACLES = {"training_step": oracle}
random = np.random.default_rng(20)
logits = random.normal(size=(4, 3)).round(2)
tokens = random.integers(0, 3, size=(5, 4))
mask = np.arange(4) < np.array([4, 2, 3, 1, 4])[:, None]
rewards = np.array([1.1, 0.1, 0.0, 1.1, 0.1])
two = np.array([[0], [1]])
both = np.array([[True], [True]])
CHECKS = [
    Check("hand", [(np.zeros((1, 2)), two, both, np.array([1.0, 0.0]), 1.0)]),
    Check(
        "lengths",
        [(np.zeros((2, 2)), np.array([[0, 0], [1, 1]]), np.array([[True, True], [True, False]]), np.array([1.0, 0.0]))],
    ),
    Check("flat", [(logits, tokens, mask, np.ones(5)), (np.zeros((1, 2)), two, both, np.array([1.0, 0.0]))]),
    Check("clipped", [(logits, tokens, mask, rewards, 0.5, 0.1)]),
    Check("any", [(logits, tokens, mask, rewards), (logits, tokens, mask, -rewards, 2.0, 10.0)], hidden=True),
    Check("large", [(logits * 500, tokens, mask, rewards, 0.1)], hidden=True),
]
