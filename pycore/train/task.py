"""What a policy is trained on: prompts, their split, and a verifier that sees prompt and response."""

from dataclasses import dataclass
from typing import Protocol as Interface

import numpy as np

from pycore import arithmetic
from pycore.argument import Index, Mask
from pycore.domain import Array
from pycore.policy import Rollout
from pycore.split import Split


@dataclass(frozen=True, eq=False)
class Graded:
    """A verifier's word on a rollout, each array of shape (prompts, group).

    Attributes:
        reward: what the update sees.
        correct: what accuracy and pass@k count.
        unparsed: responses in which no answer was found.
        components: parts of the reward by name, before weights.
    """

    reward: Array
    correct: Mask
    unparsed: Mask
    components: dict[str, Mask]


class Task(Interface):
    """What `run` needs of a task; prompts are numbered within each split."""

    @property
    def sizes(self) -> dict[str, int]:
        """Prompts of "train" and "held_out"."""

    def prompts(self, split: str, chosen: Index) -> Index:
        """Token ids, shape (chosen, prompt_tokens)."""

    def difficulty(self, split: str, chosen: Index) -> Index:
        """Level of each prompt, 0 and up."""

    def grade(self, split: str, chosen: Index, rollout: Rollout) -> Graded:
        """Rewards of the responses to the chosen prompts."""

    def read(self, split: str, prompt: int) -> str:
        """A prompt as a reader sees it."""

    def write(self, tokens: Index) -> list[str]:
        """The tokens of a response as a reader sees them, up to its end."""


def together(parts: list[Graded]) -> Graded:
    """Grades of several rollouts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    components = {name: np.concatenate([part.components[name] for part in parts]) for name in parts[0].components}
    reward, correct, unparsed = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("reward", "correct", "unparsed")
    )
    return Graded(reward, correct, unparsed, components)


@dataclass(frozen=True, eq=False)
class Sums:
    """Two-digit addition as a task."""

    split: Split

    @property
    def sizes(self) -> dict[str, int]:
        return {"train": len(self.split.train), "held_out": len(self.split.held_out)}

    def _pairs(self, split: str, chosen: Index) -> Index:
        pairs: Index = getattr(self.split, split)
        return pairs[chosen]

    def prompts(self, split: str, chosen: Index) -> Index:
        return arithmetic.encode_prompts(self._pairs(split, chosen))

    def difficulty(self, split: str, chosen: Index) -> Index:
        return arithmetic.carries(self._pairs(split, chosen))

    def grade(self, split: str, chosen: Index, rollout: Rollout) -> Graded:
        verdict = arithmetic.judge(self._pairs(split, chosen), rollout.tokens)
        parts = {"consistent": verdict.consistent, "form": verdict.form}
        return Graded(verdict.reward, verdict.correct, ~verdict.form, parts)

    def read(self, split: str, prompt: int) -> str:
        a, b = self._pairs(split, np.array([prompt]))[0]
        return f"{a} + {b} ="

    def write(self, tokens: Index) -> list[str]:
        return arithmetic.text(tokens).split()
