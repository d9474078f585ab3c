"""The policy of the browser: a GRU language model with its sampler, its exact gradients and its optimiser."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from pycore import gru, snapshot
from pycore.adam import Adam, clip_norm
from pycore.argument import Index, Mask
from pycore.decoding import Decoding, behaviour_log_probs
from pycore.domain import Array, DomainError, integer
from pycore.policy import Grammar, Parts, Policy, Rollout, Scores, finish
from pycore.prefix_tree import PrefixTree, assemble, build, grow, plant
from pycore.ratio import Floats

# Log-prob of a forbidden token: its probability is an exact zero, and zero times it is not NaN, as -inf would give.
FORBIDDEN = -1e30


@dataclass(frozen=True, eq=False)
class _Pass:
    """A forward pass that `backward` can undo."""

    rollout: Rollout
    tree: PrefixTree
    table: Array
    states: list[gru.State]
    log_probs: Array
    reference: Array | None = None


class GruPolicy:
    """A small language model that speaks a grammar.

    >>> grammar = Grammar(np.ones((1, 4), bool), end=2, pad=3)
    >>> policy = GruPolicy.new(gru.Size(vocabulary=4, hidden=8), grammar, np.random.default_rng(0))
    >>> rollout = policy.sample([[0, 1]], group=3, generator=np.random.default_rng(0))
    >>> rollout.tokens.shape, np.array_equal(rollout.logp, policy.logp(rollout).logp)
    ((1, 3, 1), True)
    """

    def __init__(
        self, size: gru.Size, grammar: Grammar, vector: Array, adam: Adam, decoding: Decoding | None = None
    ) -> None:
        if grammar.allowed.shape[1] != size.vocabulary:
            raise DomainError("grammar.allowed.shape", grammar.allowed.shape, f"(tokens, {size.vocabulary})")
        self.size, self.grammar, self.vector, self.adam = size, grammar, vector, adam
        self.decoding = decoding or Decoding()
        self.weights = gru.views(vector, size)
        self.gradient = np.zeros_like(vector)
        self._last: _Pass | None = None

    @classmethod
    def new(
        cls, size: gru.Size, grammar: Grammar, generator: np.random.Generator, decoding: Decoding | None = None
    ) -> "GruPolicy":
        """A policy with random weights."""
        return cls(size, grammar, gru.initial(size, generator), Adam.new(size.parameters), decoding)

    def copy(self) -> "GruPolicy":
        """The same weights, apart from this policy's future."""
        return GruPolicy(self.size, self.grammar, self.vector.copy(), Adam.new(self.size.parameters), self.decoding)

    def with_decoding(self, decoding: Decoding, grammar: Grammar | None = None) -> "GruPolicy":
        """The same weights and optimiser under another temperature, other filters or another length limit."""
        return GruPolicy(self.size, grammar or self.grammar, self.vector, self.adam, decoding)

    # -- Policy

    # Each of the three long things can also be done in parts: whoever drives the generator listens between them.

    def sample(self, prompts: ArrayLike, group: int, generator: np.random.Generator) -> Rollout:
        """Draws responses; one pass of Python for each token position, whatever the number of responses.

        Args:
            prompts: token ids, shape (prompts, prompt_tokens).
            group: responses to each prompt, >= 1.
            generator: source of randomness; a call takes prompts * group * tokens numbers from it.

        Raises:
            DomainError: ids outside the vocabulary, a group below 1.
        """
        return finish(self.sample_in_parts(prompts, group, generator))

    def sample_in_parts(self, prompts: ArrayLike, group: int, generator: np.random.Generator) -> Parts[Rollout]:
        """`sample`, with a yield after every token."""
        given = integer("prompts", prompts, 0, self.size.vocabulary - 1).astype(np.int64)
        if given.ndim != 2 or given.size == 0:
            raise DomainError("prompts.shape", given.shape, "(prompts, prompt_tokens), both at least 1")
        rows = len(given) * int(integer("group", group, 1))
        allowed, free, end = self.grammar.allowed, self.grammar.free, self.grammar.end
        length = len(allowed)
        drawn = generator.random((length, rows))
        levels, node = plant(given, self.size.vocabulary)
        depth = len(levels)
        table = gru.input_table(self.weights)
        states: list[gru.State] = []
        hidden = np.zeros((1, self.size.hidden))
        for level in levels:
            states.append(gru.advance(self.weights, table, hidden, level))
            hidden = states[-1].hidden
        yield
        tokens = np.full((rows, length), self.grammar.pad)
        nodes = np.zeros((rows, length), dtype=np.int64)
        logp, entropy = np.zeros((rows, length)), np.zeros((rows, length))
        active = np.zeros((rows, length), dtype=bool)
        standing, here = np.arange(rows), np.repeat(node, group)
        scored = []
        for position in range(length):
            if position:
                level, here = grow(here, tokens[standing, position - 1], len(hidden), self.size.vocabulary)
                levels.append(level)
                states.append(gru.advance(self.weights, table, hidden, level))
                hidden = states[-1].hidden
            nodes[standing, position] = here
            if free[position]:
                plain = self._log_probs(hidden, np.full(len(hidden), position))
                scored.append(plain)
                behaviour, chance = self._behaviour(hidden, plain, position)
                cumulative = np.cumsum(chance, axis=1)
                # From the last possible token on nothing is left to rounding.
                cumulative[np.arange(self.size.vocabulary) >= _last_possible(chance)[:, None]] = np.inf
                chosen = (cumulative[here] <= drawn[position, standing, None]).sum(axis=1)
                active[standing, position] = True
                logp[standing, position] = behaviour[here, chosen]
                spread = -(chance * behaviour).sum(axis=1)
                entropy[standing, position] = spread[here]
            else:
                chosen = np.full(len(standing), int(np.argmax(allowed[position])))
            tokens[standing, position] = chosen
            going = chosen != end
            standing, here = standing[going], here[going]
            yield
            if len(standing) == 0:
                break
        ended = (tokens == end).any(axis=1)
        lengths = np.where(ended, np.argmax(tokens == end, axis=1) + 1, length)
        shape = (len(given), int(group))
        rollout = Rollout(
            prompts=given,
            tokens=tokens.reshape(*shape, length),
            mask=active.reshape(*shape, length),
            logp=logp.reshape(*shape, length),
            entropy=entropy.reshape(*shape, length),
            lengths=lengths.reshape(shape),
            truncated=~ended.reshape(shape),
        )
        tree = assemble(levels, depth, nodes, active)
        # The first `logp` of this rollout needs no second forward pass.
        self._last = _Pass(rollout, tree, table, states, np.concatenate(scored))
        self._fresh = True
        return rollout

    def logp(self, rollout: Rollout, reference: Policy | None = None) -> Scores:
        """Scores a rollout by teacher forcing and keeps the pass for `backward`.

        Args:
            rollout: sampled by this policy or by another one over the same grammar.
            reference: a GruPolicy to measure the exact KL against, at this policy's temperature.

        Raises:
            DomainError: a reference of another kind.
        """
        return finish(self.logp_in_parts(rollout, reference))

    def logp_in_parts(self, rollout: Rollout, reference: Policy | None = None) -> Parts[Scores]:
        """`logp`, with a yield after every token."""
        done = yield from self._forward(rollout)
        log_probs, tree = done.log_probs, done.tree
        if reference is not None:
            if not isinstance(reference, GruPolicy):
                raise DomainError("reference", type(reference).__name__, "a GruPolicy: the KL compares distributions")
            done = replace(done, reference=(yield from reference._nodes(tree, self.decoding.temperature)))
            self._last = done
        flat = tree.index.reshape(rollout.shape)
        taken = np.where(rollout.mask, log_probs[flat, rollout.tokens], 0.0)
        chance = np.exp(log_probs)
        entropy = -(chance * log_probs).sum(axis=1)
        divergence = None
        if done.reference is not None:
            per_node = (chance * (log_probs - done.reference)).sum(axis=1)
            divergence = np.where(rollout.mask, per_node[flat], 0.0)
        return Scores(taken, np.where(rollout.mask, entropy[flat], 0.0), divergence)

    def backward(self, grad_logp: Floats, grad_entropy: Array | None = None, grad_kl: Array | None = None) -> float:
        """Gradient of a loss with respect to the weights, from the last `logp` call.

        Args:
            grad_logp: d loss / d logp, shape (prompts, group, tokens); what lies at inactive tokens is ignored.
            grad_entropy: d loss / d entropy of each action of a response, shape (prompts, group).
            grad_kl: d loss / d kl of each action of a response, shape (prompts, group).

        Returns:
            The gradient's norm.

        Raises:
            DomainError: no `logp` call before, gradients of another shape, `grad_kl` without a reference.
        """
        return finish(self.backward_in_parts(grad_logp, grad_entropy, grad_kl))

    def backward_in_parts(
        self, grad_logp: Floats, grad_entropy: Array | None = None, grad_kl: Array | None = None
    ) -> Parts[float]:
        """`backward`, with a yield after every token."""
        done = self._last
        if done is None:
            raise DomainError("backward", "no pass", "a call of logp before it")
        rollout, tree, log_probs = done.rollout, done.tree, done.log_probs
        if grad_logp.shape != rollout.shape:
            raise DomainError("grad_logp.shape", grad_logp.shape, f"{rollout.shape}")
        active = rollout.mask.reshape(tree.index.shape)
        where, chance = tree.index[active], np.exp(log_probs)
        flat = where * self.size.vocabulary + rollout.tokens.reshape(active.shape)[active]
        pulled = np.bincount(flat, grad_logp.reshape(active.shape)[active], minlength=chance.size)
        slope = np.asarray(pulled.reshape(chance.shape), dtype=np.float64)
        slope -= chance * slope.sum(axis=1, keepdims=True)
        if grad_entropy is not None:
            weight = _per_node(grad_entropy, rollout, active, where, tree.nodes)
            entropy = -(chance * log_probs).sum(axis=1, keepdims=True)
            slope -= weight * chance * (log_probs + entropy)
        if grad_kl is not None:
            if done.reference is None:
                raise DomainError("grad_kl", "given", "None unless logp had a reference")
            weight = _per_node(grad_kl, rollout, active, where, tree.nodes)
            gap = log_probs - done.reference
            slope += weight * chance * (gap - (chance * gap).sum(axis=1, keepdims=True))
        slope /= self.decoding.temperature
        yield
        gradient = gru.views(self.gradient, self.size)
        hidden = np.concatenate([done.states[head].hidden for head in tree.heads])
        gradient.head[:] = gru.product(hidden.T, slope)
        gradient.head_bias[:] = slope.sum(axis=0)
        outward = gru.product(slope, self.weights.head.T)
        ends = np.cumsum([len(tree.levels[head].token) for head in tree.heads])
        parts = dict(zip(tree.heads, np.split(outward, ends[:-1]), strict=True))
        yield
        yield from gru.retreat(self.weights, gradient, tree.levels, done.states, parts)
        return float(np.sqrt(self.gradient @ self.gradient))

    def step(self, learning_rate: float, max_norm: float) -> None:
        """One step of Adam along the clipped gradient of the last `backward`."""
        clip_norm(self.gradient, max_norm)
        self.adam.step(self.vector, self.gradient, learning_rate)
        self._fresh = False

    def save(self) -> bytes:
        """Weights and optimiser as bytes; grammar and decoding belong to whoever loads."""
        facts = {"size": [self.size.vocabulary, self.size.embedding, self.size.hidden], "steps": self.adam.steps}
        # An optimiser that has not begun is all zeros: a base is a third of a policy in training.
        moments = {"first": self.adam.first, "second": self.adam.second} if self.adam.steps else {}
        return snapshot.pack(facts, {"weights": self.vector, **moments})

    @classmethod
    def load(cls, data: bytes, grammar: Grammar, decoding: Decoding | None = None) -> "GruPolicy":
        """The policy that `save` wrote.

        Raises:
            DomainError: bytes that are not such a policy.
        """
        facts, arrays = snapshot.unpack(data)
        try:
            size, steps = gru.Size(*facts["size"]), int(integer("steps", facts["steps"], 0))
            vector = arrays["weights"]
            first, second = (arrays[name] if steps else np.zeros_like(vector) for name in ("first", "second"))
        except (KeyError, TypeError):
            raise DomainError("data", "bytes", "a policy written by save") from None
        for name, array in (("first", first), ("second", second)):
            if array.shape != (size.parameters,):
                raise DomainError(f"{name}.shape", array.shape, f"({size.parameters},)")
        return cls(size, grammar, vector, Adam(first, second, steps), decoding)

    # -- inside

    _fresh = False

    def _forward(self, rollout: Rollout) -> Parts[_Pass]:
        known = self._last if self._last is not None and self._last.rollout is rollout else None
        if known is not None and self._fresh:
            return known
        vocabulary = self.size.vocabulary
        tree = known.tree if known else build(rollout.prompts, rollout.tokens, rollout.mask, vocabulary)
        table = gru.input_table(self.weights)
        states: list[gru.State] = []
        hidden = np.zeros((1, self.size.hidden))
        for level in tree.levels:
            states.append(gru.advance(self.weights, table, hidden, level))
            hidden = states[-1].hidden
            yield
        predicted = np.concatenate([states[head].hidden for head in tree.heads])
        self._last = _Pass(rollout, tree, table, states, self._log_probs(predicted, tree.position))
        self._fresh = True
        return self._last

    def _nodes(self, tree: PrefixTree, temperature: float) -> Parts[Array]:
        """This policy's distribution at each predicted node of another policy's tree."""
        table = gru.input_table(self.weights)
        hidden, kept = np.zeros((1, self.size.hidden)), []
        for depth, level in enumerate(tree.levels):
            hidden = gru.advance(self.weights, table, hidden, level).hidden
            if depth in tree.heads:
                kept.append(hidden)
            yield
        return self._log_probs(np.concatenate(kept), tree.position, temperature)

    def _logits(self, hidden: Array) -> Array:
        return gru.product(hidden, self.weights.head) + self.weights.head_bias

    def _log_probs(self, hidden: Array, position: Index, temperature: float | None = None) -> Array:
        score = self._logits(hidden)
        score /= temperature or self.decoding.temperature
        score[~self.grammar.allowed[position]] = FORBIDDEN
        score -= score.max(axis=1, keepdims=True)
        score -= np.log(np.exp(score).sum(axis=1, keepdims=True))
        return score

    def _behaviour(self, hidden: Array, plain: Array, position: int) -> tuple[Array, Array]:
        """Log-probs and probabilities of the policy that samples: with filters, not the one that is trained."""
        if self.decoding.top_k is None and self.decoding.top_p == 1:
            return plain, np.exp(plain)
        allowed = np.broadcast_to(self.grammar.allowed[position], plain.shape)
        filtered = behaviour_log_probs(self._logits(hidden), self.decoding, allowed)
        return np.maximum(filtered, FORBIDDEN), np.exp(filtered)


def _last_possible(chance: Array) -> Index:
    return np.asarray(chance.shape[1] - 1 - np.argmax(chance[:, ::-1] > 0, axis=1))


def _per_node(weight: Array, rollout: Rollout, active: Mask, where: Index, nodes: int) -> Array:
    """Sum of the responses' weights at each predicted node, as a column."""
    if weight.shape != rollout.shape[:2]:
        raise DomainError("grad_entropy.shape or grad_kl.shape", weight.shape, f"{rollout.shape[:2]}")
    spread = np.broadcast_to(weight.reshape(-1, 1), active.shape)[active]
    return np.asarray(np.bincount(where, spread, minlength=nodes)[:, None], dtype=np.float64)
