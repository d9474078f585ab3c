"""What DAPO's edits make of one small batch. All tokens of a response have one ratio here, so one stands for all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pycore.advantages import flat_groups, group_advantages
from pycore.aggregate import response_weights
from pycore.domain import Array
from pycore.length import overlong_penalty
from pycore.ratio import clipped_surrogate

LOW = 0.2  # below, none of the edits changes the clip


class Answers(NamedTuple):
    """The responses, each array of shape (prompts, group) but for the prompts' numbers."""

    prompts: Array
    rewards: Array
    lengths: Array
    log_ratios: Array


@dataclass(frozen=True)
class Edits:
    """The edits as numbers; the defaults are plain GRPO. Without a limit there is no penalty."""

    high: float = LOW
    sampling: bool = False
    tokens: bool = False
    limit: int = 0
    cache: int = 0

    def penalty(self, lengths: Array) -> Array:
        """What is taken from the reward, at any shape; a soft zone wider than the limit is as wide as the limit."""
        return (
            overlong_penalty(lengths, self.limit, min(self.cache, self.limit)) if self.limit else np.zeros_like(lengths)
        )


class Update(NamedTuple):
    """The push on one token of every response, flat; groups that take part; share of positive tokens that are held."""

    push: Array
    kept: int
    held: float


def answers(rows: Sequence[Sequence[float]]) -> Answers:
    """Rows of (prompt, reward, length, log-ratio) by prompt, in the order in which the prompts first come."""
    table = np.asarray(rows, dtype=np.float64)
    names, first, group = np.unique(table[:, 0], return_index=True, return_inverse=True)
    order = np.argsort(first[group], kind="stable")
    return Answers(names[np.argsort(first)], *table[order, 1:].T.reshape(3, names.size, -1))


def update(edits: Edits, batch: Answers) -> Update:
    """The update by the chosen edits, times the number of responses, so that GRPO's push is A / |o|."""
    rewards = batch.rewards + edits.penalty(batch.lengths)
    kept = ~flat_groups(rewards) if edits.sampling else np.ones(len(rewards), dtype=bool)
    advantages = group_advantages(rewards) * kept[:, None]
    lengths = batch.lengths * kept[:, None]
    aggregation = "token_mean" if edits.tokens else "response_mean"
    weights = response_weights(lengths, aggregation, counted=lengths > 0)
    term = clipped_surrogate(batch.log_ratios, advantages, low=LOW, high=edits.high)
    positive = lengths * (advantages > 0)
    held = np.sum(positive * term.clipped) / np.sum(positive) if positive.any() else np.nan
    return Update((rewards.size * weights * term.derivative).ravel() + 0.0, int(kept.sum()), float(held))
