"""A policy small enough to enumerate: two steps, three tokens, one of which ends the response.

Seven responses: `E`, and `a`/`b` followed by `a`, `b` or `E`. Every expectation over responses, or over groups of them,
is a finite sum: nothing here is sampled.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pycore.objective import Batch, evaluate
from pycore.protocol import Protocol

Array = NDArray[np.float64]

END = 2
RESPONSES = [(END,)] + [(first, second) for first in (0, 1) for second in (0, 1, 2)]
LENGTHS = np.array([len(response) for response in RESPONSES])
MASK = np.arange(2) < LENGTHS[:, None]
CORRECT = np.array([0.0, 1, 0, 0, 0, 1, 0])


@dataclass(frozen=True)
class TinyPolicy:
    """Logits of three distributions: the first token, the second after `a`, the second after `b`; shape (3, 3)."""

    logits: Array

    @property
    def log_table(self) -> Array:
        return np.asarray(self.logits - np.log(np.exp(self.logits).sum(axis=1, keepdims=True)))

    @property
    def logp(self) -> Array:
        """Log-probs of the sampled tokens, zero after the end, shape (responses, 2)."""
        found = np.zeros((len(RESPONSES), 2))
        for row, response in enumerate(RESPONSES):
            for step, token in enumerate(response):
                found[row, step] = self.log_table[self._state(response, step), token]
        return found

    @property
    def probability(self) -> Array:
        """Of each response, shape (responses,)."""
        return np.asarray(np.exp(self.logp.sum(axis=1)))

    @property
    def score(self) -> Array:
        """d log-prob of a sampled token / d logits, shape (responses, 2, 3, 3)."""
        found = np.zeros((len(RESPONSES), 2, 3, 3))
        for row, response in enumerate(RESPONSES):
            for step, token in enumerate(response):
                state = self._state(response, step)
                found[row, step, state] = np.eye(3)[token] - np.exp(self.log_table[state])
        return found

    def reward_gradient(self, rewards: Array) -> Array:
        """Exact gradient of the expected reward with respect to the logits."""
        return np.asarray(np.einsum("r,r,rtsv->sv", self.probability, rewards, self.score))

    @staticmethod
    def _state(response: tuple[int, ...], step: int) -> int:
        return 0 if step == 0 else 1 + response[0]


def expected_update(
    protocol: Protocol,
    policy: TinyPolicy,
    rewards: Array,
    group: int,
    *,
    behaviour: TinyPolicy | None = None,
    reference: TinyPolicy | None = None,
) -> Array:
    """Expected descent direction -d loss / d logits over every possible group, shape (3, 3).

    Args:
        protocol: whose aggregation must treat prompts alike (1/N weights), so that one call evaluates all groups.
        policy: the current one.
        rewards: of each response, shape (responses,).
        group: responses per group.
        behaviour: the policy that samples; the current one when None.
        reference: for a KL term.
    """
    sampler = behaviour or policy
    groups = np.array(list(product(range(len(RESPONSES)), repeat=group)))
    batch = Batch(
        policy.logp[groups],
        sampler.logp[groups],
        MASK[groups],
        rewards[groups],
        logp_ref=None if reference is None else reference.logp[groups],
    )
    # The loss averages over groups; each must count with its probability instead.
    chance = np.prod(sampler.probability[groups], axis=1) * len(groups)
    return -np.asarray(np.einsum("g,git,gitsv->sv", chance, evaluate(protocol, batch).grad, policy.score[groups]))
