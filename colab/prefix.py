"""A causal language model over groups of responses: what several rows begin with is read once.

The rows of a group share their prompt, the prompts of a task share instructions and examples; keys and values of both
are computed once and repeated. The numbers are those of reading each row from its first token, up to rounding; a test
compares both.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Prefix:
    """Prompts as a model has read them.

    Attributes:
        cache: keys and values, one row a response.
        attended: 1 at real prompt tokens, 0 at padding, shape (rows, cached tokens).
        logits: prediction of each row's first response token, shape (rows, vocabulary).
    """

    cache: Any
    attended: Tensor
    logits: Tensor

    @property
    def lengths(self) -> Tensor:
        """Real prompt tokens, shape (rows,)."""
        return self.attended.sum(dim=1)


def attended(prompts: Tensor, pad: int) -> Tensor:
    """Which prompt tokens are real: everything after the padding that stands before the first one.

    By position and not by value: a pad token inside a prompt is a token like any other.

    >>> attended(torch.tensor([[0, 0, 5, 0, 6]]), pad=0).tolist()
    [[0, 0, 1, 1, 1]]
    """
    return ((prompts != pad).cumsum(dim=1) > 0).long()


def read(model: Any, prompts: Tensor, pad: int, group: int) -> Prefix:
    """Reads prompts once and repeats what was kept `group` times, row after row.

    Args:
        model: a Hugging Face causal model.
        prompts: ids padded on the left, shape (prompts, prompt_tokens).
        pad: the id that pads.
        group: responses to each prompt.
    """
    there = attended(prompts, pad)
    shared = common(prompts, there)
    cache, offset = None, 0
    if shared:
        start = prompts.shape[1] - int(there[0].sum())
        cache = model(input_ids=prompts[:1, start : start + shared], use_cache=True, logits_to_keep=1).cache
        cache.batch_repeat_interleave(len(prompts))
        lengths = there.sum(dim=1)
        width = int(lengths.max()) - shared
        places = torch.arange(prompts.shape[1], device=prompts.device)
        tails = places >= (prompts.shape[1] - lengths + shared)[:, None]
        prompts = prompts[:, -width:]
        there, offset = torch.cat([there.new_ones(len(prompts), shared), tails[:, -width:].long()], dim=1), shared
    positions = (there.cumsum(dim=1) - 1).clamp(min=0)[:, offset:]
    out = model(
        input_ids=prompts,
        attention_mask=there,
        position_ids=positions,
        cache=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    out.cache.batch_repeat_interleave(group)
    return Prefix(
        out.cache,
        there.repeat_interleave(group, dim=0),
        out.logits[:, -1].float().repeat_interleave(group, dim=0),
    )


def common(prompts: Tensor, there: Tensor) -> int:
    """Tokens with which all prompts begin, as instructions and examples are; never a whole prompt.

    >>> ids = torch.tensor([[0, 7, 8, 1], [7, 8, 2, 3]])
    >>> common(ids, attended(ids, pad=0))
    2
    """
    if len(prompts) == 1:
        return 0
    lengths = there.sum(dim=1)
    places = (prompts.shape[1] - lengths)[:, None] + torch.arange(int(lengths.min()) - 1, device=prompts.device)
    rows = prompts.gather(1, places)
    return int((rows == rows[:1]).all(dim=0).long().cumprod(dim=0).sum())


def score(model: Any, prefix: Prefix, tokens: Tensor) -> Tensor:
    """Logits that predict every token of given responses, float32, shape (rows, tokens, vocabulary).

    Args:
        model: the model that read the prefix; the prefix's cache is used up.
        prefix: of as many rows.
        tokens: response ids; what stands after a response's end does not reach back to it, shape (rows, tokens).
    """
    first = prefix.logits[:, None]
    width = tokens.shape[1] - 1
    if width == 0:
        return first
    seen = torch.cat([prefix.attended, prefix.attended.new_ones(len(tokens), width)], dim=1)
    positions = prefix.lengths[:, None] + torch.arange(width, device=tokens.device)
    out = model(
        input_ids=tokens[:, :-1],
        attention_mask=seen,
        position_ids=positions,
        cache=prefix.cache,
        use_cache=True,
    )
    return torch.cat([first, out.logits.float()], dim=1)


def blocks(prompts: int, group: int, rows: int) -> Iterator[tuple[slice, slice]]:
    """Slices of (prompts, members) that cover a batch with at most `rows` responses each.

    >>> [(a.start, a.stop, b.start, b.stop) for a, b in blocks(2, 4, 3)]
    [(0, 1, 0, 3), (0, 1, 3, 4), (1, 2, 0, 3), (1, 2, 3, 4)]
    """
    if rows >= group:
        step = rows // group
        for start in range(0, prompts, step):
            yield slice(start, min(start + step, prompts)), slice(0, group)
        return
    for prompt in range(prompts):
        for start in range(0, group, rows):
            yield slice(prompt, prompt + 1), slice(start, min(start + rows, group))
