"""TRL's signature around a reward: completions in, one float a completion out."""

from collections.abc import Callable, Sequence
from typing import Any

from pycore.domain import DomainError

Completion = str | Sequence[dict[str, Any]]


def reward_function(
    score: Callable[[str, Any], float], *, column: str = "answer", name: str | None = None
) -> Callable[..., list[float]]:
    """A reward function that TRL's trainers accept.

    Args:
        score: (text, reference) -> reward, for instance `rlvr_reward` or `accuracy_reward`.
        column: the dataset's column with the references, one for each completion.
        name: how the trainer's log calls it; the score's own name by default.

    Returns:
        A function of keyword arguments `completions` (strings, or conversations whose last message is the response) and
        the column; whatever else the trainer passes is ignored. Its result has the completions' length and order.

    Raises:
        DomainError: when called, if the column is missing, has another length, or a completion is neither kind.

    >>> reward = reward_function(lambda text, reference: float(text == reference), name="same")
    >>> reward(prompts=["?", "?"], completions=["4", [{"role": "assistant", "content": "5"}]], answer=["4", "4"])
    [1.0, 0.0]

    Source: TRL documentation, custom reward functions (1.16).
    """

    def rewards(completions: Sequence[Completion], **columns: Any) -> list[float]:
        if column not in columns:
            raise DomainError("column", column, "a column of the dataset: " + ", ".join(columns))
        references = columns[column]
        # A list of another length must never be stretched over the completions.
        if len(references) != len(completions):
            raise DomainError(f"len({column})", len(references), f"{len(completions)}, the number of completions")
        texts = [response_text(completion) for completion in completions]
        return [float(score(text, reference)) for text, reference in zip(texts, references, strict=True)]

    rewards.__name__ = name or score.__name__
    return rewards


def response_text(completion: Completion) -> str:
    """The response itself: a string as it is, of a conversation the content of its last message.

    >>> response_text([{"role": "assistant", "content": "42"}])
    '42'
    """
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion and isinstance(completion[-1], dict) else None
    if not isinstance(content, str):
        raise DomainError("completion", completion, "a string, or messages of which the last one has a text")
    return content
