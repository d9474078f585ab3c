"""Oracles: step 1.1's four responses, a finite difference of the update, and the stages in their order."""

from typing import Any

import numpy as np
import pytest

from pycore.verify import verify_numeric
from web.labs.engine import frame, lab_of
from web.labs.frame import Frame
from web.labs.loop.lab import PROMPTS, ROUNDS, STAGES


def frames(**values: Any) -> list[Frame]:
    lab = lab_of("loop")
    return list(lab.compute({control.name: control.default for control in lab.controls} | values))  # type: ignore[arg-type]


def test_the_loop_has_its_stages_in_order_and_nothing_is_known_too_early() -> None:
    shown = frames()
    assert len(shown) == ROUNDS * len(STAGES)
    assert [each.case for each in shown[:5]] == list(STAGES)
    assert [len(each.rows["row"]) for each in shown[:2]] == [0, 4]
    assert np.isnan(shown[1].rows["reward"]).all()
    assert np.isnan(shown[2].rows["advantage"]).all()
    assert np.isnan(shown[3].rows["after"]).all()


def test_the_verdicts_are_the_verifiers() -> None:
    for reference, texts in PROMPTS.values():
        assert sum(chance for _, chance in texts) == pytest.approx(1)
        assert {verify_numeric(text, reference).reward for text, _ in texts} == {0, 1}
    # step 1.1: its four responses and their rewards
    rewards = [verify_numeric(text, "408").reward for text, _ in PROMPTS["1"][1][:4]]
    assert rewards == [1, 1, 0, 0]


def test_two_right_of_four_have_advantages_of_one() -> None:
    # step 1.1
    seen = [each for seed in range(20) for each in frames(seed=seed)[4:5] if each.values["right"] == 2]
    assert seen
    for each in seen:
        assert np.allclose(np.abs(each.rows["advantage"]), 1, atol=1e-5)


def test_the_update_is_a_step_along_the_slope_of_the_objective() -> None:
    shown = frames()[4]
    texts = [text for text, _ in PROMPTS["1"][1]]
    drawn = [texts.index(text) for text in shown.rows["text"]]
    start = np.log([chance for _, chance in PROMPTS["1"][1]])

    def objective(logits: np.ndarray) -> float:
        return float(np.mean(shown.rows["advantage"] * (logits - np.log(np.exp(logits).sum()))[drawn]))

    width = 1e-6 * np.eye(start.size)
    slope = np.array([(objective(start + each) - objective(start - each)) / 2e-6 for each in width])
    after = np.exp(start + 2 * slope)
    assert np.allclose(shown.sources["policy"]["probability"], after / after.sum(), atol=1e-6)


def test_a_group_of_equal_rewards_teaches_nothing() -> None:
    shown = frame("loop", prompt="3", seed=1)
    assert shown.case == "silent"
    assert shown.values["after"] == pytest.approx(shown.values["before"])


def test_without_an_update_the_policy_stays() -> None:
    last = frames(rate=0)[-1]
    assert np.allclose(last.sources["policy"]["probability"], last.sources["policy"]["before"])
    assert np.ptp(last.sources["progress"]["success"]) == pytest.approx(0)


def test_the_numbers_that_the_presets_quote() -> None:
    hard = frames(prompt="3", G=8)
    assert max(hard[4].rows["advantage"]) == pytest.approx(2.65, abs=5e-3)
    assert hard[-1].values["after"] > 0.3
    cancelled = frames(prompt="2", G=8, seed=2)[-1].sources["policy"]["probability"]
    assert np.asarray(cancelled)[1] == pytest.approx(0.78, abs=0.03)
