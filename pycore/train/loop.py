"""The run itself: roll out, verify, compute advantages, update several times, look, and say what happened.

`run` is a generator: whoever drives it decides when the next slice is computed, and may stop at any yield. Every random
number comes from a generator seeded by (seed, purpose, update), so that a run resumed from a checkpoint, or one that
was measured at other moments, trains exactly the same.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pycore import arithmetic, snapshot
from pycore.advantages import flat_groups
from pycore.argument import Index
from pycore.curriculum import Experience, draw
from pycore.diagnostics import length_statistics, mean_by_position, ratio_tails
from pycore.domain import Array, DomainError
from pycore.gru_policy import GruPolicy
from pycore.objective import Batch, Evaluation
from pycore.objective import evaluate as evaluate_objective
from pycore.policy import Policy, Rollout, join
from pycore.split import split
from pycore.train.evaluation import LEVELS, evaluate
from pycore.train.recipe import SPLITS, Recipe
from pycore.train.record import Checkpoint, Progress, Record
from pycore.train.task import Graded, Sums, Task
from pycore.warm_start import warm_start

Step = Progress | Record | Checkpoint

# Purposes of random numbers; a new one gets a new number.
_SPLIT, _WEIGHTS, _WARM, _PROMPTS, _ROLLOUT, _EVALUATION, _EVALUATED = range(7)
SHOWN_GROUPS, BEST_ANSWERS = 3, 20


def stream(recipe: Recipe, purpose: int, *at: int) -> np.random.Generator:
    """The random numbers of one purpose at one moment."""
    return np.random.default_rng([recipe.seed, purpose, *at])


def sums(recipe: Recipe) -> Sums:
    """The recipe's prompts: equal for equal sizes and seeds."""
    return Sums(split(recipe.sizes, stream(recipe, _SPLIT)))


def base_policy(recipe: Recipe, task: Sums | None = None) -> Generator[Progress, None, GruPolicy]:
    """The warm start as a generator; returns the base that the run begins from."""
    sides = (task or sums(recipe)).split
    settings = recipe.warm_start
    # The base learns and speaks at temperature 1 over whole answers, whatever the run does later.
    policy = GruPolicy.new(recipe.network, arithmetic.grammar(), stream(recipe, _WEIGHTS))
    for step in warm_start(policy, sides, settings, stream(recipe, _WARM)):
        yield Progress("warm_start", step.step, settings.max_steps, step.accuracy)
    return policy.copy()


def run(
    recipe: Recipe,
    *,
    checkpoint: bytes | None = None,
    base: bytes | None = None,
    policy: Policy | None = None,
    task: Task | None = None,
) -> Iterator[Step]:
    """Trains, one slice at a time.

    Args:
        recipe: everything that decides the run.
        checkpoint: data of a `Checkpoint` of the same recipe: the run goes on after it with the very same records.
        base: a warm policy that `GruPolicy.save` wrote, to skip the warm start.
        policy: another policy to train, of any kind, warm already; it cannot be resumed from a checkpoint.
        task: what that policy is trained on; the recipe's sums when None.

    Yields:
        Progress between slices; Record after every update and evaluation and for sample responses; Checkpoint as often
        as the recipe says. The last record has kind "end".

    Raises:
        DomainError: a checkpoint or base that does not fit the recipe; names what differs.

    Source: curriculum 5.4; the order of a step in lesson 5.
    """
    own = sums(recipe) if task is None else None
    known: Task | None = task if task is not None else own
    assert known is not None
    if policy is not None:
        state = _State(policy, policy.copy(), Experience.none(known.sizes["train"]), 0)
    elif checkpoint is not None:
        state = _restore(recipe, checkpoint, known)
    elif base is not None:
        warm = GruPolicy.load(base, arithmetic.grammar())
        state = _begin(recipe, warm, known)
    else:
        state = _begin(recipe, (yield from base_policy(recipe, own)), known)
    stopped = ""
    if state.update == 0:
        stopped = yield from _look(recipe, state, known)
    while not stopped and state.update < recipe.updates:
        yield from _update(recipe, state, known)
        if state.update % recipe.evaluation.every == 0 and state.update < recipe.updates:
            stopped = yield from _look(recipe, state, known)
        if state.update % recipe.checkpoint_every == 0 and not stopped and isinstance(state.policy, GruPolicy):
            yield Checkpoint(state.update, _pack(recipe, state))
    reason = stopped or "updates"
    if stopped or recipe.updates > 0:
        # Fresh generations: the numbers that met a rule were chosen for meeting it.
        yield from _look(recipe, state, known, final=True)
    yield Record("end", state.update, detail={"reason": reason})


@dataclass(eq=False)
class _State:
    """What changes during a run."""

    policy: Policy
    base: Policy
    experience: Experience
    update: int


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A filled batch and what it cost."""

    chosen: Index
    rollout: Rollout
    graded: Graded
    sampled: int
    tokens: int
    rejected: list[dict[str, Any]]


def _begin(recipe: Recipe, warm: GruPolicy, task: Task) -> _State:
    if warm.size != recipe.network:
        raise DomainError("base.size", warm.size, f"{recipe.network}")
    warm = warm.copy().with_decoding(recipe.decoding, arithmetic.grammar(recipe.max_tokens))
    return _State(warm, warm.copy(), Experience.none(task.sizes["train"]), 0)


def _look(
    recipe: Recipe, state: _State, task: Task, *, final: bool = False
) -> Generator[Step, None, str]:
    """Evaluates both splits; returns the words of the stop rule that was met, or nothing."""
    settings = recipe.evaluation
    found: dict[str, Record] = {}
    for number, side in enumerate(SPLITS):
        # The same prompts at every look, so that a difference is one of the policy.
        order = stream(recipe, _EVALUATED, number).permutation(task.sizes[side])
        chosen = np.sort(order[: settings.prompts])
        found[side] = yield from evaluate(
            state.policy,
            state.base,
            task,
            side,
            chosen,
            stream(recipe, _EVALUATION, state.update, number, int(final)),
            samples=settings.samples,
            group=recipe.group,
            update=state.update,
            chunk=settings.chunk,
        )
        if final:
            found[side] = replace(found[side], detail={"final": True})
        yield found[side]
    for rule in recipe.stop:
        if rule.metric not in found[rule.split].metrics:
            raise DomainError("stop.metric", rule.metric, "one of " + ", ".join(found[rule.split].metrics))
        value = found[rule.split].metrics[rule.metric]
        if rule.met(value):
            bound = f">= {rule.at_least}" if rule.at_least is not None else f"<= {rule.at_most}"
            return f"{rule.split} {rule.metric} {bound}"
    return ""


def _update(recipe: Recipe, state: _State, task: Task) -> Generator[Step, None, None]:
    """One rollout and its optimiser steps."""
    protocol, policy = recipe.protocol, state.policy
    drawn = yield from _fill(recipe, state, task)
    rollout, graded = drawn.rollout, drawn.graded
    state.experience.learn(drawn.chosen, graded.correct, recipe.curriculum.memory)
    logp_ref = None
    if protocol.kl_coefficient > 0 and (protocol.kl != "exact" or protocol.kl_placement == "reward"):
        logp_ref = state.base.logp(rollout).logp
    reference = state.base if protocol.kl_coefficient > 0 and protocol.kl == "exact" else None
    metrics: dict[str, float] = {}
    advantages: Array | None = None
    losses, clips, norms = [], [], []
    log_ratio = np.zeros(rollout.shape)
    for iteration in range(protocol.iterations):
        scores = policy.logp(rollout, reference)
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
            metrics["kl"] = _mean_kl(scores.kl, scores.logp, logp_ref, rollout)
            advantages = result.advantages
        entropy = result.grad_entropy if protocol.entropy_coefficient > 0 else None
        norms.append(policy.backward(result.grad, entropy, result.grad_kl if reference is not None else None))
        policy.step(recipe.learning_rate, recipe.max_norm)
        losses.append(result.loss)
        clips.append((result.clip_share_positive, result.clip_share_negative))
        yield Progress("update", iteration + 1, protocol.iterations)
    state.update += 1
    assert advantages is not None
    metrics |= _describe(drawn, state, log_ratio)
    metrics["gradient_norm"] = float(np.mean(norms))
    # Each iteration has its own shares; a share over no tokens is NaN and says nothing.
    for side, name in enumerate(("clipped_positive", "clipped_negative")):
        shares = [pair[side] for pair in clips if not np.isnan(pair[side])]
        metrics[name] = float(np.mean(shares)) if shares else float("nan")
    level = task.difficulty("train", drawn.chosen)
    rows = rollout.mask.reshape(-1, rollout.shape[2])
    series = {
        "entropy_by_position": mean_by_position(rollout.entropy.reshape(rows.shape), rows).tolist(),
        "accuracy_by_difficulty": [
            float(graded.correct[level == step].mean()) if np.any(level == step) else float("nan")
            for step in range(LEVELS)
        ],
        "loss_by_iteration": losses,
    }
    yield Record("update", state.update, "", metrics, series, {"rejected": drawn.rejected} if drawn.rejected else {})
    if state.update % recipe.show_every == 0 or state.update == recipe.updates:
        after = policy.logp(rollout)
        yield Record("samples", state.update, detail=_samples(drawn, task, advantages, after.logp - rollout.logp))


def _fill(recipe: Recipe, state: _State, task: Task) -> Generator[Step, None, _Drawn]:
    """Draws prompts until the batch is full; without dynamic sampling the first draw is the batch."""
    dynamic = recipe.protocol.dynamic_sampling
    prompts = stream(recipe, _PROMPTS, state.update)
    generator = stream(recipe, _ROLLOUT, state.update)
    kept: list[tuple[Index, Rollout, Graded]] = []
    rejected: list[dict[str, Any]] = []
    sampled = tokens = found = 0
    used = np.zeros(task.sizes["train"], dtype=bool)
    for _ in range(recipe.rounds if dynamic else 1):
        left = np.count_nonzero(~used)
        if left == 0:
            break
        # A prompt is asked once a batch, so that no group is counted twice.
        known = state.experience
        free = np.flatnonzero(~used)
        fresh = Experience(known.right[free], known.seen[free], known.asked[free])
        chosen = free[draw(recipe.curriculum, fresh, min(recipe.batch, left), prompts)]
        used[chosen] = True
        rollout = state.policy.sample(task.prompts("train", chosen), recipe.group, generator)
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
    whole = parts[0] if len(parts) == 1 else _together(parts)
    return _Drawn(
        np.concatenate([chosen for chosen, _, _ in kept]),
        join([rollout for _, rollout, _ in kept]),
        whole,
        sampled,
        tokens,
        rejected,
    )


def _rows(graded: Graded, rows: Index) -> Graded:
    parts = {name: part[rows] for name, part in graded.components.items()}
    return Graded(graded.reward[rows], graded.correct[rows], graded.unparsed[rows], parts)


def _together(parts: list[Graded]) -> Graded:
    components = {name: np.concatenate([part.components[name] for part in parts]) for name in parts[0].components}
    whole = (np.concatenate([getattr(part, name) for part in parts]) for name in ("reward", "correct", "unparsed"))
    return Graded(*whole, components)


def _mean_kl(exact: Any, logp: Array, logp_ref: Array | None, rollout: Rollout) -> float:
    """Mean KL to the base over the actions; the k3 estimate where the exact one was not asked for, NaN without a base."""
    if exact is not None:
        return float(exact[rollout.mask].mean())
    if logp_ref is None:
        return float("nan")
    gap = (logp_ref - logp)[rollout.mask]
    return float((np.expm1(gap) - gap).mean())


def _describe(drawn: _Drawn, state: _State, log_ratio: Array) -> dict[str, float]:
    """Metrics of one update that do not depend on the protocol."""
    rollout, graded = drawn.rollout, drawn.graded
    lengths = length_statistics(rollout.lengths.ravel(), rollout.truncated.ravel())
    tails = ratio_tails(log_ratio, rollout.mask)
    informative = int(np.count_nonzero(~flat_groups(graded.reward)))
    return {
        "reward": float(graded.reward.mean()),
        "accuracy": float(graded.correct.mean()),
        **{name: float(part.mean()) for name, part in graded.components.items()},
        "unparsed": float(graded.unparsed.mean()),
        "informative": informative / len(drawn.chosen),
        "entropy": float(rollout.entropy[rollout.mask].mean()),
        "ratio_low": tails.low,
        "ratio_high": tails.high,
        "ratio_outside": tails.outside,
        "effective_share": tails.effective_share,
        "rollout_age": 0.0,
        "repeats": float(state.experience.asked[drawn.chosen].mean() - 1),
        "length": lengths.mean,
        "length_median": lengths.median,
        "length_tail": lengths.tail,
        "ended": lengths.ended,
        "truncated": lengths.truncated,
        "sampled": float(drawn.sampled),
        "rejected": float(len(drawn.rejected)),
        "tokens": float(drawn.tokens),
        "tokens_per_effective_prompt": drawn.tokens / informative if informative else float("nan"),
    }


def _samples(drawn: _Drawn, task: Task, advantages: Array, moved: Array) -> dict[str, Any]:
    """A few whole groups, token by token, and the answers with the highest reward."""
    rollout, graded = drawn.rollout, drawn.graded

    def answer(prompt: int, member: int, *, tokens: bool) -> dict[str, Any]:
        gain = advantages[prompt, member]
        told: dict[str, Any] = {
            "prompt": task.read("train", int(drawn.chosen[prompt])),
            "response": task.write(rollout.tokens[prompt, member]),
            "reward": float(graded.reward[prompt, member]),
            "correct": bool(graded.correct[prompt, member]),
            "advantage": float(np.mean(gain)),
        }
        if tokens:
            active = rollout.mask[prompt, member]
            told["logp"] = [float(value) for value in rollout.logp[prompt, member][active]]
            # Positive where the update went the way the advantage points.
            told["moved"] = [float(value) for value in moved[prompt, member][active]]
        return told

    shown = min(SHOWN_GROUPS, len(drawn.chosen))
    groups = [[answer(p, g, tokens=True) for g in range(rollout.shape[1])] for p in range(shown)]
    best = np.argsort(-graded.reward.ravel(), kind="stable")[:BEST_ANSWERS]
    pairs = [divmod(int(place), rollout.shape[1]) for place in best]
    return {"groups": groups, "best": [answer(p, g, tokens=False) for p, g in pairs]}


def _pack(recipe: Recipe, state: _State) -> bytes:
    policy, base = state.policy, state.base
    assert isinstance(policy, GruPolicy) and isinstance(base, GruPolicy)
    facts = {"recipe": recipe.to_dict(), "update": state.update, "steps": policy.adam.steps}
    experience = {name: getattr(state.experience, name) for name in ("right", "seen", "asked")}
    arrays = {"weights": policy.vector, "first": policy.adam.first, "second": policy.adam.second, "base": base.vector}
    return snapshot.pack(facts, arrays | experience)


def _restore(recipe: Recipe, data: bytes, task: Task) -> _State:
    facts, arrays = snapshot.unpack(data)
    missing = {"recipe", "update", "steps"} - set(facts) | {"weights", "first", "second", "base"} - set(arrays)
    if missing:
        raise DomainError("checkpoint", sorted(missing), "a checkpoint of a run: these are missing")
    expected = recipe.to_dict()
    for name, value in facts["recipe"].items():
        if expected.get(name) != value:
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
    return _State(policy, base, experience, int(facts["update"]))
