"""Sequences that share beginnings, stored once: a recurrent network has one state for each prefix, not for each row.

The responses of a group differ late and little, and prompts share their first tokens. Level d holds every different
prefix of length d + 1; a network that works on levels computes exactly what it would compute row by row.
"""

from dataclasses import dataclass

import numpy as np

from pycore.argument import Index, Mask
from pycore.domain import Array


@dataclass(frozen=True, eq=False)
class Level:
    """The prefixes of one length, ordered by parent and then by token.

    Attributes:
        token: last token of each prefix, shape (nodes,).
        parent: its prefix one token shorter, a node of the level before, shape (nodes,), never falling.
        first: where each run of one parent begins, shape (inner,).
        inner: those parents, shape (inner,).
    """

    token: Index
    parent: Index
    first: Index
    inner: Index


def grow(parent: Index, token: Index, parents: int, vocabulary: int) -> tuple[Level, Index]:
    """The next level for rows that stand at nodes and each add one token.

    Args:
        parent: node of each row in the level before, shape (rows,).
        token: the token each row adds, shape (rows,).
        parents: nodes of the level before.
        vocabulary: number of token ids.

    Returns:
        (level, node of each row in it).

    >>> level, node = grow(np.array([0, 0, 0]), np.array([5, 2, 5]), parents=1, vocabulary=8)
    >>> level.token.tolist(), node.tolist()
    ([2, 5], [1, 0, 1])
    """
    key = parent * vocabulary + token
    # A table of all children is small and needs no sort.
    number = np.zeros(parents * vocabulary, dtype=np.int64)
    number[key] = 1
    present = np.flatnonzero(number)
    number[present] = np.arange(len(present))
    above = present // vocabulary
    first = np.flatnonzero(np.concatenate(([True], above[1:] != above[:-1])))
    return Level(present % vocabulary, above, first, above[first]), number[key]


def sum_children(values: Array, level: Level) -> Array:
    """Sums over the children of each inner parent.

    Args:
        values: shape (nodes, width).
        level: whose nodes these are.

    Returns:
        Shape (inner, width), in the order of `level.inner`.

    >>> level, _ = grow(np.array([0, 0, 1]), np.array([0, 1, 0]), parents=3, vocabulary=2)
    >>> sum_children(np.array([[1.0], [2.0], [4.0]]), level).tolist()
    [[3.0], [4.0]]
    """
    if len(level.inner) == len(values):
        return values
    total = values[level.first]
    children = np.diff(level.first, append=len(values))
    # Few children each: adding all second ones, then all third ones, is several times faster than reduceat.
    for rank in range(1, int(children.max())):
        having = np.flatnonzero(children > rank)
        total[having] += values[level.first[having] + rank]
    return total


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """Prompts and responses as levels, and where each action finds its distribution.

    Attributes:
        levels: one for each token position, prompts first.
        heads: level that predicts each response position in use, shape (positions,).
        index: row of an action's distribution among all predicted nodes, 0 where inactive, shape (rows, tokens).
        nodes: number of predicted nodes.
        position: response position of each predicted node, shape (nodes,).
    """

    levels: tuple[Level, ...]
    heads: tuple[int, ...]
    index: Index
    nodes: int
    position: Index


def plant(prompts: Index, vocabulary: int) -> tuple[list[Level], Index]:
    """Levels of the prompts alone, and the node where each prompt ends.

    >>> levels, node = plant(np.array([[1, 2], [1, 3]]), vocabulary=4)
    >>> [len(level.token) for level in levels], node.tolist()
    ([1, 2], [0, 1])
    """
    levels: list[Level] = []
    node, parents = np.zeros(len(prompts), dtype=np.int64), 1
    for token in prompts.T:
        level, node = grow(node, token, parents, vocabulary)
        levels.append(level)
        parents = len(level.token)
    return levels, node


def build(prompts: Index, tokens: Index, mask: Mask, vocabulary: int) -> PrefixTree:
    """The tree of a rollout.

    Args:
        prompts: shape (prompts, prompt_tokens).
        tokens: shape (prompts, group, tokens).
        mask: actions, shape of `tokens`.
        vocabulary: number of token ids.

    >>> tokens = np.array([[[1, 2], [1, 3]]])
    >>> tree = build(np.array([[0]]), tokens, np.ones((1, 2, 2), bool), vocabulary=4)
    >>> tree.nodes, tree.index.tolist()
    (2, [[0, 1], [0, 1]])
    """
    levels, node = plant(prompts, vocabulary)
    depth = len(levels)
    rows, length = tokens.shape[0] * tokens.shape[1], tokens.shape[2]
    active, flat = mask.reshape(rows, length), tokens.reshape(rows, length)
    here = np.repeat(node, tokens.shape[1])
    standing = np.arange(rows)
    last = np.where(active.any(axis=1), length - 1 - np.argmax(active[:, ::-1], axis=1), -1)
    nodes = np.zeros((rows, length), dtype=np.int64)
    for position in range(int(last.max(initial=-1)) + 1):
        if position:
            going = last[standing] >= position
            standing, here = standing[going], here[going]
            level, here = grow(here, flat[standing, position - 1], len(levels[-1].token), vocabulary)
            levels.append(level)
        nodes[standing, position] = here
    return assemble(levels, depth, nodes, active)


def assemble(levels: list[Level], depth: int, nodes: Index, active: Mask) -> PrefixTree:
    """The tree from its levels.

    Args:
        levels: prompts' first.
        depth: how many of them belong to the prompts.
        nodes: node of each row at each response position, shape (rows, tokens).
        active: actions, shape (rows, tokens).
    """
    used = np.flatnonzero(active.any(axis=0))
    heads = tuple(depth - 1 + int(position) for position in used)
    sizes = [len(levels[head].token) for head in heads]
    offset = np.zeros(active.shape[1], dtype=np.int64)
    offset[used] = np.concatenate(([0], np.cumsum(sizes)[:-1])) if sizes else []
    index = np.where(active, nodes + offset, 0)
    kept = tuple(levels[: heads[-1] + 1]) if heads else tuple(levels)
    return PrefixTree(kept, heads, index, sum(sizes), np.repeat(used, sizes))
