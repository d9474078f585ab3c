"""Fills a batch: draws prompts, samples, verifies, and with dynamic sampling draws again, at a cost that is counted."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycore.advantages import flat_groups
from pycore.argument import Index
from pycore.curriculum import Experience, draw
from pycore.policy import Rollout, join
from pycore.train.part import Part, in_parts
from pycore.train.recipe import Recipe
from pycore.train.record import Progress
from pycore.train.state import PROMPTS, ROLLOUT, State, stream
from pycore.train.task import Graded, Task, together


@dataclass(frozen=True, eq=False)
class Drawn:
    """A filled batch and what it cost."""

    chosen: Index
    rollout: Rollout
    graded: Graded
    sampled: int
    tokens: int
    rejected: list[dict[str, Any]]


def fill(recipe: Recipe, state: State, task: Task) -> Generator[Progress | Part, None, Drawn]:
    """Draws prompts until the batch is full; without dynamic sampling the first draw is the batch."""
    dynamic = recipe.protocol.dynamic_sampling
    prompts = stream(recipe, PROMPTS, state.update)
    generator = stream(recipe, ROLLOUT, state.update)
    kept: list[tuple[Index, Rollout, Graded]] = []
    rejected: list[dict[str, Any]] = []
    sampled = tokens = found = 0
    used = np.zeros(task.sizes["train"], dtype=bool)
    for _ in range(recipe.rounds if dynamic else 1):
        left = int(np.count_nonzero(~used))
        if left == 0:
            break
        # A prompt is asked once a batch, so that no group is counted twice.
        known = state.experience
        free = np.flatnonzero(~used)
        fresh = Experience(known.right[free], known.seen[free], known.asked[free])
        chosen = free[draw(recipe.curriculum, fresh, min(recipe.batch, left), prompts)]
        used[chosen] = True
        asked = task.prompts("train", chosen)
        rollout = yield from in_parts(state.policy, "sample", asked, recipe.group, generator)
        graded = task.grade("train", chosen, rollout)
        sampled += rollout.lengths.size
        tokens += int(rollout.lengths.sum())
        flat = flat_groups(graded.reward) if dynamic else np.zeros(len(chosen), dtype=bool)
        for number in np.flatnonzero(flat):
            reason = "all right" if graded.correct[number].all() else "equal rewards"
            rejected.append({"prompt": int(chosen[number]), "reason": reason})
        accepted = np.flatnonzero(~flat)
        surplus = accepted[max(0, recipe.batch - found) :]
        rejected += [{"prompt": int(chosen[number]), "reason": "batch full"} for number in surplus]
        accepted = accepted[: max(0, recipe.batch - found)]
        if len(accepted) == len(chosen):
            kept.append((chosen, rollout, graded))
        elif len(accepted):
            kept.append((chosen[accepted], rollout.rows(accepted), _rows(graded, accepted)))
        found += len(accepted)
        yield Progress("generate", min(found, recipe.batch), recipe.batch)
        if found >= recipe.batch:
            break
    if not kept:
        # Nothing to learn from: the last flat groups go in, so that the record shows them and the gradient is zero.
        kept.append((chosen, rollout, graded))
    parts = [graded for _, _, graded in kept]
    return Drawn(
        np.concatenate([chosen for chosen, _, _ in kept]),
        join([rollout for _, rollout, _ in kept]),
        together(parts),
        sampled,
        tokens,
        rejected,
    )


def _rows(graded: Graded, rows: Index) -> Graded:
    parts = {name: part[rows] for name, part in graded.components.items()}
    return Graded(graded.reward[rows], graded.correct[rows], graded.unparsed[rows], parts)
