"""What of a batch takes part: truncation contract, dynamic sampling, shaped rewards and the advantages they give."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pycore.advantages import flat_groups, graded_rewards, group_advantages
from pycore.batch import Batch
from pycore.domain import Array, DomainError
from pycore.kl import kl_estimate
from pycore.protocol import Protocol
from pycore.truncation import overlong_penalty

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Selection:
    """The part of a batch that an update uses.

    Attributes:
        kept: responses whose tokens enter loss and denominators, shape (prompts, group).
        counted: responses that count in N, shape (prompts, group).
        lengths: active tokens of each response, 0 where not kept, shape (prompts, group).
        rewards: after penalties, NaN where missing or dropped, shape (prompts, group).
        advantages: shape (prompts, group), or (prompts, group, tokens) when the batch brought such.
    """

    kept: Bools
    counted: Bools
    lengths: Array
    rewards: Array
    advantages: Array


def select(protocol: Protocol, batch: Batch) -> Selection:
    """Who takes part and with which advantage.

    When the batch brings its own advantages it is taken as already filtered: dynamic sampling does not look at it.

    Args:
        protocol: its truncation, dynamic sampling, reward and advantage axes.
        batch: the responses.

    Returns:
        Selection.

    Raises:
        DomainError: the protocol needs an array that the batch lacks.

    >>> batch = Batch(np.full((1, 2, 1), -1.0), np.full((1, 2, 1), -1.0), np.ones((1, 2, 1), bool), [[1, 0]])
    >>> select(Protocol(scale="none"), batch).advantages
    array([[ 0.5, -0.5]])
    """
    token_counts = np.sum(batch.mask, axis=2)
    rewards = shaped_rewards(protocol, batch)
    truncated = np.zeros(rewards.shape, dtype=bool) if batch.truncated is None else batch.truncated
    kept, counted = np.ones(rewards.shape, dtype=bool), np.ones(rewards.shape, dtype=bool)
    if protocol.truncation in ("mask", "drop"):
        kept &= ~truncated
    if protocol.truncation == "drop":
        counted &= ~truncated
        rewards = np.where(truncated, np.nan, rewards)
    if protocol.dynamic_sampling and batch.advantages is None:
        informative = ~flat_groups(rewards)[:, None]
        kept, counted = kept & informative, counted & informative
        rewards = np.where(informative, rewards, np.nan)
    lengths = np.where(kept, token_counts, 0).astype(np.float64)
    if not protocol.count_empty:
        counted &= lengths > 0
    advantages = _advantages(protocol, batch, rewards, lengths)
    if protocol.truncation == "silence":
        silent = truncated if advantages.ndim == 2 else truncated[..., None]
        advantages = np.where(silent, 0.0, advantages)
    return Selection(kept, counted, lengths, rewards, advantages)


def shaped_rewards(protocol: Protocol, batch: Batch) -> Array:
    """Rewards after the overlong penalty and the KL charge, NaN where not graded.

    Args:
        protocol: its `overlong_cache`, `max_tokens` and KL axes.
        batch: the responses.

    Returns:
        Shape (prompts, group).

    Raises:
        DomainError: the protocol needs an array that the batch lacks.
    """
    values, graded = graded_rewards(batch.rewards)
    if protocol.overlong_cache > 0:
        values = values + overlong_penalty(np.sum(batch.mask, axis=2), protocol.max_tokens, protocol.overlong_cache)
    if protocol.kl_coefficient > 0 and protocol.kl_placement == "reward":
        values = values - protocol.kl_coefficient * _rollout_kl(protocol, batch)
    return np.where(graded, values, np.nan)


def _rollout_kl(protocol: Protocol, batch: Batch) -> Array:
    """KL of the policy that sampled, summed over each response: a number, without gradient."""
    if protocol.kl == "exact":
        return np.asarray(np.sum(np.where(batch.mask, needed(batch, "kl"), 0.0), axis=2))
    old, reference = (np.where(batch.mask, needed(batch, name), 0.0) for name in ("logp_old", "logp_ref"))
    return np.asarray(np.sum(kl_estimate(old, reference, protocol.kl).value, axis=2))


def needed(batch: Batch, name: str) -> Array:
    """The batch's array of that name.

    Raises:
        DomainError: the batch was built without it.
    """
    values: Array | None = getattr(batch, name)
    if values is None:
        raise DomainError(f"batch.{name}", None, f"an array of shape {batch.shape}: the protocol uses it")
    return values


def _advantages(protocol: Protocol, batch: Batch, rewards: Array, lengths: Array) -> Array:
    if batch.advantages is not None:
        return batch.advantages
    if protocol.baseline == "critic":
        raise DomainError("batch.advantages", None, f"shape {batch.shape[:2]} or {batch.shape}: baseline is 'critic'")
    return group_advantages(
        rewards,
        baseline=protocol.baseline,
        scale=protocol.scale,
        ddof=protocol.ddof,
        eps=protocol.eps,
        lengths=lengths,
        singleton=protocol.singleton,
    )
