"""What a run on several cards is, as a scenario: its controls, and what they mean."""

from dataclasses import dataclass, replace
from typing import Any

from pycore.control import Choice, Control, Number
from pycore.domain import DomainError, option
from pycore.protocol import PRESETS, Protocol, preset
from pycore.scenario import Scenario
from pycore.transformer import QWEN3_06B, Transformer

LAB = "cluster"
MODELS: dict[str, Transformer] = {
    "Qwen/Qwen3-0.6B": QWEN3_06B,
    "Qwen/Qwen3-1.7B": replace(QWEN3_06B, hidden=2048, intermediate=6144),
    "Qwen/Qwen3-4B": replace(QWEN3_06B, layers=36, hidden=2560, heads=32, intermediate=9728),
}


@dataclass(frozen=True)
class Cluster:
    """Sizes of a run.

    Attributes:
        model: one of `MODELS`.
        cards: that train; TRL wants one more, which generates.
        prompts: an update.
        group: responses a prompt.
        micro: responses a card takes in one backward pass.
        learning_rate: of AdamW.
        updates: rollouts.
        temperature: of sampling.
        prompt_tokens: length limit of a prompt.
        response_tokens: length limit of a response.
        seed: of the run.

    Raises:
        DomainError: an unknown model, or a batch that does not divide into equal backward passes.
    """

    model: str
    cards: int
    prompts: int
    group: int
    micro: int
    learning_rate: float
    updates: int
    temperature: float
    prompt_tokens: int
    response_tokens: int
    seed: int

    def __post_init__(self) -> None:
        option("model", self.model, MODELS)
        share = self.cards * self.micro
        if self.responses % share:
            raise DomainError("prompts * group", self.responses, f"a multiple of cards * micro = {share}")

    @property
    def responses(self) -> int:
        """Responses of one update."""
        return self.prompts * self.group

    @property
    def passes(self) -> int:
        """Backward passes of each card in one update."""
        return self.responses // (self.cards * self.micro)


CONTROLS: tuple[Control, ...] = (
    # Dr. GRPO is a protocol that both engines compute exactly as published.
    Choice("preset", tuple(PRESETS), "dr_grpo"),
    Choice("model", tuple(MODELS), "Qwen/Qwen3-0.6B"),
    Number("cards", 2, 1, 8, 1, integer=True),
    Number("prompts", 32, 1, 1024, 1, integer=True),
    Number("group", 8, 1, 64, 1, integer=True, symbol="G"),
    Number("micro", 4, 1, 128, 1, integer=True),
    Number("learning_rate", 1e-6, 1e-8, 1e-3, 1e-8, logarithmic=True),
    Number("updates", 200, 1, 100_000, 1, integer=True),
    Number("temperature", 1.0, 0.05, 2.0, 0.05),
    Number("prompt_tokens", 512, 16, 32_768, 1, integer=True, unit="token"),
    Number("response_tokens", 512, 16, 32_768, 1, integer=True, unit="token"),
)
CATALOGUE = {LAB: CONTROLS}


def read(scenario: Scenario) -> tuple[Protocol, Cluster]:
    """The protocol and the sizes of a scenario of `CONTROLS`.

    Raises:
        DomainError: a control out of bounds, or sizes that do not go together.

    >>> read(Scenario(LAB, {"group": 16}))[1].responses
    512
    """
    values: dict[str, Any] = {control.name: control.default for control in CONTROLS}
    by_name = {control.name: control for control in CONTROLS}
    for name, value in scenario.controls.items():
        values[name] = by_name[option("control", name, by_name)].check(value)
    name = values.pop("preset")
    cluster = Cluster(**values, seed=scenario.seed)
    named, limit = preset(name), cluster.response_tokens
    # The constant L and the length penalty follow the length limit; the penalty keeps its share of it.
    cache = round(named.overlong_cache * limit / named.max_tokens)
    return replace(named, max_tokens=limit, overlong_cache=cache), cluster


# Names of the lab `train` that mean the same here.
SHARED = {"protocol": "preset", "G": "group", "temperature": "temperature"}


def adopted(scenario: Scenario) -> Scenario:
    """A scenario of the lab `train` as one of several cards: protocol, group, temperature and seed come along.

    What that lab sets for its small policy says nothing about a language model and stays behind, as do single axes that
    differ from the protocol's own.

    >>> adopted(Scenario("train", {"protocol": "gspo", "G": 16, "prompts": 48}, seed=3))
    Scenario(lab='cluster', controls={'preset': 'gspo', 'group': 16}, seed=3)
    """
    known = {control.name: control for control in CONTROLS}
    taken = {SHARED[name]: value for name, value in scenario.controls.items() if name in SHARED}
    if taken.get("preset") not in PRESETS:
        taken.pop("preset", None)
    return Scenario(LAB, {name: known[name].check(value) for name, value in taken.items()}, scenario.seed)
