"""Oracle: the numbers of step 2.4, worked by hand there."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_a_fresh_group_has_zero_loss_and_the_gradients_of_the_step() -> None:
    shown = frame("zero_loss")
    assert shown.values["loss"] == 0
    # A / (G |o|): 1 / (4 * 3) and 1 / (4 * 6).
    assert np.allclose(shown.rows["slope"], [0.0833, 0.0417, -0.0833, -0.0417], atol=5e-5)


def test_the_parts_add_up_to_the_policys_loss() -> None:
    for values in ({}, {"drift": 0.1}, {"drift": 0.4}, {"aggregation": "token_mean"}, {"aggregation": "constant"}):
        shown = frame("zero_loss", **values)
        assert np.sum(shown.rows["term"]) == pytest.approx(shown.values["policy"], abs=1e-15)


def test_an_empty_group_is_moved_by_the_anchor_only() -> None:
    flat = ((1, 3), (1, 6), (1, 3), (1, 6))
    assert frame("zero_loss", responses=flat).case == "still"
    anchored = frame("zero_loss", responses=flat, beta=0.1)
    assert anchored.case == "anchor"
    # 1 - e^x with x = log ref - log pi: the push of k3 back to the reference, spread over group and length.
    assert anchored.rows["slope"][0] == pytest.approx(-0.1 * (1 - np.exp(-0.3)) / (4 * 3))
