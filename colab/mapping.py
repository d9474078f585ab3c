"""What becomes of a Protocol in another library: every axis exactly, or a refusal that says why."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from pycore.protocol import Protocol


class UnmappedError(ValueError):
    """A protocol that a library cannot compute.

    Attributes:
        library: name and version.
        reasons: axis to the reason, for every axis that stands in the way.
    """

    def __init__(self, library: str, protocol: Protocol, reasons: Mapping[str, str]) -> None:
        self.library, self.reasons = library, dict(reasons)
        told = "; ".join(f"{axis} = {getattr(protocol, axis)!r}: {reason}" for axis, reason in self.reasons.items())
        super().__init__(f"{library} cannot compute this protocol: {told}")


def adopt(protocol: Protocol, fixed: Mapping[str, Any]) -> tuple[Protocol, dict[str, tuple[Any, Any]]]:
    """The protocol with what a library has fixed, and what had to change.

    Args:
        protocol: the one that is wished for.
        fixed: axis to the only value that the library knows.

    Returns:
        The changed protocol, and axis to (wished, fixed) for every change that is felt.

    >>> adopt(Protocol(), {"ddof": 1, "eps": 1e-4})[1]
    {'ddof': (0, 1), 'eps': (1e-06, 0.0001)}
    """
    before, after = vars(protocol.canonical()), vars(replace(protocol, **fixed).canonical())
    felt = {field.name for field in fields(Protocol) if before[field.name] != after[field.name]}
    # An axis without effect keeps what was wished for.
    changed = replace(protocol, **{name: value for name, value in fixed.items() if name in felt})
    return changed, {name: (before[name], after[name]) for name in before if name in felt}
