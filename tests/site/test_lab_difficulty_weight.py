"""Oracle: the numbers of step 3.1, and the closed forms sqrt((1 - p) / p), 2 sqrt(p (1 - p)), 2 p (1 - p)."""

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
