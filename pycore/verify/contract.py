"""What a numeric verifier promises: every rule that decides a verdict, as frozen data with a stable hash."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any

from pycore.domain import DomainError

# Raise it whenever the same contract begins to judge some text differently: hashes recorded earlier then stop matching.
VERSION = "numeric/1"


class Source(StrEnum):
    """Where the answer is read from; the first source present in the text decides, the others are not tried."""

    BOXED = "boxed"
    MARKER = "marker"
    LAST_NUMBER = "last_number"


class DecimalComma(StrEnum):
    """What a comma between digits means. 1,234 and 3,14 are: 1234 and refused, 1.234 and 3.14, or 1234 and 3.14."""

    GROUPS = "groups"
    DECIMAL = "decimal"
    EITHER = "either"


class Percent(StrEnum):
    """What `50%` is: one half, fifty, or refused."""

    HUNDREDTH = "hundredth"
    DROP = "drop"
    REFUSE = "refuse"


class Unit(StrEnum):
    """Which words may follow the number: none, those of a closed list, or anything (which pays `3 dozen` as 3)."""

    REFUSE = "refuse"
    LISTED = "listed"
    ANY = "any"


class Tolerance(StrEnum):
    """How the two tolerances combine when one side is a decimal approximation; EXACT ignores both."""

    EITHER = "either"
    BOTH = "both"
    EXACT = "exact"


@dataclass(frozen=True, slots=True)
class NumericContract:
    """The rules of one numeric verifier; the defaults are those of the course.

    Attributes:
        sources: where to look, in order. `boxed` is the last closed box, `marker` is what follows the last marker up to
            the end of its line, `last_number` the last free-standing number of the text.
        marker: text that announces the answer, as GSM8K's `####`.
        skip_thought: only what follows the last `</think>` counts, and a thought that never ends has no answer.
        group: read thousands separators (comma, space, thin space) where the groups have three digits.
        decimal_comma: reading of commas between digits.
        percent: reading of the percent sign.
        unit: which trailing units are dropped. Two *different* units never match; nothing is ever converted.
        currency: drop a currency sign or name, under the same rule.
        degree: drop a degree sign, under the same rule.
        fraction: read a/b, \\frac{a}{b} and single characters such as one half.
        mixed: read 1 1/2 and 1\\frac{1}{2} as three halves.
        scientific: read 1.5e3 and 1.5 \\times 10^3.
        power: read n^k for whole n and k, exactly.
        scale_word: read `3 million` as 3000000.
        assignment: read `x = 42` as 42.
        unicode: read typographic minus signs, fractions, superscripts and full-width digits.
        foreign_digit: read the decimal digits of any script.
        tolerance: rule of comparison when exactly equal values are not required.
        absolute_tolerance: a Fraction, or a number that is turned into the fraction it is written as; in [0, 1].
        relative_tolerance: the same, relative to the reference.
        max_text: characters of text read at all, from 1 to 4000000.
        max_answer: characters of one answer, from 1 to 100000.
        max_digits: decimal digits of a numerator or a denominator, from 1 to 4000 (Python prints no more than 4300).
        max_exponent: magnitude of a written exponent, from 0 to 4000.

    >>> NumericContract(marker="Answer:").digest() == NumericContract().digest()
    False
    """

    sources: tuple[Source, ...] = (Source.BOXED, Source.MARKER, Source.LAST_NUMBER)
    marker: str = "####"
    skip_thought: bool = True
    group: bool = True
    decimal_comma: DecimalComma = DecimalComma.GROUPS
    percent: Percent = Percent.HUNDREDTH
    unit: Unit = Unit.LISTED
    currency: bool = True
    degree: bool = True
    fraction: bool = True
    mixed: bool = True
    scientific: bool = True
    power: bool = True
    scale_word: bool = True
    assignment: bool = True
    unicode: bool = True
    foreign_digit: bool = False
    tolerance: Tolerance = Tolerance.EITHER
    absolute_tolerance: Fraction = Fraction(1, 10**6)
    relative_tolerance: Fraction = Fraction(1, 10**6)
    max_text: int = 2_000_000
    max_answer: int = 20_000
    max_digits: int = 4_000
    max_exponent: int = 1_000

    def __post_init__(self) -> None:
        """Turns JSON's plain values into the typed ones and refuses the rest.

        Raises:
            DomainError: names the field, its value and what is allowed.
        """
        sources = (self.sources,) if isinstance(self.sources, str) else tuple(self.sources)
        object.__setattr__(self, "sources", tuple(_member("sources", Source, source) for source in sources))
        if not self.sources or len(set(self.sources)) != len(self.sources):
            raise DomainError("sources", sources, "one or more different sources")
        for name, kind in _CHOICES.items():
            object.__setattr__(self, name, _member(name, kind, getattr(self, name)))
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise DomainError(name, getattr(self, name), "True or False")
        for name in ("absolute_tolerance", "relative_tolerance"):
            object.__setattr__(self, name, _tolerance(name, getattr(self, name)))
        for name, (low, high) in _CAPS.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise DomainError(name, value, f"an integer from {low} to {high}")
        marker = self.marker
        if not isinstance(marker, str) or not 0 < len(marker) <= 40 or marker != marker.strip() or "\n" in marker:
            raise DomainError("marker", marker, "1 to 40 characters of one line, without spaces at its ends")
        if marker[-1].isalnum():
            raise DomainError("marker", marker, "text that does not end in a letter or digit")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; tolerances as the text of an exact fraction."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in plain.items():
            if isinstance(value, StrEnum | Fraction):
                plain[name] = str(value)
        plain["sources"] = [str(source) for source in self.sources]
        return {"version": VERSION, **plain}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "NumericContract":
        """The contract that `to_dict` wrote; fields left out keep their defaults.

        Raises:
            DomainError: an unknown field, another version, or a value out of its range.
        """
        given = dict(plain)
        version = given.pop("version", VERSION)
        if version != VERSION:
            raise DomainError("version", version, VERSION)
        known = {field.name for field in fields(cls)}
        for name in given:
            if name not in known:
                raise DomainError("contract", name, "the fields " + ", ".join(sorted(known)))
        return cls(**given)

    def digest(self) -> str:
        """SHA-256 over the sorted JSON of all rules and the version, as 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


_CHOICES: dict[str, type[StrEnum]] = {
    "decimal_comma": DecimalComma,
    "percent": Percent,
    "unit": Unit,
    "tolerance": Tolerance,
}
_SWITCHES = tuple(field.name for field in fields(NumericContract) if field.type is bool)
_CAPS = {
    "max_text": (1, 4_000_000),
    "max_answer": (1, 100_000),
    "max_digits": (1, 4_000),
    "max_exponent": (0, 4_000),
}


def _member(name: str, kind: type[StrEnum], value: Any) -> StrEnum:
    try:
        return kind(value)
    except ValueError:
        raise DomainError(name, value, "one of " + ", ".join(kind)) from None


def _tolerance(name: str, value: Any) -> Fraction:
    # repr gives the shortest decimal, so 1e-6 becomes the fraction its author wrote and not the nearest binary one.
    try:
        exact = Fraction(float.__repr__(value) if isinstance(value, float) else value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise DomainError(name, value, "a number in [0, 1]") from None
    if isinstance(value, bool) or not 0 <= exact <= 1:
        raise DomainError(name, value, "a number in [0, 1]")
    return exact


# Named contracts: what a lab, a lesson and a training run choose between.
COURSE = NumericContract()
BOXED_ONLY = NumericContract(sources=(Source.BOXED,))
MARKER_ONLY = NumericContract(sources=(Source.MARKER,))
