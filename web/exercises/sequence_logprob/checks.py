"""Oracle: the definition, token by token, in exact library logarithms (math.fsum)."""

import math
from typing import Any

import numpy as np

from web.exercises.folder import Check


def oracle(logits: Any, tokens: Any, mask: Any) -> Any:
    """Sum of log p(token t | before) over the tokens of the mask, one at a time."""
    totals = []
    for row, said, active in zip(logits, tokens, mask, strict=True):
        terms = []
        for t in range(1, len(said)):
            if active[t]:
                top = max(row[t - 1])
                terms.append(row[t - 1][said[t]] - top - math.log(math.fsum(math.exp(z - top) for z in row[t - 1])))
        totals.append(math.fsum(terms))
    return np.array(totals)


ORACLES = {"sequence_logprob": oracle}
random = np.random.default_rng(12)
logits = random.normal(size=(2, 5, 4)).round(2)
tokens = random.integers(0, 4, size=(2, 5))
mask = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 0, 0]], bool)
known = np.array([[[0.5, 0.5, 1e-9], [0.25, 0.5, 0.25], [0.1, 0.1, 0.8], [0.2, 0.3, 0.5]]])
CHECKS = [
    Check("hand", [(np.log(known).round(4), np.array([[1, 0, 0, 2]]), np.array([[False, True, True, True]]))]),
    Check(
        "uniform",
        [
            (
                np.zeros((2, 3, 4)),
                np.array([[2, 0, 1], [3, 3, 3]]),
                np.array([[False, True, True], [False, True, False]]),
            )
        ],
    ),
    Check("prompt", [(logits, tokens, mask)]),
    Check("large", [(logits * 1000, tokens, mask)], hidden=True),
    Check(
        "tail", [(logits, np.where(mask, tokens, 0), mask), (logits[:1, :3], tokens[:1, :3], mask[:1, :3])], hidden=True
    ),
]
