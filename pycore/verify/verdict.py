"""What a verifier answers: the verdict, its reason, and everything needed to see how it came about."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from pycore.verify.contract import Source

# int-to-text conversion stops at 4300 digits; 14280 bits are at most 4299.
PRINTABLE_BITS = 14_280


class Reason(StrEnum):
    """Why a text was paid or refused. Only CORRECT is paid."""

    CORRECT = "correct"
    WRONG = "wrong"  # a number, but another one
    UNIT_MISMATCH = "unit_mismatch"  # both sides name a unit, and not the same one
    NO_ANSWER = "no_answer"  # the contract's place for the answer is missing, empty or never closed
    PARSE_ERROR = "parse_error"  # an answer that the contract's grammar does not describe
    AMBIGUOUS = "ambiguous"  # the grammar gives two readings, and the contract prefers none
    OUT_OF_DOMAIN = "out_of_domain"  # NaN, infinity, a zero denominator, an exponent or a value beyond the caps
    TOO_LONG = "too_long"  # text, answer or digits beyond the caps
    BAD_REFERENCE = "bad_reference"  # the reference itself is no number: the fault is in the data, not in the text


@dataclass(frozen=True, slots=True)
class Span:
    """The extracted answer and where it stands: `text == whole[start:end]`."""

    source: Source
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A canonical value.

    Attributes:
        value: the exact value.
        approximate: written as a decimal that is not a whole number, so that a tolerance may apply.
        unit: canonical name of the dropped unit, or "".
    """

    value: Fraction
    approximate: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a layer gave no result: the reason, and a sentence with the detail."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer as a reader sees it: what it took, what it gave, and whether it let the text through."""

    name: str
    took: str
    gave: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one verification.

    Attributes:
        reward: 1.0 for a correct answer, else 0.0.
        correct: whether the answer equals the reference under the contract.
        reason: one word for the outcome.
        detail: one sentence for a reader; empty when correct.
        span: the extracted answer, None when there was none.
        answer: canonical answer, None when it was not reached.
        reference: canonical reference, None when it is not a number.
        allowed: the largest difference that would have been paid, None when not compared.
    """

    reason: Reason
    detail: str = ""
    span: Span | None = None
    answer: Number | None = None
    reference: Number | None = None
    # Not in the repr: a relative tolerance may have more digits than Python prints.
    allowed: Fraction | None = field(default=None, repr=False)

    @property
    def correct(self) -> bool:
        """Whether the answer is paid."""
        return self.reason is Reason.CORRECT

    @property
    def reward(self) -> float:
        """1.0 when correct, else 0.0."""
        return 1.0 if self.reason is Reason.CORRECT else 0.0

    @property
    def value(self) -> Fraction | None:
        """The answer's exact value."""
        return self.answer.value if self.answer else None

    @property
    def difference(self) -> Fraction | None:
        """|answer - reference|, None when they were not compared."""
        if self.allowed is None or self.answer is None or self.reference is None:
            return None
        return abs(self.answer.value - self.reference.value)

    @property
    def trace(self) -> tuple[Layer, ...]:
        """The layers in order, up to the one that decided."""
        layers = []
        if self.reason is not Reason.BAD_REFERENCE:
            took, gave = "text", self.span.text if self.span else self.detail
            layers.append(Layer("extract", took, shorten(gave), self.span is not None))
            if self.span:
                shown = number_text(self.answer) if self.answer else self.detail
                layers.append(Layer("canonicalise", shorten(gave), shown, self.answer is not None))
        if self.reason is Reason.BAD_REFERENCE:
            layers.append(Layer("reference", "reference", self.detail, False))
        elif self.answer and self.reference:
            took = f"{number_text(self.answer)} and {number_text(self.reference)}"
            layers.append(Layer("compare", took, self.detail or "equal under the contract", self.correct))
        layers.append(Layer("reward", str(self.reason), f"{self.reward:g}", self.correct))
        return tuple(layers)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, exact numbers as text."""
        span = self.span
        return {
            "reward": self.reward,
            "correct": self.correct,
            "reason": str(self.reason),
            "detail": self.detail,
            "span": span
            and {"source": str(span.source), "start": span.start, "end": span.end, "text": printable(span.text)},
            "value": self.answer and exact_text(self.answer.value),
            "unit": self.answer.unit if self.answer else "",
            "reference": self.reference and exact_text(self.reference.value),
            "difference": None if self.difference is None else exact_text(self.difference),
            "allowed": None if self.allowed is None else exact_text(self.allowed),
            "trace": [
                {"name": layer.name, "took": layer.took, "gave": layer.gave, "passed": layer.passed}
                for layer in self.trace
            ],
        }


def number_text(number: Number) -> str:
    """The exact value and its unit, shortened for a reader.

    >>> number_text(Number(Fraction(3, 2), unit="cm"))
    '3/2 cm'
    """
    return f"{shorten(exact_text(number.value))} {number.unit}".rstrip()


def exact_text(value: Fraction) -> str:
    """The fraction in decimal digits, or its size when Python would refuse to print it.

    >>> exact_text(Fraction(3, 2))
    '3/2'
    """
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return str(value) if bits <= PRINTABLE_BITS else f"about 2^{bits}"


def printable(text: str) -> str:
    """The text with lone surrogates escaped, so that it survives UTF-8 and the way into JavaScript.

    >>> printable("4\\ud800")
    '4\\\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def shorten(text: str, width: int = 80) -> str:
    """At most `width` characters, the middle left out.

    >>> shorten("9" * 1000, 9)
    '9999…9999'
    """
    half = width // 2
    return printable(text if len(text) <= width else f"{text[:half]}…{text[-half:]}")
