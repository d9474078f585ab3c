"""Oracles: the three tokens of step 0.3 worked by hand, and which advantages one wrong guess can reach."""

import numpy as np
import pytest

from web.labs.engine import frame

STEP = ((-1.0, -1.5, 0.4), (-0.5, -0.5, 0.5), (-2.0, -1.0, 0.8))


def test_the_three_tokens_of_the_step_get_its_rewards_and_advantages() -> None:
    whole = frame("ppo_episode", tokens=STEP, lam=1)
    # step 0.3
    assert list(whole.rows["reward"]) == pytest.approx([-0.05, 0, 1.1])
    assert list(whole.rows["advantage"]) == pytest.approx([0.65, 0.6, 0.3])
    near = frame("ppo_episode", tokens=STEP, lam=0)
    assert list(near.rows["advantage"]) == pytest.approx([0.05, 0.3, 0.3])
    assert frame("ppo_episode", tokens=STEP, clamp=True).rows["reward"][2] == pytest.approx(1)


def test_without_discount_and_fee_an_advantage_is_the_grade_minus_the_guess() -> None:
    rows = frame("ppo_episode", lam=1, beta=0).rows
    # step 0.3: one terminal reward, gamma = lambda = 1
    assert np.allclose(rows["advantage"], 1 - np.asarray(rows["value"]))


@pytest.mark.parametrize(("lam", "reached"), [(1, 1), (0, 2), (0.5, 8)])
def test_a_wrong_guess_reaches_one_two_or_all_tokens_so_far(lam: float, reached: int) -> None:
    shown = frame("ppo_episode", lam=lam, error=0.5)
    assert shown.values["reached"] == reached
    assert shown.rows["change"][7] == pytest.approx(-0.5)
    assert np.allclose(shown.rows["change"][8:], 0)
    earlier = 0.5 * (1 - lam) * lam ** np.arange(7.0)
    assert np.allclose(shown.rows["change"][:7][::-1], earlier)


def test_the_clamp_turns_a_negative_fee_positive() -> None:
    assert frame("ppo_episode", beta=0.5).values["fee"] == pytest.approx(-0.45)
    assert frame("ppo_episode", beta=0.5, clamp=True).values["fee"] == pytest.approx(0.9)


def test_a_discount_fades_the_grade() -> None:
    shown = frame("ppo_episode", gamma=0.7, lam=1, beta=0)
    assert shown.rows["return"][0] == pytest.approx(0.7**11)


def test_an_answer_shorter_than_the_chosen_token_is_spoilt_at_its_end() -> None:
    shown = frame("ppo_episode", tokens=STEP, wrong=12, error=0.5)
    assert shown.values["where"] == 3
