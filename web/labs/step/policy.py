"""A policy small enough to see through: the next token depends on the one before, by a table of logits."""

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from pycore.argument import Index, Mask
from pycore.decoding import Decoding, behaviour_log_probs
from pycore.domain import Array

TOKENS = ("1", "2", "3", "■")
END = len(TOKENS) - 1
START = len(TOKENS)  # what stands before the first token: the end of the prompt
LONGEST = 6
WANTED = 3  # the task: digits that add up to this, then the end
RIGHT = tuple(
    digits for size in range(1, LONGEST) for digits in product(range(END), repeat=size) if sum(digits) + size == WANTED
)


@dataclass(frozen=True)
class Rollout:
    """A group of sampled responses.

    Attributes:
        before: token before each position, shape (group, tokens).
        tokens: sampled tokens, the end repeated as padding, same shape.
        mask: positions that belong to the response, its end included, same shape.
        logp: what the sampler stored, same shape.
    """

    before: Index
    tokens: Index
    mask: Mask
    logp: Array


def table(rng: np.random.Generator) -> Array:
    """Logits of a policy that has learned to stop and little else, shape (tokens before, tokens)."""
    logits = rng.normal(0, 0.4, (len(TOKENS) + 1, len(TOKENS)))
    logits[:, END] += np.where(np.arange(len(logits)) == START, -2.0, 1.0)
    return logits


def scores(logits: Array) -> Array:
    """Log-probs of every token after every other, shape of `logits`."""
    return behaviour_log_probs(logits, Decoding())


def sample(logits: Array, group: int, rng: np.random.Generator, *, greedy: bool = False) -> Rollout:
    """`group` responses, drawn or the likeliest."""
    table, last, alive = scores(logits), np.full(group, START), np.ones(group, bool)
    before, tokens = np.full((2, group, LONGEST), END)
    mask = np.zeros((group, LONGEST), bool)
    for place in range(LONGEST):
        noise = rng.gumbel(size=(group, len(TOKENS)))
        found = np.argmax(table[last] + (0 if greedy else noise), axis=1)
        before[:, place], mask[:, place] = last, alive
        tokens[:, place] = np.where(alive, found, END)
        alive, last = alive & (found != END), np.where(alive, found, END)
    return Rollout(before, tokens, mask, table[before, tokens])


def verify(rollout: Rollout) -> Array:
    """1 where the digits add up and the response ended, shape (group,)."""
    digits = np.where(rollout.mask & (rollout.tokens != END), rollout.tokens + 1, 0)
    ended = np.any((rollout.tokens == END) & rollout.mask, axis=1)
    return np.asarray((digits.sum(axis=1) == WANTED) & ended, float)


def success(logits: Array) -> float:
    """Exact probability of a right response: the sum over all of them."""
    table = scores(logits)
    walks = ([START, *digits, END] for digits in RIGHT)
    return float(sum(np.exp(sum(table[a, b] for a, b in pairwise(walk))) for walk in walks))


def gradient(logits: Array, rollout: Rollout, wanted: NDArray[np.floating]) -> Array:
    """d loss / d logits from d loss / d log-prob of every token, shape of `logits`."""
    made, chance = np.zeros_like(logits), np.exp(scores(logits))
    shown = wanted[..., None] * (np.eye(len(TOKENS))[rollout.tokens] - chance[rollout.before])
    np.add.at(made, rollout.before, shown)
    return made
