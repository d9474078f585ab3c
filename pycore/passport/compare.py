"""What two runs may be compared on: where their passports differ, and whether it is judge, treatment or chance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

import numpy as np

from pycore.argument import Mask
from pycore.domain import DomainError, option
from pycore.passport.form import Passport
from pycore.passport.record import PASSPORTS


class Role(StrEnum):
    """What a difference in an entry means for a comparison."""

    YARDSTICK = "yardstick"  # what is asked, and how it is judged and paid
    TREATMENT = "treatment"  # what an experiment varies
    SEED = "seed"  # chance, which is averaged over
    MEASURED = "measured"  # found out about the same thing, more or less exactly
    LABEL = "label"  # says where something lies or what it is called


class Comparison(StrEnum):
    """What two records allow one to say."""

    YARDSTICK = "yardstick"  # asked or judged differently: their numbers answer different questions
    CONFOUNDED = "confounded"  # several treatments at once: nobody can say which of them did it
    EXPERIMENT = "experiment"  # one treatment differs
    REPEAT = "repeat"  # only chance differs: average, and read the spread
    MEASURED = "measured"  # the hashes differ, the conditions do not
    SAME = "same"  # one and the same record


# The role of most of a passport's entries, and those with another.
_ROLES: dict[str, tuple[Role, dict[str, Role]]] = {
    "data": (
        Role.YARDSTICK,
        {
            "name": Role.LABEL,
            "license": Role.LABEL,
            "rejected_log": Role.LABEL,
            "initial_success": Role.MEASURED,
        },
    ),
    "verifier": (
        Role.YARDSTICK,
        {
            "name": Role.LABEL,
            "suites": Role.MEASURED,
            "false_positive_rate": Role.MEASURED,
            "false_negative_rate": Role.MEASURED,
            "sample_size": Role.MEASURED,
        },
    ),
    # A rollout's passport holds the conditions of its sampling and, for the rest, what came out.
    "rollout": (Role.MEASURED, {"group_size": Role.TREATMENT, "decoding": Role.TREATMENT, "seed": Role.SEED}),
    "update": (Role.TREATMENT, {"generator_mismatch": Role.MEASURED}),
}


def role(kind: str, entry: str) -> Role:
    """What a difference in this entry means.

    Args:
        kind: of the passport: data, verifier, rollout or update.
        entry: its entry, or a part of it: "protocol" or "protocol.scale".

    Raises:
        DomainError: an unknown kind or entry.

    >>> role("data", "split_rule"), role("rollout", "seed")
    (<Role.YARDSTICK: 'yardstick'>, <Role.SEED: 'seed'>)
    """
    option("kind", kind, PASSPORTS)
    name = entry.partition(".")[0]
    option("entry", name, [field.name for field in fields(PASSPORTS[kind])])
    usual, others = _ROLES[kind]
    return others.get(name, usual)


@dataclass(frozen=True)
class Difference:
    """One entry in which two passports differ; of a mapping, one key.

    Attributes:
        kind: of the passport.
        entry: name of the entry, with the key behind a point: "protocol.scale".
        left: the first passport's value, None if absent.
        right: the second one's.
    """

    kind: str
    entry: str
    left: Any
    right: Any

    @property
    def role(self) -> Role:
        """What the difference means for a comparison."""
        return role(self.kind, self.entry)


def differences(left: Iterable[Passport], right: Iterable[Passport]) -> tuple[Difference, ...]:
    """Every entry in which the passports of two runs differ: passport by passport, entries by name.

    Args:
        left: passports of one run.
        right: passports of the other: the same kinds in the same order.

    Raises:
        DomainError: other kinds or another order.

    >>> from pycore.passport.record import DataPassport
    >>> found = differences([DataPassport(split_seed=0)], [DataPassport(split_seed=1)])
    >>> [(one.entry, one.left, one.right) for one in found]
    [('split_seed', 0, 1)]
    """
    first, second = tuple(left), tuple(right)
    kinds = tuple(one.kind for one in first)
    if (others := tuple(one.kind for one in second)) != kinds:
        raise DomainError("right", others, f"passports of {', '.join(kinds)}")
    found: list[Difference] = []
    for one, other in zip(first, second, strict=True):
        a, b = one.to_dict(), other.to_dict()
        for name in a:
            found += _apart(one.kind, name, a[name], b[name])
    return tuple(found)


def comparison(found: Sequence[Difference]) -> Comparison:
    """What the differences of two runs leave to be said.

    >>> comparison([Difference("update", "protocol.scale", "group_std", "none"), Difference("rollout", "seed", 1, 2)])
    <Comparison.EXPERIMENT: 'experiment'>
    """
    roles = [one.role for one in found]
    if Role.YARDSTICK in roles:
        return Comparison.YARDSTICK
    if treatments := roles.count(Role.TREATMENT):
        return Comparison.EXPERIMENT if treatments == 1 else Comparison.CONFOUNDED
    if Role.SEED in roles:
        return Comparison.REPEAT
    return Comparison.MEASURED if roles else Comparison.SAME


def bits(digest: str) -> Mask:
    """The bits of a SHA-256 digest, most significant first, shape (256,).

    Raises:
        DomainError: not 64 hexadecimal digits.

    >>> int(bits("f" + 63 * "0").sum())
    4
    """
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise DomainError("digest", digest, "64 hexadecimal digits")
    return np.unpackbits(np.frombuffer(bytes.fromhex(digest), np.uint8)).astype(np.bool_)


def _apart(kind: str, name: str, left: Any, right: Any) -> list[Difference]:
    if left == right:
        return []
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        keys = [*left, *(key for key in right if key not in left)]
        return [one for key in keys for one in _apart(kind, f"{name}.{key}", left.get(key), right.get(key))]
    return [Difference(kind, name, left, right)]
