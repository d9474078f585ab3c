"""What a learner may set in a lab: each control names its kind, bounds and default, reads text and writes it back."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol as Interface

from pycore.domain import DomainError

Value = bool | int | float | str | tuple[float, ...] | tuple[tuple[float | str, ...], ...]

LONGEST_TEXT = 2_000
NUMBER = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")


class Control(Interface):
    """One thing a learner may set. `name` is also the key in the address."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> Value: ...
    @property
    def allowed(self) -> str: ...

    def parse(self, text: str) -> Value:
        """The value written as `text`; `DomainError` when it is not one, or out of bounds."""

    def check(self, value: object) -> Value:
        """`value` in its own type; `DomainError` when it is of another kind, or out of bounds."""

    def nearest(self, value: object) -> Value:
        """The allowed value closest to `value`; the default where closeness means nothing."""


def number(text: str) -> float:
    """The finite number written as `text` with a decimal point; NaN when it is none.

    >>> number("1e-4"), number("0x10")
    (0.0001, nan)
    """
    value = float(text) if len(text) <= LONGEST_TEXT and NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else math.nan


def write(value: Value | tuple[float | str, ...]) -> str:
    """The shortest text that `parse` reads back as the same value.

    >>> write((1.0, 0.5)), write(True), write(8.0), write(((3, "AB"), (1, "BA")))
    ('1,0.5', 'true', '8', '3:AB,1:BA')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | int):
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
    if isinstance(value, tuple):
        return ",".join(":".join(map(write, item)) if isinstance(item, tuple) else write(item) for item in value)
    return value


def finite(value: object) -> float:
    """A number as float; NaN for everything else, so that no comparison lets it through."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@dataclass(frozen=True)
class Number:
    """A slider with a field: a real or whole number in [low, high].

    `step` is the slider's grain; a typed value may lie between. `logarithmic` spaces the slider by powers. `symbol` is
    the letter that formulas use; `role` names the colour that the quantity has everywhere. `slider=False` suits
    numbers whose size means nothing, such as a seed.
    """

    name: str
    default: float
    low: float
    high: float
    step: float
    integer: bool = False
    logarithmic: bool = False
    slider: bool = True
    symbol: str = ""
    unit: str = ""
    role: str = ""

    @property
    def allowed(self) -> str:
        return f"{write(self.low)}..{write(self.high)}"

    def parse(self, text: str) -> float:
        value = number(text)
        if math.isnan(value):
            raise DomainError(self.name, text, self.allowed)
        return self.check(value)

    def check(self, value: object) -> float:
        given = finite(value)
        if not (self.low <= given <= self.high) or (self.integer and given != math.floor(given)):
            raise DomainError(self.name, value, self.allowed)
        return int(given) if self.integer else given

    def nearest(self, value: object) -> float:
        given = number(value) if isinstance(value, str) else finite(value)
        if math.isnan(given):
            return self.default
        inside = min(max(given, self.low), self.high)
        return round(inside) if self.integer else inside


@dataclass(frozen=True)
class Choice:
    """One of a few named options."""

    name: str
    options: tuple[str, ...]
    default: str
    role: str = ""

    @property
    def allowed(self) -> str:
        return ", ".join(self.options)

    def parse(self, text: str) -> str:
        return self.check(text)

    def check(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.options:
            raise DomainError(self.name, value, self.allowed)
        return value

    def nearest(self, value: object) -> str:
        return value if isinstance(value, str) and value in self.options else self.default


@dataclass(frozen=True)
class Switch:
    """On or off."""

    name: str
    default: bool = False
    role: str = ""

    @property
    def allowed(self) -> str:
        return "true, false"

    def parse(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise DomainError(self.name, text, self.allowed)
        return text == "true"

    def check(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise DomainError(self.name, value, self.allowed)
        return value

    def nearest(self, value: object) -> bool:
        return value if isinstance(value, bool) else self.default


@dataclass(frozen=True)
class Numbers:
    """A list of real numbers, each in [low, high], with a bounded count: the rewards of a group, say."""

    name: str
    default: tuple[float, ...]
    low: float
    high: float
    fewest: int
    most: int
    role: str = ""

    @property
    def allowed(self) -> str:
        return f"{self.fewest}..{self.most} × {write(self.low)}..{write(self.high)}"

    def parse(self, text: str) -> tuple[float, ...]:
        if len(text) > LONGEST_TEXT:
            raise DomainError(self.name, text, self.allowed)
        return self.check([number(item) for item in text.split(",")], text)

    def check(self, value: object, shown: object = None) -> tuple[float, ...]:
        shown = value if shown is None else shown
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            raise DomainError(self.name, shown, self.allowed)
        items = tuple(finite(item) for item in value[: self.most + 1])
        if not (self.fewest <= len(items) <= self.most) or not all(self.low <= item <= self.high for item in items):
            raise DomainError(self.name, shown, self.allowed)
        return items

    def nearest(self, value: object) -> tuple[float, ...]:
        if isinstance(value, str):
            value = [number(item) for item in value[:LONGEST_TEXT].split(",")]
        if not isinstance(value, Sequence):
            return self.default
        items = [finite(item) for item in value[: self.most]]
        kept = tuple(min(max(item, self.low), self.high) for item in items if not math.isnan(item))
        return kept if len(kept) >= self.fewest else self.default


@dataclass(frozen=True)
class Text:
    """A short text of the learner's own, an answer to be judged say.

    >>> Text("answer", "42", longest=4).nearest("12345")
    '1234'
    """

    name: str
    default: str
    longest: int = 400
    role: str = ""

    @property
    def allowed(self) -> str:
        return f"0..{self.longest}"

    def parse(self, text: str) -> str:
        return self.check(text)

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise DomainError(self.name, value, self.allowed)
        if len(value) > self.longest:
            raise DomainError(self.name, len(value), self.allowed)
        # Half of a surrogate pair, which a browser may send, cannot be written into an address.
        return value.encode("utf-8", "replace").decode("utf-8")

    def nearest(self, value: object) -> str:
        return self.check(value[: self.longest]) if isinstance(value, str) else self.default
