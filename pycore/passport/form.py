"""The form all passports share: checked entries, a list of what is missing, JSON and a hash.

Each passport is a frozen dataclass that refuses values of the wrong kind, says which entries are still missing, becomes
JSON, and has a hash. What has its own object - the contract, the Protocol - is embedded as that object's JSON.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, ClassVar, Self, get_args, get_origin

from pycore.domain import DomainError

VERSION = "passport/1"


@dataclass(frozen=True)
class Entry:
    """What one field of a passport means.

    An entry left out is None: passports are filled step by step, and `missing` lists what is still to do.

    Attributes:
        meaning: the question it answers, in a few words.
        required: whether a complete passport needs it.
        low: smallest number allowed, None for no bound.
        high: largest number allowed, None for no bound.
    """

    meaning: str
    required: bool = True
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Passport:
    """The shared behaviour of the four passports."""

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Embeds objects that have a `to_dict`, and checks every given entry.

        Raises:
            DomainError: names the field, its value and what is allowed.
        """
        for name, (kind, entry) in _form(type(self)).items():
            value = getattr(self, name)
            if hasattr(value, "to_dict"):
                value = value.to_dict()
            if value is not None:
                object.__setattr__(self, name, _checked(name, kind, entry, value))

    def missing(self) -> tuple[tuple[str, str], ...]:
        """Required entries that are absent or empty, each with its meaning."""
        return tuple(
            (name, entry.meaning)
            for name, (_, entry) in _form(type(self)).items()
            if entry.required and getattr(self, name) in (None, "", {}, ())
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the kind and the version of the form."""
        entries = {item.name: getattr(self, item.name) for item in fields(self)}
        return {"version": VERSION, "kind": self.kind, **json.loads(_json(entries))}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The passport that `to_dict` wrote.

        Raises:
            DomainError: another kind or version, an unknown field, or a value out of its range.
        """
        given = dict(plain)
        for name, expected in (("version", VERSION), ("kind", cls.kind)):
            if given.pop(name, expected) != expected:
                raise DomainError(name, plain[name], expected)
        known = {item.name for item in fields(cls)}
        for name in given:
            if name not in known:
                raise DomainError(f"{cls.kind} passport", name, "the fields " + ", ".join(sorted(known)))
        return cls(**given)

    def to_json(self) -> str:
        """Sorted, indented JSON for a file."""
        return json.dumps(self.to_dict(), sort_keys=True, indent=1, ensure_ascii=False)

    def digest(self) -> str:
        """SHA-256 of the sorted JSON: equal for equal passports on any machine."""
        return json_digest(self.to_dict())


def _form(passport: type[Passport]) -> dict[str, tuple[Any, Entry]]:
    """Field name -> its type without None, and its entry."""
    annotated = {item.name: get_args(item.type) for item in fields(passport)}
    return {name: (get_args(kind)[0], entry) for name, (kind, entry) in annotated.items()}


def _checked(name: str, kind: Any, entry: Entry, value: Any) -> Any:
    base = get_origin(kind) or kind
    if base is tuple:
        if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
            raise DomainError(name, value, "a list")
        return tuple(_scalar(name, get_args(kind)[0], entry, one) for one in value)
    if base is dict:
        if not isinstance(value, Mapping):
            raise DomainError(name, value, "a mapping, or an object with to_dict()")
        try:
            return json.loads(_json(dict(value)))
        except (TypeError, ValueError):
            raise DomainError(name, value, "a mapping of JSON values; NaN and infinity are none") from None
    return _scalar(name, kind, entry, value)


def _scalar(name: str, kind: Any, entry: Entry, value: Any) -> Any:
    if kind is str:
        if not isinstance(value, str):
            raise DomainError(name, value, "text")
        return str(value)
    # bool is an int in Python, and no quantity in a passport.
    if isinstance(value, bool) or not isinstance(value, Integral if kind is int else Real):
        raise DomainError(name, value, "an integer" if kind is int else "a number")
    number, low, high = kind(value), entry.low, entry.high
    inside = (low is None or number >= low) and (high is None or number <= high)
    if not (inside and isfinite(number)):
        bounds = f"from {'-inf' if low is None else low} to {'inf' if high is None else high}"
        raise DomainError(name, value, f"{'an integer' if kind is int else 'a finite number'} {bounds}")
    return number


def json_digest(value: Any) -> str:
    """SHA-256 of the sorted JSON of plain values, as 64 hexadecimal digits.

    >>> json_digest({"b": 1, "a": 2}) == json_digest({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(_json(value).encode()).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)
