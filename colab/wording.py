"""How a question is put: the system line and the solved examples before it."""

from dataclasses import dataclass

SYSTEM = "Answer the question. End with \\boxed{answer}."
Turn = tuple[str, str]


@dataclass(frozen=True)
class Wording:
    """What stands before the question.

    Attributes:
        system: the system message.
        turns: solved examples as turns of the conversation, (question, answer).
    """

    system: str = SYSTEM
    turns: tuple[Turn, ...] = ()


WORDINGS: dict[str, Wording] = {
    "zero_shot": Wording(),
    "in_system": Wording(SYSTEM + " Example: 2 + 3 = ? 2 + 3 = 5. \\boxed{5}"),
    "box_alone": Wording(turns=(("12 + 18 = ?", "\\boxed{30}"),)),
    "equation_box": Wording(turns=(("2 + 3 = ?", "2 + 3 = \\boxed{5}"),)),
    "one_turn": Wording(turns=(("2 + 3 = ?", "2 + 3 = 5. \\boxed{5}"),)),
    "two_turns": Wording(turns=(("2 + 3 = ?", "2 + 3 = 5. \\boxed{5}"), ("7 + 4 = ?", "7 + 4 = 11. \\boxed{11}"))),
}


def messages(wording: Wording, asked: str) -> list[dict[str, str]]:
    """The conversation up to the answer."""
    said = [{"role": "system", "content": wording.system}]
    for user, assistant in wording.turns:
        said += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
    return [*said, {"role": "user", "content": asked}]
