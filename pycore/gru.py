"""A gated recurrent unit over a prefix tree: forward pass, and the backward pass written out by hand.

    r, z = sigmoid(x W_rz + b_rz + h U_rz)
    n    = tanh(x W_n + b_n + r (h U_n + c))
    h'   = (1 - z) n + z h

The input side x W + b is a table with one row for each token. The recurrent side h U is computed once for each prefix
and shared by all its continuations. Same cell as torch.nn.GRU, whose second bias of r and z repeats the first.

float64 throughout: a run in the browser then stays on the path of the native one, which float32 leaves after a few
updates, when a first sampled token differs; and in wasm, where there is no BLAS, float32 is hardly faster.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pycore.domain import Array, DomainError, integer
from pycore.prefix_tree import Level, sum_children


@dataclass(frozen=True)
class Size:
    """Widths of the network.

    >>> Size().parameters
    20240
    """

    vocabulary: int = 16
    embedding: int = 32
    hidden: int = 64

    def __post_init__(self) -> None:
        for name in ("vocabulary", "embedding", "hidden"):
            object.__setattr__(self, name, int(integer(name, getattr(self, name), 1, 4096)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each weight, in the order in which they lie in the flat vector."""
        gates = 3 * self.hidden
        return {
            "embedding": (self.vocabulary, self.embedding),
            "input": (self.embedding, gates),
            "input_bias": (gates,),
            "recurrent": (self.hidden, gates),
            "candidate_bias": (self.hidden,),
            "head": (self.hidden, self.vocabulary),
            "head_bias": (self.vocabulary,),
        }

    @property
    def parameters(self) -> int:
        """Numbers in the flat vector."""
        return sum(int(np.prod(shape)) for shape in self.shapes.values())


class Weights(NamedTuple):
    """Views into one flat vector, so that optimiser, clipping and checkpoints handle a single array."""

    embedding: Array
    input: Array
    input_bias: Array
    recurrent: Array
    candidate_bias: Array
    head: Array
    head_bias: Array


def views(vector: Array, size: Size) -> Weights:
    """The weights that lie in a flat vector.

    Raises:
        DomainError: a vector of another length.

    >>> views(np.zeros(20240), Size()).recurrent.shape
    (64, 192)
    """
    if vector.shape != (size.parameters,):
        raise DomainError("vector.shape", vector.shape, f"({size.parameters},)")
    parts, start = [], 0
    for shape in size.shapes.values():
        end = start + int(np.prod(shape))
        parts.append(vector[start:end].reshape(shape))
        start = end
    return Weights(*parts)


def initial(size: Size, generator: np.random.Generator) -> Array:
    """Random weights: standard normal embeddings, the rest uniform within 1 / sqrt(hidden).

    >>> initial(Size(), np.random.default_rng(0)).shape
    (20240,)

    Source: the scales that torch gives its Embedding, GRU and Linear.
    """
    vector = np.asarray(generator.uniform(-1, 1, size.parameters) / np.sqrt(size.hidden))
    weights = views(vector, size)
    weights.embedding[:] = generator.standard_normal(weights.embedding.shape)
    return vector


class State(NamedTuple):
    """What one level leaves for the backward pass, each of shape (nodes, hidden) or twice that.

    Attributes:
        hidden: the state after the level's token.
        before: the parent's state.
        gates: r and z side by side.
        candidate: n.
        lifted: the recurrent part of the candidate before r.
    """

    hidden: Array
    before: Array
    gates: Array
    candidate: Array
    lifted: Array


def input_table(weights: Weights) -> Array:
    """x W + b for every token, shape (vocabulary, 3 hidden)."""
    return product(weights.embedding, weights.input) + weights.input_bias


def advance(weights: Weights, table: Array, previous: Array, level: Level) -> State:
    """States of one level from those of the level before.

    Args:
        weights: of the network.
        table: `input_table(weights)`.
        previous: states of the level before, shape (parents, hidden); one row of zeros before the first token.
        level: the tokens to read.
    """
    width = previous.shape[1]
    recurrent = product(previous, weights.recurrent)
    recurrent[:, 2 * width :] += weights.candidate_bias
    spread, before = recurrent[level.parent], previous[level.parent]
    inward = table[level.token]
    gates = _sigmoid(inward[:, : 2 * width] + spread[:, : 2 * width])
    lifted = spread[:, 2 * width :]
    candidate = gates[:, :width] * lifted
    candidate += inward[:, 2 * width :]
    # tanh(x) = 2 sigmoid(2x) - 1: NumPy's exp is several times faster than its tanh, natively and in wasm.
    candidate *= 2.0
    candidate = _sigmoid(candidate)
    candidate *= 2.0
    candidate -= 1.0
    hidden = before - candidate
    hidden *= gates[:, width:]
    hidden += candidate
    return State(hidden, before, gates, candidate, lifted)


def _sigmoid(score: Array) -> Array:
    """1 / (1 + exp(-x)), in place."""
    np.negative(score, out=score)
    with np.errstate(over="ignore"):  # exp(-x) = inf is the right way to 0
        np.exp(score, out=score)
    score += 1.0
    return np.reciprocal(score, out=score)


def retreat(
    weights: Weights, gradient: Weights, levels: tuple[Level, ...], states: list[State], outward: dict[int, Array]
) -> Iterator[None]:
    """Backward pass: d loss / d weights, except the head's, into `gradient`; yields between its parts.

    Args:
        weights: of the network.
        gradient: receives the result.
        levels: of the tree.
        states: what `advance` returned for each level.
        outward: level -> d loss / d hidden from the head, shape (nodes, hidden); the last level must be there.
    """
    width = weights.recurrent.shape[0]
    # Weight gradients are sums over all nodes: one product at the end costs less than one for each level.
    inward, above, lifting = [], [], []
    below: Array | None = None  # what the children pass up, summed for each parent
    for depth in range(len(levels) - 1, -1, -1):
        level, (_, before, gates, candidate, lifted) = levels[depth], states[depth]
        flow = outward.get(depth)
        if below is not None:
            flow = below if flow is None else flow + below
        assert flow is not None
        # Columns: d r, d z and d (h U_n + c) before their nonlinearities, then the direct path to the parent's state.
        passed = np.empty((len(flow), 4 * width))
        direct = np.multiply(flow, gates[:, width:], out=passed[:, 3 * width :])
        at_candidate = candidate * candidate
        np.subtract(1.0, at_candidate, out=at_candidate)
        at_candidate *= flow - direct
        np.multiply(at_candidate, gates[:, :width], out=passed[:, 2 * width : 3 * width])
        slope = 1.0 - gates
        slope *= gates
        pull = passed[:, : 2 * width]
        np.multiply(at_candidate, lifted, out=pull[:, :width])
        np.subtract(before, candidate, out=pull[:, width:])
        pull[:, width:] *= flow
        pull *= slope
        inward.append(np.concatenate([pull, at_candidate], axis=1))
        summed = sum_children(passed, level)
        lifting.append(summed[:, : 3 * width])
        if depth == 0:
            above.append(np.zeros((1, width)))
            break
        hidden = states[depth - 1].hidden
        every = len(level.inner) == len(hidden)
        above.append(hidden if every else hidden[level.inner])
        upward = product(summed[:, : 3 * width], weights.recurrent.T)
        upward += summed[:, 3 * width :]
        if every:
            below = upward
        else:
            below = np.zeros_like(hidden)
            below[level.inner] = upward
        yield
    from_parent = np.concatenate(lifting)
    gradient.recurrent[:] = product(np.concatenate(above).T, from_parent)
    gradient.candidate_bias[:] = from_parent[:, 2 * width :].sum(axis=0)
    yield
    tokens = np.concatenate([level.token for level in reversed(levels)])
    # A product with one-hot columns sums by token faster than an unbuffered scatter.
    by_token = np.zeros((len(weights.embedding), len(tokens)))
    by_token[tokens, np.arange(len(tokens))] = 1.0
    table = product(by_token, np.concatenate(inward))
    yield
    gradient.embedding[:] = product(table, weights.input.T)
    gradient.input[:] = product(weights.embedding.T, table)
    gradient.input_bias[:] = table.sum(axis=0)


def _rows_by_rows(left: Array, right: Array) -> Array:
    """left @ right as inner products of contiguous rows: twice as fast as matmul where there is no BLAS."""
    return np.asarray(np.einsum("ij,kj->ik", np.ascontiguousarray(left), np.ascontiguousarray(right.T)))


# wasm's NumPy has no BLAS, and there matmul is a plain triple loop.
product = _rows_by_rows if sys.platform == "emscripten" else np.matmul
