"""Recipe: everything that decides a training run. Equal recipes give equal journals."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from pycore.argument import scalar, whole
from pycore.arithmetic import RESPONSE_LENGTH
from pycore.curriculum import Curriculum
from pycore.decoding import Decoding
from pycore.domain import DomainError, option
from pycore.gru import Size
from pycore.protocol import Protocol
from pycore.split import Sizes
from pycore.warm_start import WarmStart

VERSION = "recipe/1"
SPLITS = ("train", "held_out")
MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class StopRule:
    """Ends a run at the first evaluation in which a metric crosses a bound; written down before the run.

    Attributes:
        split: `train` or `held_out`.
        metric: a metric of evaluations, such as "accuracy".
        at_least: stop when the metric reaches this; None for no such bound.
        at_most: stop when it falls to this; None for no such bound.

    Raises:
        DomainError: an unknown split, or not exactly one bound.

    >>> StopRule("train", "accuracy", at_least=0.46).met(0.5)
    True
    """

    split: str
    metric: str
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        option("split", self.split, SPLITS)
        if not isinstance(self.metric, str) or not 0 < len(self.metric) <= 40:
            raise DomainError("metric", self.metric, "the name of a metric")
        if (self.at_least is None) == (self.at_most is None):
            raise DomainError("at_least, at_most", (self.at_least, self.at_most), "exactly one of them")
        for name in ("at_least", "at_most"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, scalar(name, getattr(self, name), -np.inf, np.inf))

    def met(self, value: float) -> bool:
        """Whether the value crosses the bound; NaN never does."""
        return value >= self.at_least if self.at_least is not None else value <= (self.at_most or 0.0)


@dataclass(frozen=True)
class Evaluating:
    """How a run is measured.

    Attributes:
        every: updates between two evaluations, >= 1; there is always one before the first update and one at the end.
        prompts: at most this many of each split, >= 2.
        samples: fresh responses to each prompt; pass@k is reported for k = 1, 4, 16 as far as they suffice.
        chunk: prompts sampled at once: what is done between two looks at the page.
    """

    every: int = 50
    prompts: int = 256
    samples: int = 16
    chunk: int = 64

    def __post_init__(self) -> None:
        for name, low in (("every", 1), ("prompts", 2), ("samples", 1), ("chunk", 1)):
            object.__setattr__(self, name, whole(name, getattr(self, name), low, 1_000_000))


@dataclass(frozen=True)
class Recipe:
    """A training run, completely described. The defaults are the `healthy` profile.

    Attributes:
        protocol: how an update is computed; its `iterations` and `dynamic_sampling` are the run's.
        seed: of everything random.
        updates: rollouts, each followed by `protocol.iterations` optimiser steps.
        batch: prompts a rollout.
        group: responses a prompt.
        learning_rate: of Adam.
        max_norm: gradient clipping; inf for none.
        decoding: temperature and filters of the behaviour policy.
        max_tokens: length limit of a response, 1..6; below 6 long sums are truncated.
        rounds: with dynamic sampling: rollouts drawn at most to fill one batch.
        sizes: how the pairs are dealt, difficulty included.
        curriculum: how prompts are drawn.
        network: widths of the model.
        warm_start: how the base is made.
        evaluation: how the run is measured.
        stop: rules that end it before `updates`.
        show_every: updates between two records of sample responses.
        checkpoint_every: updates between two checkpoints.

    Raises:
        DomainError: names the field, its value and the allowed range.
    """

    protocol: Protocol = field(default_factory=lambda: Protocol(aggregation="token_mean", eps=1e-4, iterations=2))
    seed: int = 0
    updates: int = 300
    batch: int = 32
    group: int = 16
    learning_rate: float = 2e-3
    max_norm: float = 1.0
    decoding: Decoding = field(default_factory=Decoding)
    max_tokens: int = RESPONSE_LENGTH
    rounds: int = 4
    sizes: Sizes = field(default_factory=Sizes)
    curriculum: Curriculum = field(default_factory=Curriculum)
    network: Size = field(default_factory=Size)
    warm_start: WarmStart = field(default_factory=WarmStart)
    evaluation: Evaluating = field(default_factory=Evaluating)
    stop: tuple[StopRule, ...] = ()
    show_every: int = 25
    checkpoint_every: int = 25

    def __post_init__(self) -> None:
        bounds = {
            "seed": (0, MOST_SEED),
            "updates": (0, 1_000_000),
            "batch": (1, self.sizes.prompts),
            "group": (1, 4096),
            "max_tokens": (1, RESPONSE_LENGTH),
            "rounds": (1, 100),
            "show_every": (1, 1_000_000),
            "checkpoint_every": (1, 1_000_000),
        }
        for name, (low, high) in bounds.items():
            object.__setattr__(self, name, whole(name, getattr(self, name), low, high))
        if self.protocol.baseline == "critic":
            raise DomainError("protocol.baseline", "critic", "a baseline that needs no critic: the run trains none")
        object.__setattr__(self, "learning_rate", scalar("learning_rate", self.learning_rate, 0, 1))
        object.__setattr__(self, "max_norm", scalar("max_norm", self.max_norm, 0, np.inf, open_low=True))
        if self.batch * self.group > 65_536:
            raise DomainError("batch x group", self.batch * self.group, "at most 65536 responses a rollout")
        object.__setattr__(self, "stop", tuple(self.stop))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; `from_dict` reads them back."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        for name in ("decoding", "sizes", "curriculum", "network", "warm_start", "evaluation"):
            plain[name] = asdict(plain[name])
        plain["protocol"] = {axis: "inf" if value == np.inf else value for axis, value in asdict(self.protocol).items()}
        plain["stop"] = [asdict(rule) for rule in self.stop]
        plain["max_norm"] = "inf" if self.max_norm == np.inf else self.max_norm
        return {"version": VERSION, **plain}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Recipe":
        """The recipe that `to_dict` wrote; fields left out keep their defaults.

        Raises:
            DomainError: an unknown field, another version, a value of another kind or out of its range.

        >>> Recipe.from_dict(Recipe(seed=3).to_dict()) == Recipe(seed=3)
        True
        """
        given = _mapping("recipe", plain)
        option("version", given.pop("version", VERSION), (VERSION,))
        values = _fields(cls, "recipe", given)
        for name, kind in _PARTS.items():
            if name in values:
                part = _fields(kind, name, _mapping(name, values[name]))
                values[name] = kind(**{key: np.inf if value == "inf" else value for key, value in part.items()})
        if "stop" in values:
            rules = values["stop"]
            if not isinstance(rules, list) or len(rules) > 20:
                raise DomainError("stop", rules, "a list of at most 20 rules")
            values["stop"] = tuple(_rule(rule) for rule in rules)
        if values.get("max_norm") == "inf":
            values["max_norm"] = np.inf
        return cls(**values)

    def but(self, **changes: Any) -> "Recipe":
        """The same recipe with some fields changed; `iterations` and `prompts` reach into the parts that hold them.

        >>> Recipe().but(iterations=4, prompts=48).sizes.prompts
        48
        """
        recipe = self
        if "iterations" in changes:
            recipe = replace(recipe, protocol=replace(recipe.protocol, iterations=changes.pop("iterations")))
        if "prompts" in changes:
            recipe = replace(recipe, sizes=replace(recipe.sizes, prompts=changes.pop("prompts")))
        return replace(recipe, **changes)


_PARTS: dict[str, Any] = {
    "protocol": Protocol,
    "decoding": Decoding,
    "sizes": Sizes,
    "curriculum": Curriculum,
    "network": Size,
    "warm_start": WarmStart,
    "evaluation": Evaluating,
}


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise DomainError(name, value, "a mapping")
    return dict(value)


def _fields(kind: Any, name: str, given: dict[str, Any]) -> dict[str, Any]:
    known = {item.name: item for item in fields(kind)}
    for key, value in given.items():
        if key not in known:
            raise DomainError(name, key, "the fields " + ", ".join(known))
        if known[key].type in ("int", "float", int, float) and isinstance(value, bool | list):
            raise DomainError(f"{name}.{key}", value, "a number")
    return given


def _rule(plain: object) -> StopRule:
    given = _fields(StopRule, "stop", _mapping("stop", plain))
    if not {"split", "metric"} <= set(given):
        raise DomainError("stop", plain, "rules with a split, a metric and a bound")
    return StopRule(**given)


HEALTHY = Recipe()
COLLAPSE = Recipe(
    protocol=Protocol(aggregation="token_mean", eps=1e-4, iterations=16),
    updates=100,
    batch=16,
    group=4,
    learning_rate=2.5e-3,
    sizes=Sizes(prompts=48),
    evaluation=Evaluating(every=4),
    stop=(StopRule("train", "accuracy", at_least=0.46),),
    show_every=4,
    checkpoint_every=4,
)
PROFILES = {"healthy": HEALTHY, "collapse": COLLAPSE}
