"""One batch used again and again: how the importance ratios leave 1, on a policy small enough to watch every token.

The policy is a softmax over a few tokens at every place of every prompt, linear in features of the place. All places
share the weights, as in a language model: an update for one token moves the ratios of others that no update has used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from pycore.adam import Adam
from pycore.argument import Index, finite, scalar, whole
from pycore.domain import Array, DomainError, integer
from pycore.objective import Batch, Evaluation, evaluate
from pycore.protocol import Protocol

PROMPTS, GROUP, TOKENS, VOCABULARY, FEATURES = 32, 8, 12, 8, 24
WANTED = 2  # a response with so many tokens that the checker wants is right


@dataclass(frozen=True)
class Reuse:
    """What is done with one batch of responses.

    Attributes:
        rate: Adam's learning rate, >= 0.
        passes: how often the whole batch is gone through, >= 1.
        minibatches: parts of a pass with an update each, from 1 to the number of prompts.
        lag: updates, on other fresh batches, that the policy has made since it wrote this one, >= 0.
        noise: standard deviation of the difference between the logits of the engine that wrote the responses and those
            of the training code, >= 0.
    """

    rate: float = 0.025
    passes: int = 1
    minibatches: int = 16
    lag: int = 0
    noise: float = 0.0

    def __post_init__(self) -> None:
        scalar("rate", self.rate, 0, np.inf, open_high=True)
        whole("passes", self.passes, 1)
        whole("minibatches", self.minibatches, 1, PROMPTS)
        whole("lag", self.lag, 0)
        scalar("noise", self.noise, 0, np.inf, open_high=True)

    @property
    def updates(self) -> int:
        """Updates on the batch."""
        return self.passes * self.minibatches


def log_policy(features: ArrayLike, weights: ArrayLike) -> Array:
    """Log-probs of all tokens at every place.

    Args:
        features: of each place, shape (prompts, tokens, features).
        weights: shape (features, vocabulary).

    Returns:
        Shape (prompts, tokens, vocabulary).

    Raises:
        DomainError: numbers that are not finite, shapes that do not fit.

    >>> log_policy([[[1.0]]], [[0.0, 0.0]]).round(4).tolist()
    [[[-0.6931, -0.6931]]]

    Source: definition.
    """
    place, weight = finite("features", features, 3), finite("weights", weights, 2)
    if place.shape[2] != weight.shape[0]:
        raise DomainError("weights.shape", weight.shape, f"({place.shape[2]}, vocabulary)")
    return _log_softmax(place @ weight)


def weight_gradient(features: ArrayLike, log_probs: ArrayLike, tokens: ArrayLike, slope: ArrayLike) -> Array:
    """Gradient by the weights of whatever has this gradient by the log-probs of the sampled tokens.

    Args:
        features: shape (prompts, tokens, features).
        log_probs: of all tokens, from `log_policy`, shape (prompts, tokens, vocabulary).
        tokens: sampled ids, shape (prompts, group, tokens).
        slope: derivative by each sampled token's log-prob, same shape.

    Returns:
        Shape (features, vocabulary).

    Raises:
        DomainError: a token outside the vocabulary, `slope` of another shape than `tokens`.

    >>> weight_gradient([[[1.0]]], np.log([[[0.5, 0.5]]]), [[[0]]], [[[1.0]]]).tolist()
    [[0.5, -0.5]]

    Source: d log softmax_a / d logit_b = [a = b] - softmax_b.
    """
    place, known, push = finite("features", features, 3), finite("log_probs", log_probs, 3), finite("slope", slope, 3)
    ids = integer("tokens", tokens, 0, known.shape[2] - 1).astype(np.int64)
    if push.shape != ids.shape:
        raise DomainError("slope.shape", push.shape, f"{ids.shape}, the shape of tokens")
    by_token = np.zeros((*ids.shape, known.shape[2]))
    np.put_along_axis(by_token, ids[..., None], push[..., None], axis=3)
    by_logit = by_token.sum(axis=1) - np.exp(known) * push.sum(axis=1)[..., None]
    return np.asarray(np.tensordot(place, by_logit, axes=((0, 1), (0, 1))))


def drift(
    protocols: Sequence[Protocol], reuse: Reuse, generator: np.random.Generator
) -> Iterator[tuple[int, tuple[Evaluation, ...]]]:
    """What the log says at every update on one batch, before the weights move, under several protocols side by side.

    Args:
        protocols: how an update is computed, at least one; each trains its own copy of the same policy.
        reuse: how often the batch is used, in how many parts, how old it is and who wrote it.
        generator: source of randomness: prompts, luck and order, the same for all protocols.

    Yields:
        Number of the update, from 1, and each protocol's evaluation of its mini-batch: whole groups of GROUP responses
        with TOKENS tokens each. Numbers 1 - lag to 0 come first: the whole batch while it waits and the policy is
        updated on fresh responses to other prompts, as the first protocol says.

    Raises:
        DomainError: no protocol.

    >>> (_, (first,)), *_, (last, (end,)) = drift([Protocol()], Reuse(), np.random.default_rng(0))
    >>> round(float(abs(first.ratio - 1).max()), 9), last, bool(abs(end.ratio - 1).max() > 0.1)
    (0.0, 16, True)

    Source: curriculum 2.4; the optimiser is `pycore.adam`.
    """
    if not protocols:
        raise DomainError("protocols", (), "at least one")
    first = _Learner(generator.standard_normal((FEATURES, VOCABULARY)), Adam.new(FEATURES * VOCABULARY))
    checker = generator.standard_normal((FEATURES, VOCABULARY))
    features = _features(generator)
    engine = features @ first.weights + reuse.noise * generator.standard_normal((PROMPTS, TOKENS, VOCABULARY))
    batch = _write(features, _log_softmax(engine), checker, generator)
    everything = np.arange(PROMPTS)
    for waited in range(reuse.lag):
        yield 1 - reuse.lag + waited, (first.evaluate(protocols[0], batch, everything),) * len(protocols)
        places = _features(generator)
        fresh = _write(places, log_policy(places, first.weights), checker, generator)
        first.update(protocols[0], fresh, everything, reuse.rate)
    learners = [first.copy() for _ in protocols]
    number = 0
    for _ in range(reuse.passes):
        for part in np.array_split(generator.permutation(PROMPTS), reuse.minibatches):
            number += 1
            pairs = zip(learners, protocols, strict=True)
            yield number, tuple(learner.update(protocol, batch, part, reuse.rate) for learner, protocol in pairs)


@dataclass(frozen=True, eq=False)
class _Written:
    """Responses as they were written: features of their prompts, tokens, rewards, log-probs of who wrote them."""

    features: Array
    tokens: Index
    rewards: Array
    logp: Array


@dataclass(frozen=True, eq=False)
class _Learner:
    """Weights and their optimiser; `update` changes both in place."""

    weights: Array
    adam: Adam

    def copy(self) -> "_Learner":
        adam = replace(self.adam, first=self.adam.first.copy(), second=self.adam.second.copy())
        return _Learner(self.weights.copy(), adam)

    def evaluate(self, protocol: Protocol, batch: _Written, part: Index) -> Evaluation:
        return self._look(protocol, batch, part)[0]

    def update(self, protocol: Protocol, batch: _Written, part: Index, rate: float) -> Evaluation:
        found, now = self._look(protocol, batch, part)
        gradient = weight_gradient(batch.features[part], now, batch.tokens[part], found.grad)
        self.adam.step(self.weights.reshape(-1), gradient.reshape(-1), rate)
        return found

    def _look(self, protocol: Protocol, batch: _Written, part: Index) -> tuple[Evaluation, Array]:
        now = log_policy(batch.features[part], self.weights)
        logp = _of_tokens(now, batch.tokens[part])
        mask = np.ones(logp.shape, dtype=bool)
        return evaluate(protocol, Batch(logp, batch.logp[part], mask, batch.rewards[part])), now


def _features(generator: np.random.Generator) -> Array:
    """The places of new prompts, of length about 1."""
    return np.asarray(generator.standard_normal((PROMPTS, TOKENS, FEATURES)) / np.sqrt(FEATURES))


def _write(features: Array, log_probs: Array, checker: Array, generator: np.random.Generator) -> _Written:
    """Responses drawn from `log_probs` and judged: at each place the checker wants one token."""
    wanted = np.argmax(features @ checker, axis=2)
    luck = generator.random((PROMPTS, GROUP, TOKENS))
    bounds = np.cumsum(np.exp(log_probs), axis=2)[..., :-1]
    tokens = np.count_nonzero(luck[..., None] >= bounds[:, None], axis=3)
    right = np.count_nonzero(tokens == wanted[:, None], axis=2) >= WANTED
    return _Written(features, tokens, right.astype(np.float64), _of_tokens(log_probs, tokens))


def _of_tokens(log_probs: Array, tokens: Index) -> Array:
    """Log-probs of the sampled tokens, shape of `tokens`."""
    spread = np.broadcast_to(log_probs[:, None], (*tokens.shape, VOCABULARY))
    return np.asarray(np.take_along_axis(spread, tokens[..., None], axis=3)[..., 0])


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
