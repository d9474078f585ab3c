"""Oracles: finite differences, many samples, and the list of faults with the check that catches each."""

import numpy as np
import pytest

from web.labs import engine
from web.labs.step import policy
from web.labs.step.lab import FAULTS, compute

CATCHES = {
    "greedy": "distinct",
    "verifier": "differ",
    "axis": "spread",
    "engine": "sampler",
    "shift": "sampler",
    "dropout": "ratio",
    "padding": "counted",
    "live_old": "gradient",
    "mean": "formula",
    "unclipped": "norm",
}


def test_every_fault_is_caught_by_its_own_check_first() -> None:
    assert set(CATCHES) | {"none"} == set(FAULTS)
    for fault, check in CATCHES.items():
        assert engine.frame("step", fault=fault).values["failed"] == check, fault
        assert engine.frame("step", fault=fault).case == "caught"


def test_a_healthy_step_passes_all_checks_and_makes_right_responses_likelier() -> None:
    shown = engine.frame("step")
    assert (shown.case, shown.values["passed"], shown.values["checks"]) == ("healthy", 9, 9)
    assert shown.values["after"] > shown.values["before"]
    assert shown.values["loss"] == pytest.approx(0, abs=1)


def test_a_shift_leaves_every_ratio_at_one() -> None:
    assert engine.frame("step", fault="shift").values["widest"] == 0


def test_a_gradient_through_the_old_policy_is_exactly_zero() -> None:
    shown = engine.frame("step", fault="live_old")
    assert dict(zip(shown.rows["check"], shown.rows["value"], strict=True))["gradient"] == 0
    assert shown.values["after"] == shown.values["before"]


def test_the_seven_steps_come_one_by_one() -> None:
    values = {"fault": "none", "G": 8, "rate": 1.0, "seed": 0}
    cases = [frame.case for frame in compute(values)]
    assert cases == ["sample", "verify", "advantages", "old", "new", "loss", "healthy"]


def test_the_probability_of_success_is_that_of_many_samples() -> None:
    logits = policy.table(np.random.default_rng(3))
    drawn = policy.verify(policy.sample(logits, 40_000, np.random.default_rng(4)))
    assert policy.success(logits) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 200)
