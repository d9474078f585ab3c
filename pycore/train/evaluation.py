"""Measures a policy on fresh generations: success, pass@k, coverage, entropy, length and distance from the base."""

from collections.abc import Generator

import numpy as np

from pycore.argument import Index
from pycore.diagnostics import length_statistics, mean_by_position
from pycore.diversity import distinct_rows
from pycore.pass_at_k import pass_at_k
from pycore.policy import Policy, join
from pycore.train.part import Part, in_parts
from pycore.train.record import Progress, Record
from pycore.train.task import Task, together

KS = (1, 4, 16)
LEVELS = 3


def evaluate(
    policy: Policy,
    base: Policy,
    task: Task,
    split: str,
    chosen: Index,
    generator: np.random.Generator,
    *,
    samples: int,
    group: int,
    update: int,
    chunk: int = 64,
) -> Generator[Progress | Part, None, Record]:
    """Samples the chosen prompts of a split anew and describes what came back.

    Args:
        policy: what is measured.
        base: what the KL is measured against, exactly and by teacher forcing.
        task: prompts and verifier.
        split: "train" or "held_out".
        chosen: prompt numbers, shape (prompts,).
        generator: source of randomness.
        samples: responses to each prompt.
        group: responses that a group update would look at: the informative share is that of such groups.
        update: written into the record.
        chunk: prompts sampled between two yields.

    Yields:
        Progress after each chunk, and Part within it.

    Returns:
        Record of kind "evaluation".
    """
    parts, divergence, grades, distinct = [], [], [], []
    for start in range(0, len(chosen), chunk):
        part = chosen[start : start + chunk]
        rollout = yield from in_parts(policy, "sample", task.prompts(split, part), samples, generator)
        scores = yield from in_parts(policy, "logp", rollout, base)
        assert scores.kl is not None
        parts.append(rollout)
        divergence.append(scores.kl)
        grades.append(task.grade(split, part, rollout))
        distinct.append(distinct_rows(rollout.tokens))
        yield Progress("evaluate", min(start + chunk, len(chosen)), len(chosen))
    rollout, kl = join(parts), np.concatenate(divergence)
    graded = together(grades)
    mask = rollout.mask
    rows = mask.reshape(-1, mask.shape[2])
    right = graded.correct.sum(axis=1)
    total = np.full(right.shape, samples)
    lengths = length_statistics(rollout.lengths.ravel(), rollout.truncated.ravel())
    # Success rates speak of groups of any size: the share of subsets of `group` samples that mix right and wrong.
    size = min(group, samples)
    mixed = pass_at_k(total, right, size) + pass_at_k(total, total - right, size) - 1
    level = task.difficulty(split, chosen)
    metrics = {
        "accuracy": float(graded.correct.mean()),
        "reward": float(graded.reward.mean()),
        **{name: float(part.mean()) for name, part in graded.components.items()},
        "unparsed": float(graded.unparsed.mean()),
        "informative": float(mixed.mean()),
        **{f"pass_{k}": float(pass_at_k(total, right, k).mean()) for k in KS if k <= samples},
        "coverage": float((right > 0).mean()),
        "distinct": float(np.concatenate(distinct).mean()),
        "entropy": float(rollout.entropy[mask].mean()),
        "kl": float(kl[mask].mean()),
        "length": lengths.mean,
        "length_median": lengths.median,
        "length_tail": lengths.tail,
        "ended": lengths.ended,
        "truncated": lengths.truncated,
        "prompts": float(len(chosen)),
        "samples": float(samples),
    }
    series = {
        "entropy_by_position": mean_by_position(rollout.entropy.reshape(rows.shape), rows).tolist(),
        "kl_by_position": mean_by_position(kl.reshape(rows.shape), rows).tolist(),
        "accuracy_by_difficulty": [
            float(graded.correct[level == step].mean()) if np.any(level == step) else float("nan")
            for step in range(LEVELS)
        ],
    }
    return Record("evaluation", update, split, metrics, series)
