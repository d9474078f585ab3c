"""What is written down of an update: its metrics, and sample responses token by token."""

from typing import Any

import numpy as np

from pycore.advantages import flat_groups
from pycore.diagnostics import length_statistics, mean_by_position, ratio_tails
from pycore.domain import Array
from pycore.policy import Rollout
from pycore.ratio import Floats
from pycore.train.drawn import Drawn
from pycore.train.evaluation import LEVELS
from pycore.train.passports import rollout_passport
from pycore.train.recipe import Recipe
from pycore.train.state import State
from pycore.train.task import Task

SHOWN_GROUPS, BEST_ANSWERS = 3, 20


def mean_kl(exact: Floats | None, logp: Floats, logp_ref: Floats | None, rollout: Rollout) -> float:
    """Mean KL to the base over the actions: exact where asked for, else the k3 estimate, NaN without a base."""
    if exact is not None:
        return float(exact[rollout.mask].mean())
    if logp_ref is None:
        return float("nan")
    gap = (logp_ref - logp)[rollout.mask]
    return float((np.expm1(gap) - gap).mean())


def describe(drawn: Drawn, state: State, log_ratio: Array) -> dict[str, float]:
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


def describe_series(drawn: Drawn, task: Task) -> dict[str, list[float]]:
    """What of an update is a list: by position of the response, and by difficulty of the prompt."""
    rollout, correct = drawn.rollout, drawn.graded.correct
    rows = rollout.mask.reshape(-1, rollout.shape[2])
    level = task.difficulty("train", drawn.chosen)
    return {
        "entropy_by_position": mean_by_position(rollout.entropy.reshape(rows.shape), rows).tolist(),
        "accuracy_by_difficulty": [
            float(correct[level == step].mean()) if np.any(level == step) else float("nan") for step in range(LEVELS)
        ],
    }


def samples(recipe: Recipe, state: State, drawn: Drawn, task: Task, advantages: Array, moved: Array) -> dict[str, Any]:
    """A few whole groups token by token, the answers with the highest reward, and one response's passport.

    Args:
        recipe: of the run.
        state: after the update.
        drawn: the batch.
        task: that reads prompts and responses out.
        advantages: shape (prompts, group), or one for each token.
        moved: change of each action's log-prob by the update, shape (prompts, group, tokens).
    """
    rollout, graded = drawn.rollout, drawn.graded

    def answer(prompt: int, member: int, *, tokens: bool) -> dict[str, Any]:
        told: dict[str, Any] = {
            "prompt": task.read("train", int(drawn.chosen[prompt])),
            "response": task.write(rollout.tokens[prompt, member]),
            "reward": float(graded.reward[prompt, member]),
            "correct": bool(graded.correct[prompt, member]),
            "advantage": float(np.mean(advantages[prompt, member])),
        }
        if tokens:
            active = rollout.mask[prompt, member]
            told["logp"] = [float(value) for value in rollout.logp[prompt, member][active]]
            # Of the sign of the advantage where the update did what was asked.
            told["moved"] = [float(value) for value in moved[prompt, member][active]]
        return told

    groups = [
        [answer(prompt, member, tokens=True) for member in range(rollout.shape[1])]
        for prompt in range(min(SHOWN_GROUPS, len(drawn.chosen)))
    ]
    best = np.argsort(-graded.reward.ravel(), kind="stable")[:BEST_ANSWERS]
    highest = [answer(*divmod(int(place), rollout.shape[1]), tokens=False) for place in best]
    passport = rollout_passport(recipe, state.update - 1, int(drawn.chosen[0]), rollout, graded, (0, 0))
    return {"groups": groups, "best": highest, "passport": passport}
