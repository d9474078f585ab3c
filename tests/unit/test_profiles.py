"""Oracle: what the two profiles promise, on one fixed seed, cut short; the whole runs are recorded (test_recorded)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pycore import arithmetic
from pycore.gru_policy import GruPolicy
from pycore.train import COLLAPSE, HEALTHY, Evaluating, Recipe, Record, run, sums
from pycore.train.outcome import before_after
from pycore.warm_start import exact_success

BASE = (Path(__file__).parents[2] / "web/recorded/base-0.bin").read_bytes()
LOOK = Evaluating(every=1000, prompts=128, samples=8)


def moves(recipe: Recipe) -> dict[tuple[str, str], float]:
    """Change of every metric from before to after."""
    records = [step for step in run(recipe, base=BASE) if isinstance(step, Record)]
    return {(c.split, c.metric): c.difference for c in before_after(records)}


def test_the_recorded_base_stands_at_the_accuracy_of_the_warm_start():
    policy = GruPolicy.load(BASE, arithmetic.grammar())
    success = exact_success(policy, sums(HEALTHY).split.probe).mean()
    assert HEALTHY.warm_start.accuracy <= success < HEALTHY.warm_start.accuracy + 0.03


def test_collapse_pays_for_its_training_accuracy_with_everything_else():
    found = moves(replace(COLLAPSE, updates=24, stop=(), evaluation=LOOK))
    assert found["train", "accuracy"] > 0.05
    for split in ("train", "held_out"):
        assert found[split, "pass_4"] < -0.05
        assert found[split, "entropy"] < -0.1
    assert found["held_out", "accuracy"] < -0.1
    assert found["held_out", "kl"] > 0.3


def test_healthy_carries_over_to_sums_it_has_never_seen():
    found = moves(replace(HEALTHY, updates=60, evaluation=LOOK))
    for split in ("train", "held_out"):
        assert found[split, "accuracy"] > 0.04
        assert found[split, "pass_4"] > 0
    assert found["held_out", "kl"] < 0.3


@pytest.mark.parametrize("side", ["train", "held_out"])
def test_sampled_accuracy_of_the_base_agrees_with_the_exact_one(side):
    recipe = replace(HEALTHY, updates=0, evaluation=Evaluating(prompts=64, samples=64))
    looks = {step.split: step for step in run(recipe, base=BASE) if isinstance(step, Record)}
    policy = GruPolicy.load(BASE, arithmetic.grammar())
    pairs = getattr(sums(recipe).split, side)
    whole = exact_success(policy, pairs).mean()
    # 64 prompts of many, 64 answers each: four standard errors of the prompts' spread.
    spread = 4 * np.sqrt(whole * (1 - whole) / 64)
    assert looks[side].metrics["accuracy"] == pytest.approx(whole, abs=spread)
