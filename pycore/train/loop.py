"""The run itself: roll out, verify, compute advantages, update several times, look, and say what happened.

`run` is a generator: whoever drives it decides when the next slice is computed, and may stop at any yield. Every random
number comes from a generator seeded by (seed, purpose, update), so that a run resumed from a checkpoint, or one that
was measured at other moments, trains exactly the same.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np

from pycore import arithmetic
from pycore.curriculum import Experience
from pycore.domain import Array, DomainError
from pycore.gru_policy import GruPolicy
from pycore.objective import Batch
from pycore.objective import evaluate as evaluate_objective
from pycore.policy import Policy
from pycore.split import split
from pycore.train.account import describe, describe_series, mean_kl, samples
from pycore.train.drawn import fill
from pycore.train.evaluation import evaluate
from pycore.train.part import Part, in_parts
from pycore.train.recipe import SPLITS, Recipe
from pycore.train.record import Checkpoint, Progress, Record
from pycore.train.state import AGAIN, EVALUATED, EVALUATION, SPLIT, WARM, WEIGHTS, State, begin, pack, restore, stream
from pycore.train.task import Sums, Task
from pycore.warm_start import warm_start

Step = Progress | Record | Checkpoint | Part


def sums(recipe: Recipe) -> Sums:
    """The recipe's prompts: equal for equal sizes and seeds."""
    return Sums(split(recipe.sizes, stream(recipe, SPLIT)))


def base_policy(recipe: Recipe, task: Sums | None = None) -> Generator[Progress | Part, None, GruPolicy]:
    """The warm start as a generator; returns the base that the run begins from."""
    sides = (task or sums(recipe)).split
    settings = recipe.warm_start
    # The base learns and speaks at temperature 1 over whole answers, whatever the run does later.
    policy = GruPolicy.new(recipe.network, arithmetic.grammar(), stream(recipe, WEIGHTS))
    for step in warm_start(policy, sides, settings, stream(recipe, WARM)):
        if step is None:
            yield Part()
        else:
            yield Progress("warm_start", step.step, settings.max_steps, step.accuracy)
    return policy.copy()


def run(
    recipe: Recipe,
    *,
    checkpoint: bytes | None = None,
    base: bytes | None = None,
    policy: Policy | None = None,
    state: State | None = None,
    task: Task | None = None,
) -> Iterator[Step]:
    """Trains, one slice at a time.

    Args:
        recipe: everything that decides the run.
        checkpoint: data of a `Checkpoint` of the same recipe: the run goes on after it with the very same records.
        base: a warm policy that `GruPolicy.save` wrote, to skip the warm start.
        policy: another policy to train, of any kind, warm already; it cannot be resumed from a checkpoint.
        state: such a policy with its base, experience and updates done: whoever holds it saves it and goes on from it.
        task: what that policy is trained on; the recipe's sums when None.

    Yields:
        Progress between slices, and Part within them; Record after every update and evaluation and for sample
        responses; Checkpoint as often as the recipe says. The last record has kind "end".

    Raises:
        DomainError: a checkpoint or base that does not fit the recipe; names what differs.

    Source: curriculum 5.4; the order of a step in lesson 5.
    """
    own = sums(recipe) if task is None else None
    known: Task | None = task if task is not None else own
    assert known is not None
    if state is not None:
        pass
    elif policy is not None:
        state = State(policy, policy.copy(), Experience.none(known.sizes["train"]), 0)
    elif checkpoint is not None:
        state = restore(recipe, checkpoint, known)
    elif base is not None:
        warm = GruPolicy.load(base, arithmetic.grammar())
        state = begin(recipe, warm, known)
    else:
        state = begin(recipe, (yield from base_policy(recipe, own)), known)
    stopped = ""
    if state.update == 0:
        stopped = yield from _look(recipe, state, known)
    while not stopped and state.update < recipe.updates:
        yield from _update(recipe, state, known)
        if state.update % recipe.evaluation.every == 0 and state.update < recipe.updates:
            stopped = yield from _look(recipe, state, known)
        if state.update % recipe.checkpoint_every == 0 and not stopped and isinstance(state.policy, GruPolicy):
            yield Checkpoint(state.update, pack(recipe, state))
    reason = stopped or "updates"
    if stopped or recipe.updates > 0:
        # Fresh generations: the numbers that met a rule were chosen for meeting it.
        yield from _look(recipe, state, known, final=True)
    yield Record("end", state.update, detail={"reason": reason})


def measure(recipe: Recipe, checkpoint: bytes, seed: int) -> Generator[Progress | Part, None, list[Record]]:
    """Measures the policy of a checkpoint on generations that no run has seen.

    Args:
        recipe: of the run; its `evaluation` may differ.
        checkpoint: data of a `Checkpoint`.
        seed: of the generations.

    Yields:
        Progress after each chunk, and Part within it.

    Returns:
        A record of kind "evaluation" for each split.

    Raises:
        DomainError: a checkpoint that does not fit the recipe.
    """
    task = sums(recipe)
    state = restore(recipe, checkpoint, task)
    records = []
    for side in range(len(SPLITS)):
        record = yield from _side(recipe, state, task, side, (AGAIN, seed))
        records.append(record)
    return records


def _side(
    recipe: Recipe, state: State, task: Task, side: int, purpose: tuple[int, ...]
) -> Generator[Progress | Part, None, Record]:
    """Evaluates one split."""
    settings = recipe.evaluation
    # The same prompts at every look, so that a difference is one of the policy.
    order = stream(recipe, EVALUATED, side).permutation(task.sizes[SPLITS[side]])
    return (
        yield from evaluate(
            state.policy,
            state.base,
            task,
            SPLITS[side],
            np.sort(order[: settings.prompts]),
            stream(recipe, *purpose, state.update, side),
            samples=settings.samples,
            group=recipe.group,
            update=state.update,
            chunk=settings.chunk,
        )
    )


def _look(recipe: Recipe, state: State, task: Task, *, final: bool = False) -> Generator[Step, None, str]:
    """Evaluates both splits; returns the words of the stop rule that was met, or nothing."""
    found: dict[str, Record] = {}
    for number, side in enumerate(SPLITS):
        record = yield from _side(recipe, state, task, number, (EVALUATION, int(final)))
        found[side] = replace(record, detail={"final": True}) if final else record
        yield found[side]
    for rule in recipe.stop:
        if rule.metric not in found[rule.split].metrics:
            raise DomainError("stop.metric", rule.metric, "one of " + ", ".join(found[rule.split].metrics))
        value = found[rule.split].metrics[rule.metric]
        if rule.met(value):
            bound = f">= {rule.at_least}" if rule.at_least is not None else f"<= {rule.at_most}"
            return f"{rule.split} {rule.metric} {bound}"
    return ""


def _update(recipe: Recipe, state: State, task: Task) -> Generator[Step, None, None]:
    """One rollout and its optimiser steps."""
    protocol, policy = recipe.protocol, state.policy
    drawn = yield from fill(recipe, state, task)
    rollout, graded = drawn.rollout, drawn.graded
    state.experience.learn(drawn.chosen, graded.correct, recipe.curriculum.memory)
    logp_ref = None
    if protocol.kl_coefficient > 0 and (protocol.kl != "exact" or protocol.kl_placement == "reward"):
        logp_ref = (yield from in_parts(state.base, "logp", rollout)).logp
    reference = state.base if protocol.kl_coefficient > 0 and protocol.kl == "exact" else None
    metrics: dict[str, float] = {}
    advantages: Array | None = None
    losses, clips, norms = [], [], []
    log_ratio = np.zeros(rollout.shape)
    for iteration in range(protocol.iterations):
        scores = yield from in_parts(policy, "logp", rollout, reference)
        log_ratio = np.where(rollout.mask, scores.logp - rollout.logp, 0.0)
        batch = Batch(
            logp=scores.logp,
            logp_old=rollout.logp,
            mask=rollout.mask,
            rewards=graded.reward,
            logp_ref=logp_ref,
            kl=scores.kl,
            entropy=scores.entropy,
            truncated=rollout.truncated,
        )
        result = evaluate_objective(protocol, batch)
        if iteration == 0:
            metrics |= {"mismatch": float(np.max(np.abs(np.expm1(log_ratio)))), "loss": result.loss}
            metrics["kl"] = mean_kl(scores.kl, scores.logp, logp_ref, rollout)
            advantages = result.advantages
        entropy = result.grad_entropy if protocol.entropy_coefficient > 0 else None
        grad_kl = result.grad_kl if reference is not None else None
        norms.append((yield from in_parts(policy, "backward", result.grad, entropy, grad_kl)))
        policy.step(recipe.learning_rate, recipe.max_norm)
        losses.append(result.loss)
        clips.append((result.clip_share_positive, result.clip_share_negative))
        yield Progress("update", iteration + 1, protocol.iterations)
    state.update += 1
    assert advantages is not None
    metrics |= describe(drawn, state, log_ratio)
    metrics["gradient_norm"] = float(np.mean(norms))
    # Each iteration has its own shares; a share over no tokens is NaN and says nothing.
    for side, name in enumerate(("clipped_positive", "clipped_negative")):
        shares = [pair[side] for pair in clips if not np.isnan(pair[side])]
        metrics[name] = float(np.mean(shares)) if shares else float("nan")
    series = {**describe_series(drawn, task), "loss_by_iteration": losses}
    yield Record("update", state.update, "", metrics, series, {"rejected": drawn.rejected} if drawn.rejected else {})
    if state.update % recipe.show_every == 0 or state.update == recipe.updates:
        moved = (yield from in_parts(policy, "logp", rollout)).logp - rollout.logp
        yield Record("samples", state.update, detail=samples(recipe, state, drawn, task, advantages, moved))
