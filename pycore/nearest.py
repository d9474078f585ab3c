"""Which of several named records is closest to a given one, and what differs."""

from collections.abc import Mapping
from dataclasses import dataclass

from pycore.domain import DomainError

Value = str | float | bool | None


@dataclass(frozen=True)
class Difference:
    """One axis on which a record leaves a preset.

    Attributes:
        axis: field of Protocol.
        value: the record's own.
        preset_value: the preset's.
    """

    axis: str
    value: Value
    preset_value: Value


@dataclass(frozen=True)
class Nearest:
    """The closest preset.

    Attributes:
        name: of the preset.
        differences: in the order of the record's axes.
    """

    name: str
    differences: tuple[Difference, ...]

    @property
    def distance(self) -> float:
        """Differing axes; a changed number or switch counts half of a changed kind."""
        return sum(1.0 if isinstance(d.value, str) else 0.5 for d in self.differences)


def search(mine: Mapping[str, Value], candidates: Mapping[str, Mapping[str, Value]]) -> Nearest:
    """The candidate with the smallest distance; the first one on a tie.

    Args:
        mine: axis -> value.
        candidates: name -> axis -> value, each with the axes of `mine`.

    Returns:
        Nearest.

    Raises:
        DomainError: no candidate.

    >>> search({"scale": "none"}, {"grpo": {"scale": "std"}, "dr_grpo": {"scale": "none"}}).name
    'dr_grpo'
    """
    if not candidates:
        raise DomainError("candidates", tuple(candidates), "at least one preset")
    ranked = [
        Nearest(
            name, tuple(Difference(axis, mine[axis], value) for axis, value in theirs.items() if value != mine[axis])
        )
        for name, theirs in candidates.items()
    ]
    return min(ranked, key=lambda nearest: nearest.distance)
