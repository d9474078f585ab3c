"""Fourth layer: from a verdict to what a policy is paid, each component reported apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum, isfinite

from pycore.domain import DomainError
from pycore.verify.canonical import canonicalise
from pycore.verify.contract import MARKER_ONLY, NumericContract
from pycore.verify.extract import after_marker, answer_start
from pycore.verify.numeric import Reference, verify_numeric
from pycore.verify.verdict import Refusal, Span


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a reward.

    Attributes:
        name: what is paid for.
        raw: the component itself, before any weight.
        weight: its factor in the sum.
        paid: whether its gate was open; a closed gate pays 0 whatever `raw` is.
    """

    name: str
    raw: float
    weight: float
    paid: bool = True

    @property
    def value(self) -> float:
        """What it adds to the total."""
        return self.weight * self.raw if self.paid else 0.0


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward with its parts, in the order in which they were composed."""

    components: tuple[Component, ...]

    @property
    def total(self) -> float:
        """The sum of the components' values, correctly rounded: equal parts in any order give equal totals."""
        return fsum(component.value for component in self.components)

    def raw(self) -> dict[str, float]:
        """Each component before weight and gate, by name: what a dashboard plots."""
        return {component.name: component.raw for component in self.components}


def compose(raw: Mapping[str, float], weights: Mapping[str, float], gates: Mapping[str, str] | None = None) -> Reward:
    """A weighted sum of named components, some of them paid only when another one is positive.

    Args:
        raw: components by name, finite numbers.
        weights: a finite weight for every component, and for no other name.
        gates: gated component -> the component that must be positive for it to be paid.

    Returns:
        The reward; its total is the sum of weight * raw over the open gates.

    Raises:
        DomainError: a missing or superfluous weight, an unknown gate, or a number that is not finite. A NaN would
            poison the whole group that shares a baseline with it.

    >>> compose({"accuracy": 0.0, "format": 1.0}, {"accuracy": 1.0, "format": 0.1}, {"format": "accuracy"}).total
    0.0
    """
    gates = gates or {}
    if set(raw) != set(weights):
        raise DomainError("weights", sorted(weights), "one weight for each of " + ", ".join(raw))
    for name in (*gates, *gates.values()):
        if name not in raw:
            raise DomainError("gates", name, "one of " + ", ".join(raw))
    for kind, numbers in (("raw", raw), ("weights", weights)):
        for name, number in numbers.items():
            if not isfinite(number):
                raise DomainError(f"{kind}[{name!r}]", number, "a finite number")
    return Reward(
        tuple(
            Component(name, float(value), float(weights[name]), name not in gates or raw[gates[name]] > 0)
            for name, value in raw.items()
        )
    )


def accuracy_reward(text: str, reference: Reference, *, contract: NumericContract = MARKER_ONLY) -> float:
    """1.0 when the answer equals the reference under the contract, else 0.0.

    >>> accuracy_reward("#### 42", 42)
    1.0
    """
    return verify_numeric(text, reference, contract=contract).reward


def format_reward(text: str, *, contract: NumericContract = MARKER_ONLY) -> float:
    """1.0 when the text has exactly one marker and a number after it, whatever the number; else 0.0.

    Markers inside a thought that the contract skips are not counted; its grammar decides what a number is.

    >>> [format_reward(text) for text in ("#### 7", "7", "#### 1 #### 7", "#### seven")]
    [1.0, 0.0, 0.0, 0.0]
    """
    if not isinstance(text, str):
        return 0.0
    start = answer_start(text, contract)
    if isinstance(start, Refusal) or text.count(contract.marker, start) != 1:
        return 0.0
    span = after_marker(text, start, contract)
    if not isinstance(span, Span) or isinstance(canonicalise(span.text, contract), Refusal):
        return 0.0
    return 1.0


def reward_parts(
    text: str,
    reference: Reference,
    *,
    accuracy: float = 1.0,
    format: float = 0.1,
    contract: NumericContract = MARKER_ONLY,
) -> Reward:
    """The components of `rlvr_reward`, reported apart.

    >>> reward_parts("#### 7", 42).raw()
    {'accuracy': 0.0, 'format': 1.0}
    """
    raw = {
        "accuracy": accuracy_reward(text, reference, contract=contract),
        "format": format_reward(text, contract=contract),
    }
    return compose(raw, {"accuracy": accuracy, "format": format})


def rlvr_reward(
    text: str,
    reference: Reference,
    *,
    accuracy: float = 1.0,
    format: float = 0.1,
    contract: NumericContract = MARKER_ONLY,
) -> float:
    """The course's reward: `accuracy` for the right number after the marker plus `format` for one marker and a number.

    Args:
        text: a response.
        reference: the right value.
        accuracy: pay for a right answer, finite.
        format: pay for the form, finite.
        contract: the rules; by default only what follows the last `####` is an answer.

    Returns:
        0, `format`, `accuracy` or their sum.

    >>> [rlvr_reward(text, 42) for text in ("6 * 7 = 42 #### 42", "#### 7", "42", "#### 41 #### 42")]
    [1.1, 0.1, 0.0, 1.0]

    Source: curriculum, "Rewards for RLVR".
    """
    return reward_parts(text, reference, accuracy=accuracy, format=format, contract=contract).total
