"""Arithmetic as a chat: how a question is worded, which tokens the model sees, and what its answer is paid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from colab.problem import Problems, answer, judge, level, question
from colab.rewards import REWARDS
from colab.wording import WORDINGS, Wording, messages
from pycore.argument import Index
from pycore.domain import DomainError, option
from pycore.policy import Rollout
from pycore.train.task import Graded
from pycore.verify import compose


def encode(tokenizer: Any, conversation: Sequence[Mapping[str, str]], *, thinking: bool | None = None) -> list[int]:
    """Token ids by the model's own chat template, ready for the answer.

    Args:
        tokenizer: of the model.
        conversation: system message, turns, question.
        thinking: of models that can be told; None for those that cannot.
    """
    extra = {} if thinking is None else {"enable_thinking": thinking}
    made = tokenizer.apply_chat_template(
        list(conversation), add_generation_prompt=True, tokenize=True, return_dict=True, **extra
    )
    return [int(token) for token in made["input_ids"]]


@dataclass(eq=False)
class ChatTask:
    """Problems as a task for `pycore.train.run`.

    Attributes:
        problems: their family.
        sides: operands by split, from `colab.problem.deal`.
        tokenizer: of the model.
        pad: id that fills prompts on the left.
        wording: what stands before the question.
        reward: one of `REWARDS`.
        thinking: passed to the chat template.
        judged: the newest verdicts by split, shape (prompts, samples): what intervals over prompts are made from.
    """

    problems: Problems
    sides: dict[str, Index]
    tokenizer: Any
    pad: int
    wording: Wording = field(default_factory=lambda: WORDINGS["one_turn"])
    reward: str = "full"
    thinking: bool | None = None
    judged: dict[str, Graded] = field(default_factory=dict)

    def __post_init__(self) -> None:
        option("reward", self.reward, REWARDS)
        known = {
            side: [encode(self.tokenizer, self.conversation(side, row), thinking=self.thinking) for row in range(size)]
            for side, size in self.sizes.items()
        }
        width = max(len(ids) for rows in known.values() for ids in rows)
        self._prompts = {
            side: np.array([[self.pad] * (width - len(ids)) + ids for ids in rows], dtype=np.int64)
            for side, rows in known.items()
        }
        if any(ids[0] == self.pad for rows in known.values() for ids in rows):
            raise DomainError("pad", self.pad, "a token that no prompt begins with")

    @property
    def sizes(self) -> dict[str, int]:
        return {side: len(pairs) for side, pairs in self.sides.items()}

    @property
    def longest_prompt(self) -> int:
        """Tokens of the longest prompt of either split."""
        return max(int(rows.shape[1]) for rows in self._prompts.values())

    def conversation(self, split: str, prompt: int) -> list[dict[str, str]]:
        """The messages of a prompt."""
        return messages(self.wording, self.read(split, prompt))

    def reference(self, split: str, prompt: int) -> int:
        """The right answer to a prompt."""
        a, b = self.sides[split][prompt]
        return answer(self.problems, int(a), int(b))

    def prompts(self, split: str, chosen: Index) -> Index:
        return self._prompts[split][chosen]

    def difficulty(self, split: str, chosen: Index) -> Index:
        return level(self.sides[split][chosen])

    def grade(self, split: str, chosen: Index, rollout: Rollout) -> Graded:
        """Verifies every response; what is paid is a weighted sum, reported by parts."""
        weights = REWARDS[self.reward]
        shape = rollout.shape[:2]
        reward = np.zeros(shape)
        correct, form, unparsed = (np.zeros(shape, dtype=bool) for _ in range(3))
        for row, prompt in enumerate(chosen):
            for member in range(shape[1]):
                found = judge(self.text(rollout.tokens[row, member]), self.reference(split, int(prompt)))
                correct[row, member], form[row, member] = found.correct, found.form
                unparsed[row, member] = found.verdict.answer is None
                reward[row, member] = compose(
                    {"correct": float(found.correct), "form": float(found.form)}, weights
                ).total
        graded = Graded(reward, correct, unparsed, {"form": form})
        self.judged[split] = graded
        return graded

    def text(self, tokens: Index) -> str:
        """A response as the verifier reads it: the tokens' text without the ones that only mark the end."""
        return str(
            self.tokenizer.decode([int(token) for token in tokens if token != self.pad], skip_special_tokens=True)
        )

    def read(self, split: str, prompt: int) -> str:
        a, b = self.sides[split][prompt]
        return question(self.problems, int(a), int(b))

    def write(self, tokens: Index) -> list[str]:
        ids = [int(token) for token in tokens if token != self.pad]
        return [str(self.tokenizer.decode([one])) for one in ids]
