"""What changes during a run, how it is packed into a checkpoint, and where its random numbers come from."""

from dataclasses import dataclass

import numpy as np

from pycore import arithmetic, snapshot
from pycore.curriculum import Experience
from pycore.domain import DomainError
from pycore.gru_policy import GruPolicy
from pycore.policy import Policy
from pycore.train.recipe import Recipe
from pycore.train.task import Task

# Purposes of random numbers; a new one gets a new number.
SPLIT, WEIGHTS, WARM, PROMPTS, ROLLOUT, EVALUATION, EVALUATED, AGAIN = range(8)
# Fields that decide how long a run is and how it is watched, but not how it trains.
WATCHING = ("updates", "stop", "evaluation", "show_every", "checkpoint_every")


def stream(recipe: Recipe, purpose: int, *at: int) -> np.random.Generator:
    """The random numbers of one purpose at one moment: no state to keep, and no draw that disturbs another."""
    return np.random.default_rng([recipe.seed, purpose, *at])


@dataclass(eq=False)
class State:
    """What changes during a run.

    Attributes:
        policy: the one that learns.
        base: what the KL is measured against.
        experience: what is known of each prompt.
        update: rounds finished.
    """

    policy: Policy
    base: Policy
    experience: Experience
    update: int


def begin(recipe: Recipe, warm: GruPolicy, task: Task) -> State:
    if warm.size != recipe.network:
        raise DomainError("base.size", warm.size, f"{recipe.network}")
    warm = warm.copy().with_decoding(recipe.decoding, arithmetic.grammar(recipe.max_tokens))
    return State(warm, warm.copy(), Experience.none(task.sizes["train"]), 0)


def pack(recipe: Recipe, state: State) -> bytes:
    policy, base = state.policy, state.base
    assert isinstance(policy, GruPolicy)
    assert isinstance(base, GruPolicy)
    facts = {"recipe": recipe.to_dict(), "update": state.update, "steps": policy.adam.steps}
    experience = {name: getattr(state.experience, name) for name in ("right", "seen", "asked")}
    arrays = {"weights": policy.vector, "first": policy.adam.first, "second": policy.adam.second, "base": base.vector}
    return snapshot.pack(facts, arrays | experience)


def restore(recipe: Recipe, data: bytes, task: Task) -> State:
    facts, arrays = snapshot.unpack(data)
    missing = {"recipe", "update", "steps"} - set(facts) | {"weights", "first", "second", "base"} - set(arrays)
    if missing:
        raise DomainError("checkpoint", sorted(missing), "a checkpoint of a run: these are missing")
    expected = recipe.to_dict()
    for name, value in facts["recipe"].items():
        if name not in WATCHING and expected.get(name) != value:
            raise DomainError(f"checkpoint.{name}", value, f"{expected.get(name)}, as in the recipe")
    size = recipe.network
    for name in ("weights", "first", "second", "base"):
        if arrays[name].shape != (size.parameters,):
            raise DomainError(f"checkpoint.{name}.shape", arrays[name].shape, f"({size.parameters},)")
    policy = GruPolicy.load(
        snapshot.pack(
            {"size": [size.vocabulary, size.embedding, size.hidden], "steps": facts["steps"]},
            {name: arrays[name] for name in ("weights", "first", "second")},
        ),
        arithmetic.grammar(recipe.max_tokens),
        recipe.decoding,
    )
    base = policy.copy()
    base.vector[:] = arrays["base"]
    experience = Experience(*(arrays[name] for name in ("right", "seen", "asked")))
    if experience.seen.shape != (task.sizes["train"],):
        raise DomainError("checkpoint.seen.shape", experience.seen.shape, f"({task.sizes['train']},)")
    return State(policy, base, experience, int(facts["update"]))
