"""Splitting a batch for gradient accumulation, by the protocol's own rule."""

from dataclasses import replace

import numpy as np

from pycore.aggregate import accumulation_scales, denominator
from pycore.batch import Batch
from pycore.domain import DomainError, integer
from pycore.protocol import Protocol
from pycore.selection import select


def micro_batches(protocol: Protocol, batch: Batch, count: int) -> tuple[Batch, ...]:
    """The batch cut into micro-batches whose losses and gradients are to be added.

    Advantages are those of the whole batch: a group may be cut in two. Responses that truncation or dynamic sampling
    leaves out are gone. Whether the sum is the whole batch's loss depends on `protocol.accumulation`
    (`pycore.aggregate`); `global` always reproduces it, apart from an entropy bonus averaged over tokens.

    Args:
        protocol: how the update is computed.
        batch: the whole batch.
        count: micro-batches wanted, from 1 to the number of counted responses.

    Returns:
        Micro-batches of shape (1, responses, tokens) in the order of the responses, nearly equal in responses, each
        with `advantages` and `loss_scale` set.

    Raises:
        DomainError: more micro-batches than responses.

    >>> batch = Batch(np.full((1, 4, 1), -1.0), np.full((1, 4, 1), -1.0), np.ones((1, 4, 1), bool), [[1, 0, 0, 0]])
    >>> [part.shape for part in micro_batches(Protocol(), batch, 2)]
    [(1, 2, 1), (1, 2, 1)]

    Source: gradient accumulation as TRL and verl define it.
    """
    chosen = select(protocol, batch)
    present = np.flatnonzero(chosen.counted)
    integer("count", count, 1)
    if count > present.size:
        raise DomainError("count", count, f"an integer from 1 to {present.size}, the responses that count")
    pieces = np.array_split(present, count)
    counted = [
        denominator(chosen.lengths.ravel()[piece], protocol.aggregation, max_tokens=protocol.max_tokens)
        for piece in pieces
    ]
    scales = accumulation_scales(counted, protocol.accumulation)
    return tuple(
        _responses(batch, piece, chosen.advantages, batch.loss_scale * float(scale))
        for piece, scale in zip(pieces, scales, strict=True)
    )


def _responses(batch: Batch, rows: np.ndarray, advantages: np.ndarray, loss_scale: float) -> Batch:
    prompts, group, tokens = batch.shape
    per_token = {
        name: values.reshape(-1, tokens)[rows][None]
        for name in ("logp", "logp_old", "mask", "logp_ref", "kl", "entropy")
        if (values := getattr(batch, name)) is not None
    }
    return replace(
        batch,
        **per_token,
        rewards=np.asarray(batch.rewards, dtype=np.float64).reshape(-1)[rows][None],
        truncated=None if batch.truncated is None else batch.truncated.reshape(-1)[rows][None],
        advantages=advantages.reshape(prompts * group, *advantages.shape[2:])[rows][None],
        loss_scale=loss_scale,
    )
