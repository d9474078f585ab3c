"""A gated recurrent unit over a prefix tree: forward pass, and the backward pass written out by hand.

    r, z = sigmoid(x W_rz + b_rz + h U_rz)
    n    = tanh(x W_n + b_n + r (h U_n + c))
    h'   = (1 - z) n + z h

The input side x W + b is a table with one row for each token. The recurrent side h U is computed once for each prefix and
shared by all its continuations. Same cell as torch.nn.GRU, whose second bias of r and z repeats the first.

float64 throughout. Natively float32 would save little, as calls and not arithmetic take the time; in wasm, where there is
no BLAS, it saves next to nothing; and float64 keeps a run in the browser on the same trajectory as the native one.
"""

import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pycore.domain import Array, DomainError, integer
from pycore.prefix_tree import Level


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
    vector = generator.uniform(-1, 1, size.parameters) / np.sqrt(size.hidden)
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
    weights: Weights,
    gradient: Weights,
    table: Array,
    levels: tuple[Level, ...],
    states: list[State],
    outward: dict[int, Array],
) -> None:
    """Backward pass: adds d loss / d weights, except the head's, to `gradient`.

    Args:
        weights: of the network.
        gradient: receives the sums.
        table: zeros of shape (vocabulary, 3 hidden); receives d loss / d input table.
        levels: of the tree.
        states: what `advance` returned for each level.
        outward: level -> d loss / d hidden from the head, shape (nodes, hidden).
    """
    width = weights.recurrent.shape[0]
    inner = len(levels) - 1
    below: Array | None = None  # what the children pass up, already summed for each parent
    for depth in range(inner, -1, -1):
        level, (_, before, gates, candidate, lifted) = levels[depth], states[depth]
        flow = outward.get(depth)
        if below is not None:
            flow = below if flow is None else flow + below
        assert flow is not None  # the last level of a tree always predicts something
        reset, update = gates[:, :width], gates[:, width:]
        # Columns: d r, d z, d (h U_n), before their nonlinearities; then the direct path to the parent's state.
        passed = np.empty((len(flow), 4 * width))
        np.multiply(flow, update, out=passed[:, 3 * width :])
        inward = (flow - passed[:, 3 * width :]) * (1 - candidate * candidate)
        np.multiply(inward, reset, out=passed[:, 2 * width : 3 * width])
        slope = gates * (1 - gates)
        np.multiply(inward * lifted, slope[:, :width], out=passed[:, :width])
        np.multiply(flow * (before - candidate), slope[:, width:], out=passed[:, width : 2 * width])
        by_token = np.zeros((len(table), len(flow)))
        by_token[level.token, np.arange(len(flow))] = 1.0
        # A product with one-hot rows sums by token faster than an unbuffered scatter.
        table[:, : 2 * width] += product(by_token, passed[:, : 2 * width])
        table[:, 2 * width :] += product(by_token, inward)
        if depth == 0:
            gradient.candidate_bias[:] += passed[:, 2 * width : 3 * width].sum(axis=0)
            break
        summed = np.add.reduceat(passed, level.first, axis=0)
        gradient.candidate_bias[:] += summed[:, 2 * width : 3 * width].sum(axis=0)
        above = states[depth - 1].hidden
        every = len(level.inner) == len(above)
        gradient.recurrent[:] += product((above if every else above[level.inner]).T, summed[:, : 3 * width])
        upward = product(summed[:, : 3 * width], weights.recurrent.T)
        upward += summed[:, 3 * width :]
        if every:
            below = upward
        else:
            below = np.zeros_like(above)
            below[level.inner] = upward
    gradient.embedding[:] += product(table, weights.input.T)
    gradient.input[:] += product(weights.embedding.T, table)
    gradient.input_bias[:] += table.sum(axis=0)


def _without_blas(left: Array, right: Array) -> Array:
    """The same product by einsum, whose inner loop adds scaled rows instead of waiting for one sum."""
    return np.asarray(np.einsum("ij,jk->ik", left, right))


# wasm's NumPy has no BLAS, and there matmul is a plain triple loop.
product = _without_blas if sys.platform == "emscripten" else np.matmul
