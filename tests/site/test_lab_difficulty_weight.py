"""Oracles: the numbers of step 3.1, and the closed forms sqrt((1 - p) / p), 2 sqrt(p (1 - p)), 2 p (1 - p); for
one's own groups, rewards written out one by one."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_one_success_of_sixteen_is_amplified_four_times_and_eight_twice() -> None:
    rare, half = frame("difficulty_weight").values, frame("difficulty_weight", p=0.5).values
    assert rare["success_none"] == pytest.approx(0.9375)
    assert rare["deviation"] == pytest.approx(0.242, abs=5e-4)
    assert rare["success_group_std"] == pytest.approx(3.87, abs=5e-3)
    assert rare["amplified"] == pytest.approx(4.1, abs=0.05)
    assert (half["success_none"], half["deviation"]) == (0.5, 0.5)
    assert half["success_group_std"] == pytest.approx(1)
    assert half["amplified"] == pytest.approx(2)


def test_tiny_differences_get_the_advantages_of_large_ones() -> None:
    large, tiny = (frame("difficulty_weight", p=0.75, G=4, unit=unit).values for unit in (1, 0.1))
    assert large["success_none"] == pytest.approx(0.25)
    assert tiny["success_none"] == pytest.approx(0.025)
    assert large["success_group_std"] == pytest.approx(tiny["success_group_std"])


def test_the_curves_are_their_closed_forms() -> None:
    rows = frame("difficulty_weight", G=32).rows
    p = np.asarray(rows["p"])
    assert np.allclose(rows["success_group_std"], np.sqrt((1 - p) / p))
    assert np.allclose(rows["weight_group_std"], 2 * np.sqrt(p * (1 - p)))
    assert np.allclose(rows["weight_none"], 2 * p * (1 - p))
    assert np.allclose(rows["weight_mean"], 2 * (1 - p))


def written_out(share: float, unit: float, eps: float) -> dict[str, float]:
    """Mean size of an advantage, by scaling, of a group of forty whose rewards stand there one by one."""
    rewards = np.array([unit] * round(40 * share) + [0.0] * round(40 * (1 - share)))
    centred = np.abs(rewards - rewards.mean()).mean()
    if centred == 0:
        return {"none": 0, "group_std": 0, "mean": 0}
    divisors = {"none": 1, "group_std": rewards.std() + eps, "mean": rewards.mean() + eps}
    return {name: float(centred / by) for name, by in divisors.items()}


@pytest.mark.parametrize(("unit", "eps"), [(1, 0), (0.5, 0.1), (10, 0.01)])
def test_ones_own_groups_share_the_weight_as_their_rewards_written_out_do(unit: float, eps: float) -> None:
    shares = [0, 0.1, 0.1, 0.25, 0.5, 0.9, 1]
    shown = frame("difficulty_weight", source="own", own=[[p] for p in shares], p=0.25, unit=unit, eps=eps)
    weights = [written_out(p, unit, eps) for p in shares]
    assert (shown.case, shown.values["below"], shown.values["count"]) == ("own", 4, 7)
    for scale in ("none", "group_std", "mean"):
        each = [one[scale] for one in weights]
        assert shown.values[f"part_{scale}"] == pytest.approx(sum(each[:4]) / sum(each))
        marked = dict(zip(shown.sources["own"]["p"], shown.sources["own"][f"weight_{scale}"], strict=True))
        assert marked == pytest.approx(dict(zip(shares, each, strict=True)))


def test_the_five_rare_successes_of_the_prepared_groups_weigh_what_the_scaling_lets_them() -> None:
    values = frame("difficulty_weight", source="own").values
    assert (values["below"], values["count"]) == (7, 16)
    parts = [values[f"part_{scale}"] for scale in ("none", "group_std", "mean")]
    assert parts == pytest.approx([0.15, 0.255, 0.54], abs=0.005)


def test_groups_without_differences_have_no_weight_to_share() -> None:
    shown = frame("difficulty_weight", source="own", own=[[0], [1], [1]], eps=0.01)
    assert shown.case == "own_silent"
    assert np.isnan(shown.values["part_mean"])
