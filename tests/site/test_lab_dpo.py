"""Oracle: the numbers of step 0.4, worked by hand there."""

from math import log

import pytest

from web.labs.engine import frame


def test_the_pair_of_the_step() -> None:
    values = frame("dpo").values
    assert values["margin"] == pytest.approx(0.3)
    assert values["loss_value"] == pytest.approx(0.5544, abs=5e-5)
    assert values["weight"] == pytest.approx(0.4256, abs=5e-5)


def test_the_control_value_does_not_depend_on_beta() -> None:
    for beta in (0.01, 0.1, 1.0):
        shown = frame("dpo", chosen=-22, rejected=-24, beta=beta)
        assert shown.case == "start"
        assert shown.values["loss_value"] == pytest.approx(log(2))


def test_two_pairs_with_one_loss() -> None:
    apart = frame("dpo", chosen=-20, rejected=-27)
    falling = frame("dpo", chosen=-23, rejected=-30)
    for shown in (apart, falling):
        assert shown.values["margin"] == pytest.approx(0.5)
        assert shown.values["loss_value"] == pytest.approx(0.474, abs=5e-4)
    assert apart.values["moved_chosen"] > 0 > falling.values["moved_chosen"]
    assert falling.case == "fell"


def test_the_pulls_are_opposite_where_lengths_agree() -> None:
    rows = frame("dpo").rows
    assert rows["up"][0] == pytest.approx(0.1 * frame("dpo").values["weight"])
    for up, down in zip(rows["up"], rows["down"], strict=True):
        assert up == pytest.approx(-down)
