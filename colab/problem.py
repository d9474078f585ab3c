"""Arithmetic problems for a language model: questions, exact answers, and a split that no order of operands crosses."""

from dataclasses import dataclass

import numpy as np

from pycore.argument import Index, whole
from pycore.domain import option
from pycore.verify import BOXED_ONLY, Reason, Verdict, verify_numeric

SIGNS = {"sum": "+", "product": "*"}
LARGEST = 999
# Pairs that a wording shows solved: they are asked nowhere.
EXAMPLES = ((2, 3), (4, 7), (12, 18))


@dataclass(frozen=True)
class Problems:
    """A family of problems and how many of them stand on each side.

    Attributes:
        operation: `sum` or `product`.
        low: smallest operand, from 0.
        high: largest operand, up to 999.
        train: prompts that are trained on, from 2.
        held_out: prompts for evaluation only, from 2.

    Raises:
        DomainError: a value out of range, or more prompts than there are.

    >>> Problems().prompts
    140
    """

    operation: str = "sum"
    low: int = 1
    high: int = 12
    train: int = 32
    held_out: int = 64

    def __post_init__(self) -> None:
        option("operation", self.operation, SIGNS)
        whole("low", self.low, 0, LARGEST)
        whole("high", self.high, self.low, LARGEST)
        # Two spare: a pair cut by the end of a side stays out of the other one.
        whole("train", self.train, 2, self.prompts - 4)
        whole("held_out", self.held_out, 2, self.prompts - 2 - self.train)

    @property
    def prompts(self) -> int:
        """Ordered pairs of operands that may be asked."""
        shown = sum(self.low <= a and b <= self.high for a, b in EXAMPLES)
        return (self.high - self.low + 1) ** 2 - 2 * shown


def deal(problems: Problems, generator: np.random.Generator) -> dict[str, Index]:
    """Pairs of operands by side, each of shape (n, 2), in both orders; no unordered pair stands on two sides.

    >>> {side: pairs.shape for side, pairs in deal(Problems(), np.random.default_rng(0)).items()}
    {'held_out': (64, 2), 'train': (32, 2)}
    """
    numbers = np.arange(problems.low, problems.high + 1)
    first, second = np.triu_indices(len(numbers))
    order = generator.permutation(len(first))
    dealt: dict[str, list[tuple[int, int]]] = {"held_out": [], "train": []}
    pairs = [(int(numbers[first[place]]), int(numbers[second[place]])) for place in order]
    for side, wanted in (("held_out", problems.held_out), ("train", problems.train)):
        while len(dealt[side]) < wanted:
            a, b = pairs.pop()
            if (a, b) in EXAMPLES:
                continue
            dealt[side] += [(a, b)] if a == b else [(a, b), (b, a)]
    return {side: np.array(found[: getattr(problems, side)]) for side, found in dealt.items()}


def question(problems: Problems, a: int, b: int) -> str:
    """What the model is asked.

    >>> question(Problems(), 2, 3)
    '2 + 3 = ?'
    """
    return f"{a} {SIGNS[problems.operation]} {b} = ?"


def answer(problems: Problems, a: int, b: int) -> int:
    """The reference, by integer arithmetic."""
    return a + b if problems.operation == "sum" else a * b


def level(pairs: Index) -> Index:
    """Difficulty: operands of two digits or more, 0, 1 or 2."""
    return np.asarray((pairs >= 10).sum(axis=1))


@dataclass(frozen=True)
class Judged:
    """What the verifier says of one text.

    Attributes:
        verdict: of `pycore.verify.verify_numeric`; only a box is an answer.
        form: exactly one box, with a number in it, whatever the number.
    """

    verdict: Verdict
    form: bool

    @property
    def correct(self) -> bool:
        """Whether the number is the right one."""
        return self.verdict.reason is Reason.CORRECT


def judge(text: str, reference: int) -> Judged:
    r"""Verifies one response.

    >>> [(one.correct, one.form) for one in (judge("\\boxed{5}", 5), judge("\\boxed{7}", 5), judge("5", 5))]
    [(True, True), (False, True), (False, False)]
    """
    verdict = verify_numeric(text, reference, contract=BOXED_ONLY)
    read = verdict.reason in (Reason.CORRECT, Reason.WRONG, Reason.UNIT_MISMATCH)
    return Judged(verdict, read and text.count("\\boxed{") == 1)
