"""Oracle: the numbers of step 0.1, by hand there; the logistic function and the normal law written out."""

from math import exp, log, sqrt
from statistics import NormalDist

import pytest

from web.labs.engine import frame


def test_two_against_one() -> None:
    values = frame("preference").values
    assert values["win"] == pytest.approx(0.731, abs=5e-4)
    assert values["loss_value"] == pytest.approx(0.313, abs=5e-4)
    assert values["gradient"] == pytest.approx(1 / (1 + exp(-1)) - 1)


def test_a_common_shift_changes_nothing() -> None:
    plain, shifted = (frame("preference", shift=shift).values for shift in (0, 10))
    assert plain["win"] == pytest.approx(shifted["win"])
    assert shifted["r_a"] == 12


def test_gaussian_errors_give_the_probit() -> None:
    values = frame("preference", law="gaussian", scale=2).values
    assert values["win"] == pytest.approx(NormalDist().cdf(1 / (2 * sqrt(2))))


def test_a_tie_costs_the_logarithm_of_two() -> None:
    shown = frame("preference", b=2)
    assert shown.case == "tie"
    assert shown.values["loss_value"] == pytest.approx(log(2))
