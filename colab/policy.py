"""A Hugging Face causal model with LoRA as a policy: what `pycore.train.run` drives exactly like the small NumPy one.

    sample   -> ids and behaviour log-probs, kept as they are; no text is ever tokenised again
    logp     -> log-probs of the very same ids, in eval mode: without dropout, the first ratio is 1
    backward -> `pycore.objective` supplies d loss / d logp, autograd carries it on into the adapters
    copy     -> the base: the same model with its adapters switched off

The objective sees whole batches. Only the forward and backward passes are cut into micro-batches, so no setting of
memory can change a denominator. When the card runs out of memory, micro-batches are halved and the call is repeated.
"""

import io
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from colab.optimiser import Optimiser
from colab.prefix import blocks, read, score
from colab.writing import write
from pycore.argument import Index
from pycore.decoding import Decoding
from pycore.domain import Array, DomainError
from pycore.policy import Policy, Rollout, Scores
from pycore.ratio import Floats

Result = TypeVar("Result")


@dataclass(eq=False)
class Rows:
    """Responses in one call: scoring needs more memory than writing.

    Attributes:
        score: in a forward and backward pass, at least 1.
        write: while sampling, at least 1.
        match: in a rollout that is scored as soon as it is written, so that its first ratio is exactly 1. Larger ones,
            as an evaluation draws, keep the writer's numbers and save a pass.
    """

    score: int = 16
    write: int = 128
    match: int = 1024


@dataclass(frozen=True, eq=False)
class _Pass:
    """What `backward` needs of the last scores; `graph` only where everything fitted into one block."""

    rollout: Rollout
    reference: bool
    scores: Scores
    graph: Tensor | None


class LoraPolicy:
    """A causal model whose LoRA weights are trained.

    Args:
        model: a PEFT model, or any causal model that is only to be measured.
        pad: id that fills prompts on the left and responses on the right.
        ends: ids that end a response.
        max_tokens: longest response.
        decoding: temperature and filters of the behaviour policy; "mask first", as there is no grammar.
        rows: responses a call.
        say: told in a sentence when memory did not suffice.
    """

    def __init__(
        self,
        model: Any,
        *,
        pad: int,
        ends: Sequence[int],
        max_tokens: int,
        decoding: Decoding | None = None,
        rows: Rows | None = None,
        say: Callable[[str], None] = print,
        adapter: bool = True,
    ) -> None:
        self.model = model.eval()
        self.pad, self.ends, self.max_tokens = pad, tuple(ends), max_tokens
        self.decoding, self.rows, self.say, self.adapter = decoding or Decoding(), rows or Rows(), say, adapter
        self.trained = [weight for weight in model.parameters() if weight.requires_grad] if adapter else []
        self.optimiser = Optimiser(self.trained, half=next(model.parameters()).dtype == torch.float16)
        self.mismatch = float("nan")
        self._device = next(model.parameters()).device
        self._last: _Pass | None = None

    # -- the interface of pycore.policy.Policy

    def sample(self, prompts: ArrayLike, group: int, generator: np.random.Generator) -> Rollout:
        """Draws responses by inverse distribution function from the generator's own numbers, equal on any device."""
        chance = generator.random((self.max_tokens, len(np.asarray(prompts)), group))
        rollout = self._retry("write", lambda: self._written(np.asarray(prompts), group, chance))
        if self.decoding.top_k is not None or self.decoding.top_p < 1 or rollout.lengths.size > self.rows.match:
            return rollout
        # Writing token by token and scoring at once round differently. What `logp` will say of these very weights is
        # the denominator, so that the first ratio is exactly 1; the difference is a fact worth reporting.
        scored = self._scores(rollout, None)
        self.mismatch = float(np.abs(scored.logp - rollout.logp)[rollout.mask].max(initial=0.0))
        rollout = replace(rollout, logp=scored.logp, entropy=scored.entropy)
        if self._last is not None:
            self._last = replace(self._last, rollout=rollout)
        return rollout

    def greedy(self, prompts: ArrayLike) -> Rollout:
        """The most probable token each time: one response a prompt, shape (prompts, 1, tokens)."""
        return self._retry("write", lambda: self._written(np.asarray(prompts), 1, None))

    def logp(self, rollout: Rollout, reference: Policy | None = None) -> Scores:
        """Scores under temperature, without filters; with any reference the exact KL to the base."""
        last = self._last
        if last is not None and last.rollout is rollout and last.reference == (reference is not None):
            return last.scores
        return self._scores(rollout, reference)

    def backward(self, grad_logp: Floats, grad_entropy: Array | None = None, grad_kl: Array | None = None) -> float:
        """The gradient of the adapters, from that of the log-probs; returns its norm."""
        last = self._last
        if last is None:
            raise DomainError("backward", "called", "after logp")
        self.optimiser.clear()
        # A batch of flat groups has the gradient 0 and needs no pass through the model.
        if np.any(grad_logp) or grad_entropy is not None or grad_kl is not None:
            self._retry("score", lambda: self._backward(last, grad_logp, grad_entropy, grad_kl))
        self._last = replace(last, graph=None)
        return self.optimiser.norm()

    def step(self, learning_rate: float, max_norm: float) -> None:
        """Clips and steps; what was scored before is no longer known."""
        self._last = None
        self.optimiser.step(learning_rate, max_norm)

    def copy(self) -> "LoraPolicy":
        """The base: this model with its adapters switched off, sharing every weight."""
        return LoraPolicy(
            self.model,
            pad=self.pad,
            ends=self.ends,
            max_tokens=self.max_tokens,
            decoding=self.decoding,
            rows=self.rows,
            say=self.say,
            adapter=False,
        )

    def save(self) -> bytes:
        """Adapters and optimiser, float32, without pickles."""
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **self.optimiser.arrays())
        return file.getvalue()

    def restore(self, data: bytes) -> None:
        """Takes over what `save` of a policy of the same shape wrote.

        Raises:
            DomainError: weights of another model or rank.
        """
        self.optimiser.restore(np.load(io.BytesIO(data), allow_pickle=False))
        self._last = None

    # -- inside

    def _retry(self, kind: str, work: Callable[[], Result]) -> Result:
        """`work`, again with half the rows whenever memory runs out."""
        while True:
            try:
                return work()
            except torch.OutOfMemoryError as error:
                rows = getattr(self.rows, kind)
                if rows == 1:
                    raise DomainError(
                        "memory", "too little for a single response", "a smaller max_tokens, or a smaller model"
                    ) from error
                setattr(self.rows, kind, rows // 2)
                self.say(f"Out of memory with {rows} responses a pass ({kind}); going on with {rows // 2}.")
                if self._device.type == "cuda":
                    torch.cuda.empty_cache()

    def _distribution(self) -> AbstractContextManager[Any]:
        """What this policy stands for: the trained adapters, or the base."""
        return nullcontext() if self.adapter else self._base()

    def _base(self) -> AbstractContextManager[Any]:
        return self.model.disable_adapter() if hasattr(self.model, "disable_adapter") else nullcontext()

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _written(self, prompts: Index, group: int, chance: Array | None) -> Rollout:
        shape = (len(prompts), group, self.max_tokens)
        tokens = np.full(shape, self.pad, dtype=np.int64)
        logp, entropy = np.zeros(shape), np.zeros(shape)
        lengths = np.zeros(shape[:2], dtype=np.int64)
        truncated = np.ones(shape[:2], dtype=bool)
        for where in blocks(len(prompts), group, self.rows.write):
            part = None if chance is None else self._tensor(chance[(slice(None), *where)].reshape(len(chance), -1))
            with self._distribution():
                found = write(
                    self.model,
                    self._tensor(prompts[where[0]]),
                    where[1].stop - where[1].start,
                    part,
                    self.decoding,
                    pad=self.pad,
                    ends=self.ends,
                    max_tokens=self.max_tokens,
                )
            for target, values in zip((tokens, logp, entropy, lengths, truncated), found, strict=True):
                target[where] = values.cpu().numpy().reshape(target[where].shape)
        mask = np.arange(self.max_tokens) < lengths[..., None]
        return Rollout(prompts, tokens, mask, logp, entropy, lengths, truncated)

    def _scores(self, rollout: Rollout, reference: Policy | None) -> Scores:
        self._last = None
        return self._retry("score", lambda: self._score(rollout, reference is not None))

    def _score(self, rollout: Rollout, with_kl: bool) -> Scores:
        prompts, group, _ = rollout.shape
        work = list(blocks(prompts, group, self.rows.score))
        keep = len(work) == 1 and bool(self.trained)
        logp, entropy = np.zeros(rollout.shape), np.zeros(rollout.shape)
        kl = np.zeros(rollout.shape) if with_kl else None
        graph = None
        for where in work:
            with torch.set_grad_enabled(keep):
                found = self._block(rollout, where, kl=with_kl)
            for target, values in zip((logp, entropy, kl), found, strict=True):
                if target is not None and values is not None:
                    target[where][..., : values.shape[2]] = values.detach().cpu().numpy()
            graph = found[0] if keep else None
        scores = Scores(logp, entropy, kl)
        self._last = _Pass(rollout, with_kl, scores, graph)
        return scores

    def _block(
        self, rollout: Rollout, where: tuple[slice, slice], *, kl: bool, spread: bool = False
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Log-probs, entropy and KL of some responses, as far as the longest of them reaches.

        Entropy and KL have a gradient only with `spread`: it costs several arrays of the size of the logits.
        """
        ids = rollout.tokens[where]
        width = max(1, int(rollout.lengths[where].max()))
        tokens = self._tensor(ids[..., :width].reshape(-1, width))
        active = self._tensor(rollout.mask[where][..., :width])
        prompts = self._tensor(rollout.prompts[where[0]])
        with self._distribution():
            table = self._table(prompts, tokens, ids.shape[1])

        def placed(values: Tensor) -> Tensor:
            return torch.where(active, values.reshape(active.shape), 0.0)

        logp = placed(table.gather(2, tokens[..., None])[..., 0])
        wide = table if spread else table.detach()
        entropy = placed(-(wide.exp() * wide).sum(dim=2))
        if not kl:
            return logp, entropy, None
        with torch.no_grad(), self._base():
            base = self._table(prompts, tokens, ids.shape[1])
        return logp, entropy, placed((wide.exp() * (wide - base)).sum(dim=2))

    def _table(self, prompts: Tensor, tokens: Tensor, group: int) -> Tensor:
        logits = score(self.model, read(self.model, prompts, self.pad, group), tokens)
        return torch.log_softmax(logits / self.decoding.temperature, dim=2)

    def _backward(self, last: _Pass, grad_logp: Floats, grad_entropy: Array | None, grad_kl: Array | None) -> None:
        self.optimiser.clear()
        spread = grad_entropy is not None or grad_kl is not None
        graph = None if spread or self._last is None else self._last.graph
        # A graph can be walked once: after an error it has to be built again.
        self._last = replace(last, graph=None)
        whole = (slice(None), slice(None))
        for where in [whole] if graph is not None else blocks(*last.rollout.shape[:2], self.rows.score):
            if graph is not None:
                total = (self._like(grad_logp[..., : graph.shape[2]], graph) * graph).sum()
            else:
                logp, entropy, kl = self._block(last.rollout, where, kl=grad_kl is not None, spread=spread)
                total = (self._like(grad_logp[where][..., : logp.shape[2]], logp) * logp).sum()
                if grad_entropy is not None:
                    total = total + (self._like(grad_entropy[where], logp)[..., None] * entropy).sum()
                if grad_kl is not None and kl is not None:
                    total = total + (self._like(grad_kl[where], logp)[..., None] * kl).sum()
            (total * self.optimiser.scale).backward()

    def _like(self, values: Any, other: Tensor) -> Tensor:
        return self._tensor(values).to(other.dtype)
