"""Sampling token by token from a causal model: behaviour log-probs are those of the policy that really wrote."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from colab.prefix import Prefix, read
from pycore.decoding import Decoding


class Written(NamedTuple):
    """Responses of one block.

    Attributes:
        tokens: ids, the pad after the end, shape (rows, tokens).
        logp: of each token under the behaviour policy, 0 after the end, same shape.
        entropy: of the behaviour policy at each token, 0 after the end, same shape.
        lengths: tokens up to and including the end, shape (rows,).
        truncated: rows that met the limit without ending, shape (rows,).
    """

    tokens: Tensor
    logp: Tensor
    entropy: Tensor
    lengths: Tensor
    truncated: Tensor


class Writer:
    """Responses being written, one token a call; rows that have ended leave the batch once they are half of it."""

    def __init__(self, model: Any, prefix: Prefix) -> None:
        self.model, self.cache, self.seen = model, prefix.cache, prefix.attended
        self.position = prefix.lengths
        self.rows = torch.arange(len(prefix.attended), device=prefix.attended.device)
        self.logits = prefix.logits

    def drop(self, going: Tensor) -> None:
        """Leaves out rows that have ended; `going` speaks of the rows that are left."""
        if int(going.sum()) * 2 > len(going):
            return
        kept = going.nonzero()[:, 0]
        self.cache.batch_select_indices(kept)
        self.seen, self.position, self.rows = self.seen[kept], self.position[kept], self.rows[kept]

    def write(self, tokens: Tensor) -> None:
        """Appends one token to each row that is left and predicts the next."""
        self.seen = torch.cat([self.seen, self.seen.new_ones(len(tokens), 1)], dim=1)
        out = self.model(
            input_ids=tokens[:, None],
            attention_mask=self.seen,
            position_ids=self.position[:, None],
            cache=self.cache,
            use_cache=True,
        )
        self.position = self.position + 1
        self.logits = out.logits[:, -1].float()


@torch.no_grad()  # type: ignore[untyped-decorator]
def write(
    model: Any,
    prompts: Tensor,
    group: int,
    chance: Tensor | None,
    decoding: Decoding,
    *,
    pad: int,
    ends: Sequence[int],
    max_tokens: int,
) -> Written:
    """Writes `group` responses to each prompt.

    Args:
        model: a Hugging Face causal model in eval mode.
        prompts: ids padded on the left, shape (prompts, prompt_tokens).
        group: responses to each prompt.
        chance: uniform numbers in [0, 1), shape (max_tokens, prompts x group); None takes the most probable token.
        decoding: temperature and filters.
        pad: id that pads.
        ends: ids that end a response.
        max_tokens: longest response.
    """
    rows, device = len(prompts) * group, prompts.device
    tokens = torch.full((rows, max_tokens), pad, device=device)
    logp, entropy = (torch.zeros(rows, max_tokens, device=device) for _ in range(2))
    lengths = torch.full((rows,), max_tokens, device=device)
    ended = torch.zeros(rows, dtype=torch.bool, device=device)
    last = torch.tensor(tuple(ends), device=device)
    writer = Writer(model, read(model, prompts, pad, group))
    for place in range(max_tokens):
        at = writer.rows
        table = behaviour(writer.logits, decoding)
        chosen = table.argmax(dim=1) if chance is None else drawn(table, chance[place][at])
        going = ~ended[at]
        tokens[at, place] = torch.where(going, chosen, pad)
        logp[at, place] = torch.where(going, table.gather(1, chosen[:, None])[:, 0], 0.0)
        entropy[at, place] = -torch.xlogy(table.exp(), table.exp()).sum(dim=1) * going
        over = going & torch.isin(chosen, last)
        lengths[at[over]], ended[at[over]] = place + 1, True
        if bool(ended.all()) or place + 1 == max_tokens:
            break
        writer.drop(~ended[at])
        writer.write(tokens[writer.rows, place])
    return Written(tokens, logp, entropy, lengths, ~ended)


def behaviour(logits: Tensor, decoding: Decoding) -> Tensor:
    """Log-probs after temperature, then top-k, then top-p; -inf for what cannot be drawn, shape (rows, vocabulary).

    The same rules as `pycore.decoding.behaviour_log_probs`, for tensors.
    """
    scaled = logits / decoding.temperature
    if decoding.top_k is not None and decoding.top_k < scaled.shape[1]:
        least = scaled.topk(decoding.top_k, dim=1).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    if decoding.top_p < 1:
        ranked, order = scaled.sort(dim=1, descending=True, stable=True)
        mass = ranked.double().softmax(dim=1)
        beyond = mass.cumsum(dim=1) - mass >= decoding.top_p
        scaled = scaled.masked_fill(torch.zeros_like(beyond).scatter(1, order, beyond), -torch.inf)
    return scaled.log_softmax(dim=1)


def drawn(table: Tensor, chance: Tensor) -> Tensor:
    """Inverse of each row's distribution function at a uniform number; a token of probability 0 never comes out.

    >>> drawn(torch.tensor([[0.0, 0.5, 0.5]]).log(), torch.tensor([0.0])).tolist()
    [1]
    """
    mass = table.double().exp().cumsum(dim=1)
    return torch.searchsorted(mass, (chance.double() * mass[:, -1])[:, None], right=True)[:, 0]
