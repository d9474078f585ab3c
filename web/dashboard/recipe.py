"""A run's recipe from the controls of the lab `train`, and the controls from a recipe."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pycore.control import Choice, Control, Number, Switch
from pycore.decoding import Decoding
from pycore.protocol import Protocol, preset
from pycore.scenario import SEED
from pycore.split import Sizes
from pycore.train import HEALTHY, Evaluating, Recipe, StopRule

# `practicum` is what both profiles use; the others are papers' presets that need no critic and refill no batch.
PROTOCOLS = (
    *("practicum", "grpo", "dr_grpo", "dapo", "rloo", "reinforce", "reinforce_baseline"),
    *("gspo", "cispo", "sapo", "maxrl", "opo"),
)
AS_NAMED = "as_named"
CONTROLS: tuple[Control, ...] = (
    Number("prompts", 2048, low=48, high=2048, step=1, integer=True, logarithmic=True),
    Number("G", 16, low=2, high=32, step=1, integer=True, symbol="G"),
    Number("iterations", 2, low=1, high=16, step=1, integer=True, symbol="μ"),
    Number("learning_rate", 0.002, low=1e-4, high=0.02, step=1e-4, logarithmic=True),
    Number("low", 0.2, low=0, high=0.95, step=0.01, symbol="ε₋", role="negative"),
    Number("high", 0.2, low=0, high=2, step=0.01, symbol="ε₊", role="positive"),
    Number("temperature", 1, low=0.5, high=1.5, step=0.05, symbol="T"),
    Choice("protocol", PROTOCOLS, "practicum"),
    Choice("baseline", (AS_NAMED, "mean", "leave_one_out", "none"), AS_NAMED),
    Choice("scale", (AS_NAMED, "group_std", "none"), AS_NAMED),
    Choice("aggregation", (AS_NAMED, "response_mean", "token_mean", "constant", "sequence_sum"), AS_NAMED),
    Number("kl", 0, low=0, high=1, step=0.01, symbol="β", role="reference"),
    Number("entropy", 0, low=0, high=0.1, step=0.001),
    Switch("dynamic"),
    Number("batch", 32, low=1, high=48, step=1, integer=True, symbol="B"),
    Number("updates", 300, low=1, high=1000, step=1, integer=True),
    Number("every", 50, low=1, high=1000, step=1, integer=True, logarithmic=True),
    Number("stop", 1, low=0.3, high=1, step=0.01),
    SEED,
)
GROUPS = {
    "protocol": ("protocol", "baseline", "scale", "aggregation", "kl", "entropy", "dynamic"),
    "measuring": ("batch", "updates", "every", "stop", "seed"),
}
BANDED = ("symmetric", "asymmetric")
CHUNK = 16  # prompts measured at once: what a browser does within 50 ms


def recipe(controls: Mapping[str, Any]) -> Recipe:
    """The run that the controls describe.

    Args:
        controls: a value for every one of `CONTROLS`.

    >>> recipe({control.name: control.default for control in CONTROLS}).protocol == HEALTHY.protocol
    True
    """
    every = controls["every"]
    rules = (StopRule("train", "accuracy", at_least=controls["stop"]),) if controls["stop"] < 1 else ()
    often = min(every, HEALTHY.show_every)
    return Recipe(
        protocol=protocol(controls),
        seed=controls["seed"],
        updates=controls["updates"],
        batch=controls["batch"],
        group=controls["G"],
        learning_rate=controls["learning_rate"],
        decoding=Decoding(temperature=controls["temperature"]),
        sizes=Sizes(prompts=controls["prompts"]),
        evaluation=Evaluating(every=every, chunk=CHUNK),
        stop=rules,
        show_every=often,
        checkpoint_every=often,
    )


def protocol(controls: Mapping[str, Any]) -> Protocol:
    """The named protocol with the axes that the learner set otherwise."""
    name = controls["protocol"]
    # Responses are six tokens long at most: a published length limit would only switch the penalty off.
    found = HEALTHY.protocol if name == "practicum" else replace(preset(name), max_tokens=6, overlong_cache=0)
    axes: dict[str, Any] = {
        axis: controls[axis] for axis in ("baseline", "scale", "aggregation") if controls[axis] != AS_NAMED
    }
    axes |= {"iterations": controls["iterations"], "entropy_coefficient": controls["entropy"]}
    axes |= {"dynamic_sampling": controls["dynamic"] or found.dynamic_sampling}
    if controls["kl"] > 0:
        axes |= {"kl_coefficient": controls["kl"]}
    # A sequence ratio lives on another scale: the bounds of a token ratio would say nothing there.
    if found.clip in BANDED and found.ratio == "token":
        low, high = controls["low"], controls["high"]
        axes |= {"clip": "symmetric" if low == high else "asymmetric", "clip_low": low, "clip_high": high}
    return replace(found, **axes)
