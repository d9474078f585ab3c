"""What a learner may set in the practicum's notebook, and the plan that follows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from colab.mapping import adopt
from colab.plan import DEFAULT, Plan
from colab.problem import EXAMPLES, SIGNS, Problems
from colab.rewards import REWARDS
from colab.trl import fixed
from colab.wording import WORDINGS
from pycore.control import Choice, Control, Number, Switch, Value
from pycore.decoding import Decoding
from pycore.domain import DomainError
from pycore.protocol import Protocol, preset
from pycore.scenario import SEED, Scenario
from pycore.train import HEALTHY, Evaluating, Recipe
from pycore.train.recipe import StopRule

LAB = "practicum"
MODELS = ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-1.7B", "HuggingFaceTB/SmolLM2-135M-Instruct", "smollm2")
TRAINERS = ("loop", "trl")
COMPARISONS = ("none", "reward", "protocol", "group", "trainer")
PROTOCOLS = (
    *("practicum", "grpo", "dr_grpo", "dapo", "rloo", "reinforce", "reinforce_baseline"),
    *("gspo", "cispo", "sapo", "maxrl", "opo"),
)
AS_NAMED = "as_named"
# Names that the lab `train` has too mean the same there: a scenario of that lab brings them along.
SHARED: tuple[Control, ...] = (
    Choice("protocol", PROTOCOLS, "practicum"),
    Number("G", 8, low=2, high=32, step=1, integer=True, symbol="G"),
    Number("iterations", 1, low=1, high=16, step=1, integer=True, symbol="μ"),
    Number("temperature", 1, low=0.5, high=1.5, step=0.05, symbol="T"),
    Number("low", 0.2, low=0, high=0.95, step=0.01, symbol="ε₋"),
    Number("high", 0.2, low=0, high=2, step=0.01, symbol="ε₊"),
    Choice("baseline", (AS_NAMED, "mean", "leave_one_out", "none"), AS_NAMED),
    Choice("scale", (AS_NAMED, "group_std", "none"), AS_NAMED),
    Choice("aggregation", (AS_NAMED, "response_mean", "token_mean", "constant", "sequence_sum"), AS_NAMED),
    Number("kl", 0, low=0, high=1, step=0.01, symbol="β"),
    Number("entropy", 0, low=0, high=0.1, step=0.001),
    Switch("dynamic"),
)
CONTROLS: tuple[Control, ...] = (
    Choice("model", MODELS, MODELS[0]),
    Choice("trainer", TRAINERS, "loop"),
    Choice("compare", COMPARISONS, "none"),
    Choice("operation", tuple(SIGNS), "product"),
    Number("smallest", 11, low=1, high=99, step=1, integer=True),
    Number("largest", 49, low=9, high=999, step=1, integer=True),
    Number("prompts", 256, low=8, high=1024, step=1, integer=True),
    Choice("wording", tuple(WORDINGS), "one_turn"),
    Choice("reward", tuple(REWARDS), "full"),
    *SHARED,
    Number("batch", 4, low=1, high=32, step=1, integer=True, symbol="B"),
    Number("updates", 100, low=1, high=1000, step=1, integer=True),
    Number("rate", 1e-4, low=1e-6, high=1e-2, step=1e-6, logarithmic=True),
    Number("tokens", 64, low=8, high=1024, step=1, integer=True),
    Number("rank", 16, low=1, high=128, step=1, integer=True),
    SEED,
)
PRESETS: dict[str, dict[str, Value]] = {
    "full": {},
    "format_only": {"compare": "reward"},
    "protocols": {"compare": "protocol", "protocol": "dr_grpo", "trainer": "trl"},
    "groups": {"compare": "group", "G": 16},
}
# What a T4 may keep in one pass is not known here: the run begins with this many responses and halves when it must.
ROWS = 8


def protocol(values: Mapping[str, Any], tokens: int, *, trl: bool = False) -> Protocol:
    """The named protocol with the axes that the learner set otherwise.

    Args:
        values: of the controls in `SHARED`.
        tokens: length limit of a response: what `constant` divides by.
        trl: give the axes that TRL has fixed TRL's values.
    """
    name = values["protocol"]
    found = replace(DEFAULT if name == "practicum" else preset(name), max_tokens=tokens, overlong_cache=0)
    axes: dict[str, Any] = {
        axis: values[axis] for axis in ("baseline", "scale", "aggregation") if values[axis] != AS_NAMED
    }
    axes |= {"iterations": values["iterations"], "entropy_coefficient": values["entropy"]}
    axes |= {"dynamic_sampling": values["dynamic"], "kl_coefficient": values["kl"]}
    # A sequence ratio lives on another scale: the bounds of a token ratio would say nothing there.
    if found.clip in ("symmetric", "asymmetric") and found.ratio == "token":
        low, high = values["low"], values["high"]
        axes |= {"clip": "symmetric" if low == high else "asymmetric", "clip_low": low, "clip_high": high}
    made = replace(found, **axes)
    return adopt(made, fixed(made))[0] if trl else made


def plan(values: Mapping[str, Any], *, real: bool, smoke: bool) -> Plan:
    """The run that the controls describe.

    Args:
        values: a value for every one of `CONTROLS`.
        real: the model that is named; otherwise the tiny random one, which needs no download and no card.
        smoke: three updates on a few prompts, to see every cell work before hours are spent.

    Raises:
        DomainError: values that do not go together, such as more prompts than there are pairs.
    """
    if values["largest"] <= values["smallest"]:
        raise DomainError("largest", values["largest"], f"more than smallest = {values['smallest']}")
    held_out = 8 if smoke else 64
    wanted = 12 if smoke else values["prompts"]
    # The tiny model's words are sums up to 24.
    family = (values["operation"], values["smallest"], values["largest"]) if real else ("sum", 1, 12)
    there = (family[2] - family[1] + 1) ** 2 - 2 * sum(family[1] <= a and b <= family[2] for a, b in EXAMPLES)
    train = min(wanted, there - held_out - 2)
    if train < 2:
        raise DomainError("largest", values["largest"], f"operands with more than {held_out + 4} questions")
    group = _few(values["G"]) if smoke else values["G"]
    tokens = min(values["tokens"], 24) if smoke or not real else values["tokens"]
    return Plan(
        model=values["model"] if real else "tiny",
        problems=Problems(family[0], family[1], family[2], train, held_out),
        wording=values["wording"],
        reward=values["reward"],
        rank=values["rank"],
        alpha=2 * values["rank"],
        protocol=protocol(values, tokens, trl=values["trainer"] == "trl" or values["compare"] == "trainer"),
        seed=values["seed"],
        updates=3 if smoke else values["updates"],
        batch=min(values["batch"], 2 if smoke else train),
        group=group,
        learning_rate=values["rate"],
        max_tokens=tokens,
        decoding=Decoding(temperature=values["temperature"]),
        evaluation=Evaluating(every=1_000_000, prompts=held_out, samples=2 if smoke else 4, chunk=16),
        show_every=1 if smoke else 20,
        checkpoint_every=1 if smoke else 10,
    )


def _few(group: int) -> int:
    """A small group for a trial run; a group and a quarter of it stay two sizes."""
    return 2 if group < 3 else 3 if group < 8 else 4 if group < 32 else 8


def contrast(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values of the second run of a comparison, None without one; one thing differs.

    >>> contrast({"compare": "group", "G": 8})["G"]
    2
    """
    kind = values["compare"]
    if kind == "none":
        return None
    if kind == "reward":
        return {**values, "reward": "full" if values["reward"] == "format_only" else "format_only"}
    if kind == "trainer":
        return {**values, "trainer": "loop" if values["trainer"] == "trl" else "trl"}
    if kind == "group":
        return {**values, "G": max(2, values["G"] // 4) if values["G"] > 2 else 8}
    return {**values, "protocol": "grpo" if values["protocol"] != "grpo" else "dr_grpo"}


def small(values: Mapping[str, Any], *, smoke: bool) -> Recipe:
    """The same protocol for the small policy of practicum A: level A, on the processor, before any download."""
    return replace(
        HEALTHY,
        protocol=protocol(values, 6),
        seed=values["seed"],
        group=values["G"],
        updates=100 if smoke else 300,
        batch=32,
        evaluation=Evaluating(every=1_000_000, prompts=64 if smoke else 256, samples=4 if smoke else 16),
        stop=tuple[StopRule, ...](),
    )


def adopted(scenario: Scenario) -> tuple[Scenario, tuple[str, ...]]:
    """A scenario of the lab `train` as one of the practicum, and the names that have no place here.

    Prompts, learning rate and updates of the small policy say nothing about a language model and stay behind.

    >>> adopted(Scenario("train", {"G": 16, "prompts": 48}, seed=3))
    (Scenario(lab='practicum', controls={'G': 16}, seed=3), ('prompts',))
    """
    known = {control.name: control for control in SHARED}
    kept = {name: known[name].check(value) for name, value in scenario.controls.items() if name in known}
    left = tuple(name for name in scenario.controls if name not in known)
    return Scenario(LAB, kept, scenario.seed), left
