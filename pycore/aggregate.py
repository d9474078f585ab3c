"""How per-token terms become one number: the weight of a token, and what happens when a batch is split.

Every scheme gives all active tokens of one response the same weight, so `weights` has the shape of `lengths`:

| aggregation     | weight of a token of response i  | name in TRL        | name in verl               |
|-----------------|----------------------------------|--------------------|----------------------------|
| `response_mean` | 1 / (N length_i)                 | grpo, sapo         | seq-mean-token-mean        |
| `token_mean`    | 1 / sum of lengths               | bnpo, dapo, cispo  | token-mean                 |
| `constant`      | 1 / (N L)                        | dr_grpo            | seq-mean-token-sum-norm    |
| `sequence_sum`  | 1 / N                            | luspo              | seq-mean-token-sum         |
| `token_sum`     | 1                                |                    | token-sum                  |

N counts responses, L is a constant. Under gradient accumulation the losses of K micro-batches are added after scaling:

| accumulation | scale of a micro-batch's loss              | whole batch reproduced                               |
|--------------|--------------------------------------------|------------------------------------------------------|
| `mean`       | 1 / K                                      | only if all micro-batches have the same denominator  |
| `global`     | its own denominator / that of the batch    | always                                               |
| `sum`        | 1                                          | only by `token_sum`                                  |
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pycore.domain import Array, DomainError, integer, option, same_shape

AGGREGATIONS = ("response_mean", "token_mean", "constant", "sequence_sum", "token_sum")
ACCUMULATIONS = ("mean", "global", "sum")


def response_weights(
    lengths: ArrayLike, aggregation: str, *, max_tokens: int | None = None, counted: ArrayLike | None = None
) -> Array:
    """Weight of one active token of each response in the batch's loss.

    Args:
        lengths: active tokens of each response, integers >= 0, shape (prompts, group) or any other.
        aggregation: one of `AGGREGATIONS`.
        max_tokens: the constant L >= 1, needed by `constant`.
        counted: responses that count in N, booleans of the shape of `lengths`; all when None.

    Returns:
        Weights, shape of `lengths`; 0 for a response without active tokens.

    Raises:
        DomainError: an unknown aggregation, a missing constant, shapes that differ.

    >>> response_weights([[2, 6]], "token_mean")
    array([[0.125, 0.125]])

    Source: GRPO, DAPO, Dr. GRPO and LUSPO papers; the libraries' names are in the table above.
    """
    option("aggregation", aggregation, AGGREGATIONS)
    length = integer("lengths", lengths, 0)
    total = denominator(length, aggregation, max_tokens=max_tokens, counted=counted)
    weights = (length > 0) / max(total, 1.0)
    return np.asarray(weights / np.maximum(length, 1) if aggregation == "response_mean" else weights)


def denominator(
    lengths: ArrayLike, aggregation: str, *, max_tokens: int | None = None, counted: ArrayLike | None = None
) -> float:
    """The batch-wide number an aggregation divides by: N, N L, the number of tokens, or 1.

    Args:
        lengths: active tokens of each response, integers >= 0.
        aggregation: one of `AGGREGATIONS`.
        max_tokens: the constant L >= 1, needed by `constant`.
        counted: responses that count in N, booleans of the shape of `lengths`; all when None.

    Returns:
        The denominator; 0 for an empty batch.

    Raises:
        DomainError: an unknown aggregation, a missing constant, shapes that differ.

    >>> denominator([[3, 6]], "constant", max_tokens=10)
    20.0
    """
    option("aggregation", aggregation, AGGREGATIONS)
    length = integer("lengths", lengths, 0)
    included = np.ones(length.shape, dtype=bool) if counted is None else np.asarray(counted, dtype=bool)
    same_shape(lengths=length, counted=included)
    if aggregation == "token_sum":
        return 1.0
    if aggregation == "token_mean":
        return float(length.sum())
    responses = float(included.sum())
    if aggregation != "constant":
        return responses
    if max_tokens is None:
        raise DomainError("max_tokens", None, "the constant L >= 1 that aggregation 'constant' divides by")
    return responses * float(integer("max_tokens", max_tokens, 1))


def accumulation_scales(denominators: Sequence[float], accumulation: str) -> Array:
    """Scale of each micro-batch's loss before the losses are added.

    Args:
        denominators: `denominator` of each micro-batch, >= 0.
        accumulation: one of `ACCUMULATIONS`.

    Returns:
        Scales, shape (micro-batches,).

    Raises:
        DomainError: an unknown rule or no micro-batch.

    >>> accumulation_scales([30.0, 10.0], "global")
    array([0.75, 0.25])
    """
    option("accumulation", accumulation, ACCUMULATIONS)
    parts = np.asarray(denominators, dtype=np.float64)
    if parts.ndim != 1 or parts.size == 0:
        raise DomainError("denominators", denominators, "one number per micro-batch, at least one")
    if accumulation == "mean":
        return np.full(parts.shape, 1 / parts.size)
    if accumulation == "sum":
        return np.ones(parts.shape)
    return np.asarray(parts / max(parts.sum(), 1.0))
