"""The long work of a policy in parts, so that whoever drives a run can listen in the middle of it."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from pycore.policy import Policy


@dataclass(frozen=True)
class Part:
    """A part of a sample, a score or a gradient is done: nothing to tell, only an occasion to listen or to stop."""


def in_parts(policy: Policy, name: str, *given: Any) -> Generator[Part, None, Any]:
    """`policy.name(*given)`, with a yield after every part where the policy offers `name_in_parts`."""
    offered = getattr(policy, f"{name}_in_parts", None)
    if offered is None:
        return getattr(policy, name)(*given)
    parts = offered(*given)
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return end.value
        yield Part()
