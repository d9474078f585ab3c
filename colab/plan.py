"""Plan: everything that decides a run of a language model. Equal plans on equal machines give equal journals."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from colab.problem import Problems, deal
from colab.rewards import REWARDS
from colab.wording import WORDINGS
from pycore.argument import Index, scalar, whole
from pycore.decoding import Decoding
from pycore.domain import DomainError, option
from pycore.protocol import Protocol
from pycore.train import Evaluating, Recipe
from pycore.train.recipe import SPLITS
from pycore.train.state import EVALUATED, SPLIT, stream

VERSION = "plan/1"
DEFAULT = Protocol(aggregation="token_mean", eps=1e-4)


@dataclass(frozen=True)
class Plan:
    """A run of a language model, completely described.

    Attributes:
        model: `tiny`, `smollm2`, or a name on the hub.
        problems: what is asked, and how many prompts stand on each side.
        wording: what stands before a question, by name.
        reward: what is paid, by name.
        rank: of the adapters.
        alpha: their scale is alpha / rank.
        protocol: how an update is computed.
        seed: of split, adapters, prompts and responses.
        updates: rollouts, each followed by `protocol.iterations` optimiser steps.
        batch: prompts a rollout.
        group: responses a prompt.
        learning_rate: of Adam.
        max_norm: gradient clipping.
        max_tokens: longest response.
        decoding: temperature and filters.
        evaluation: how the run is measured.
        show_every: updates between two records of sample responses.
        checkpoint_every: updates between two checkpoints.

    Raises:
        DomainError: names the field, its value and the allowed range.
    """

    model: str = "tiny"
    problems: Problems = field(default_factory=Problems)
    wording: str = "one_turn"
    reward: str = "full"
    rank: int = 8
    alpha: int = 16
    protocol: Protocol = DEFAULT
    seed: int = 0
    updates: int = 60
    batch: int = 2
    group: int = 8
    learning_rate: float = 2e-4
    max_norm: float = 1.0
    max_tokens: int = 24
    decoding: Decoding = field(default_factory=Decoding)
    evaluation: Evaluating = field(default_factory=lambda: Evaluating(every=60, prompts=64, samples=2, chunk=64))
    show_every: int = 20
    checkpoint_every: int = 5

    def __post_init__(self) -> None:
        option("wording", self.wording, WORDINGS)
        option("reward", self.reward, REWARDS)
        for name, high in (("rank", 256), ("alpha", 1024), ("max_tokens", 32_768)):
            whole(name, getattr(self, name), 1, high)
        scalar("learning_rate", self.learning_rate, 0, 1)
        if not isinstance(self.model, str) or not 0 < len(self.model) <= 200:
            raise DomainError("model", self.model, "tiny, smollm2, or the name of a model on the hub")
        if self.batch > self.problems.train:
            raise DomainError("batch", self.batch, f"at most {self.problems.train}, the training prompts")
        self.recipe()

    def recipe(self) -> Recipe:
        """What the core's loop needs; its network, sizes and warm start belong to the small policy and stay unused."""
        shared = {item.name: getattr(self, item.name) for item in fields(self) if item.name in _SHARED}
        return Recipe(**shared)

    def sides(self) -> dict[str, Index]:
        """Operands by split: equal for equal problems and seeds."""
        return deal(self.problems, stream(self.recipe(), SPLIT))

    def measured(self, split: str) -> Index:
        """The prompts of a split that every evaluation looks at, shape (prompts,)."""
        side = SPLITS.index(str(option("split", split, SPLITS)))
        size: int = getattr(self.problems, split)
        order = stream(self.recipe(), EVALUATED, side).permutation(size)
        return np.sort(order[: self.evaluation.prompts])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; `from_dict` reads them back."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        for name in ("problems", "decoding", "evaluation"):
            plain[name] = asdict(plain[name])
        return {"version": VERSION, **plain, "protocol": self.protocol.to_dict()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Plan":
        """The plan that `to_dict` wrote; fields left out keep their defaults.

        Raises:
            DomainError: another version, an unknown field, a value out of its range.

        >>> Plan.from_dict(Plan(seed=3).to_dict()) == Plan(seed=3)
        True
        """
        given = dict(plain)
        option("version", given.pop("version", VERSION), (VERSION,))
        known = {item.name for item in fields(cls)}
        for name in given:
            option("plan", name, sorted(known))
        for name, kind in (("problems", Problems), ("decoding", Decoding), ("evaluation", Evaluating)):
            if name in given:
                given[name] = kind(**given[name])
        if "protocol" in given:
            given["protocol"] = Protocol.from_json(json.dumps(given["protocol"]))
        return cls(**given)


_SHARED = (
    *("protocol", "seed", "updates", "batch", "group", "learning_rate", "max_norm", "decoding", "evaluation"),
    *("show_every", "checkpoint_every"),
)
