"""A policy small enough to list every response, so that expectations are sums and not samples.

The policy is a table of logits, one row for each prefix. With one step it is a softmax bandit; with two steps and
three tokens it is the smallest policy in which tokens, lengths and credit differ. `pycore.estimator` sums over its
groups.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, Mask, finite, whole
from pycore.domain import Array, DomainError


@dataclass(frozen=True)
class Tree:
    """Every response of a small policy.

    Attributes:
        tokens: ids, 0 after the end, shape (responses, steps).
        mask: True for the tokens of the response, the end token included, shape (responses, steps).
        context: row of the logits that each token was drawn from, shape (responses, steps).
        contexts: number of rows.
        vocabulary: number of tokens.
    """

    tokens: Index
    mask: Mask
    context: Index
    contexts: int
    vocabulary: int


def response_tree(vocabulary: int, steps: int, end: int | None = None) -> Tree:
    """Lists every response of a policy with the given number of tokens and steps.

    Args:
        vocabulary: tokens, >= 2.
        steps: longest response, >= 1.
        end: id of a token that ends a response early; None gives all responses the same length.

    Returns:
        `Tree`, responses in lexicographic order.

    Raises:
        DomainError: sizes below their minimum, more than 10,000 responses, an end token outside the vocabulary.

    >>> tree = response_tree(3, 2)
    >>> tree.tokens.shape, tree.contexts
    ((9, 2), 4)

    Source: enumeration.
    """
    size, longest = whole("vocabulary", vocabulary, 2), whole("steps", steps, 1)
    if size**longest > 10_000:
        raise DomainError("vocabulary ** steps", size**longest, "at most 10000 responses")
    stop = None if end is None else whole("end", end, 0, size - 1)
    rows: dict[tuple[int, ...], int] = {}
    finished: list[tuple[int, ...]] = []

    def grow(prefix: tuple[int, ...]) -> None:
        if len(prefix) == longest or (prefix and prefix[-1] == stop):
            finished.append(prefix)
            return
        rows[prefix] = len(rows)
        for token in range(size):
            grow((*prefix, token))

    grow(())
    tokens, context = (np.zeros((len(finished), longest), dtype=np.int64) for _ in range(2))
    mask = np.zeros((len(finished), longest), dtype=bool)
    for index, response in enumerate(finished):
        tokens[index, : len(response)] = response
        mask[index, : len(response)] = True
        context[index, : len(response)] = [rows[response[:step]] for step in range(len(response))]
    return Tree(tokens, mask, context, len(rows), size)


def tree_log_probs(tree: Tree, logits: ArrayLike) -> Array:
    """Log-prob of each token of each response.

    Args:
        tree: from `response_tree`.
        logits: finite, shape (contexts, vocabulary).

    Returns:
        Shape (responses, steps), 0 outside the mask, so that a row sums to the response's log-prob.

    Raises:
        DomainError: logits of another shape or not finite.

    >>> float(np.exp(tree_log_probs(response_tree(3, 2), np.zeros((4, 3))).sum(axis=1)).sum().round(12))
    1.0

    Source: definition.
    """
    table = _log_softmax(tree, logits)
    return np.asarray(np.where(tree.mask, table[tree.context, tree.tokens], 0.0))


def score_vectors(tree: Tree, logits: ArrayLike) -> Array:
    """Gradient of each token's log-prob with respect to the logits.

    Args:
        tree: from `response_tree`.
        logits: finite, shape (contexts, vocabulary).

    Returns:
        Shape (responses, steps, contexts, vocabulary), 0 outside the mask; sum over steps for whole responses, or
        weight the steps first to study a token normalisation.

    Raises:
        DomainError: logits of another shape or not finite.

    >>> score_vectors(response_tree(2, 1), [[0.0, 0.0]])[0, 0].tolist()
    [[0.5, -0.5]]

    Source: d log softmax_a / d logit_b = [a = b] - softmax_b.
    """
    probability = np.exp(_log_softmax(tree, logits))
    responses, steps = tree.tokens.shape
    gradient = np.zeros((responses, steps, tree.contexts, tree.vocabulary))
    here = np.nonzero(tree.mask)
    row = tree.context[here]
    gradient[here[0], here[1], row] = -probability[row]
    gradient[here[0], here[1], row, tree.tokens[here]] += 1.0
    return gradient


def _log_softmax(tree: Tree, logits: ArrayLike) -> Array:
    table = finite("logits", logits)
    if table.shape != (tree.contexts, tree.vocabulary):
        raise DomainError("logits.shape", table.shape, f"{(tree.contexts, tree.vocabulary)}")
    shifted = table - table.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
