"""Oracle: the numbers of step 4.2 and the tilted policy, where the exact gradient must come to rest."""

import numpy as np
import pytest

from pycore.tilt import tilted_policy
from web.labs.engine import frame


@pytest.mark.parametrize(("beta", "share"), [(1.0, 0.525), (0.1, 0.731), (0.02, 0.993)])
def test_the_share_at_rest(beta: float, share: float) -> None:
    # step 4.2
    rest = frame("diversity", beta=beta).values["rest"]
    assert rest == pytest.approx(share, abs=5e-4)
    assert rest == pytest.approx(tilted_policy([0.5, 0.5], [0.9, 0.8], beta).probability[0])


@pytest.mark.parametrize("base", [0.5, 0.8])
def test_the_exact_run_comes_to_rest_there(base: float) -> None:
    values = frame("diversity", beta=0.2, base=base, steps=200).values
    assert values["share"] == pytest.approx(values["rest"], abs=1e-3)
    assert values["rest"] == pytest.approx(tilted_policy([base, 1 - base], [0.9, 0.8], 0.2).probability[0])


def test_with_an_even_reference_bonus_and_penalty_are_one_force() -> None:
    penalty, bonus = frame("diversity", beta=0.2), frame("diversity", bonus=0.2)
    assert np.allclose(penalty.rows["share"], bonus.rows["share"])
    assert frame("diversity", beta=0.2, base=0.8).values["rest"] != pytest.approx(
        frame("diversity", bonus=0.2, base=0.8).values["rest"], abs=0.05
    )


def test_pass_at_four_falls_while_training_prompts_improve() -> None:
    values = frame("diversity").values
    assert values["four_before"] == pytest.approx(0.9375)  # step 4.2
    assert values["four_after"] < 0.56
    assert values["training_after"] > values["training_before"]
    assert values["share"] > 0.95


def test_equal_rewards_leave_the_mean_and_part_the_runs() -> None:
    values = frame("diversity", second=0.9, steps=200).values
    assert values["share"] == pytest.approx(0.5)
    assert values["highest"] - values["lowest"] > 0.8
    held = frame("diversity", second=0.9, steps=200, beta=0.3).values
    assert held["highest"] - held["lowest"] < 0.5


def test_asking_about_the_second_way_turns_the_lead() -> None:
    assert frame("diversity", only=1 / 11).values["rest"] == pytest.approx(0.5)
    assert frame("diversity", only=0.2).values["rest"] == 0


def test_sampled_runs_follow_the_exact_gradient_when_batches_are_large() -> None:
    rows = frame("diversity", batch=128, beta=0.1).rows
    assert rows["low"][-1] - 0.05 < rows["share"][-1] < rows["high"][-1] + 0.05
    assert rows["high"][-1] - rows["low"][-1] < 0.3
