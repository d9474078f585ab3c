"""Oracles: step 0.5's numbers, the closed form written anew, and the exact curves against the simulated points."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_the_lab_opens_where_the_mark_has_risen_and_the_truth_is_back_at_zero() -> None:
    shown = frame("goodhart")
    assert shown.case == "past"
    assert shown.values["proxy"] == pytest.approx(7.5)
    assert shown.values["true"] == pytest.approx(0)
    # step 0.5: the truth turns at 4.7 nats
    assert shown.values["turn"] == pytest.approx(4.6875)
    assert shown.values["peak"] == pytest.approx(1.25)


def test_noise_alone_promises_twice_what_it_delivers() -> None:
    shown = frame("goodhart", noise=1, bonus=0, n=16)
    # step 0.5: the best of 16
    assert shown.values["best_proxy"] == pytest.approx(2.497, abs=5e-4)
    assert shown.values["best_true"] == pytest.approx(1.249, abs=5e-4)
    assert shown.values["best_kl"] == pytest.approx(np.log(16) - 15 / 16)
    assert shown.case == "straight"
    assert np.all(np.diff(shown.sources["true"]["true"]) > 0)


def test_noise_moves_the_mark_and_not_the_truth_at_the_same_beta() -> None:
    calm, loud = frame("goodhart"), frame("goodhart", noise=2)
    assert loud.values["proxy"] == pytest.approx(26.25)
    assert loud.values["true"] == pytest.approx(calm.values["true"])


def test_the_turn_is_the_top_of_the_true_curve() -> None:
    shown = frame("goodhart", beta=0.4)
    assert shown.values["true"] == pytest.approx(shown.values["peak"])
    assert max(shown.sources["true"]["true"]) <= shown.values["peak"]
    assert frame("goodhart", beta=0.45).case == "before"


def test_at_the_same_divergence_no_choice_earns_a_higher_mark_than_the_anchored_optimum() -> None:
    rows = frame("goodhart").rows
    assert np.all(np.asarray(rows["best_proxy"]) <= np.asarray(rows["proxy"]) + 1e-6)


def test_the_simulation_agrees_with_the_exact_values() -> None:
    shown = frame("goodhart", n=16, beta=1)
    for side in ("proxy", "true"):
        drawn = shown.sources[f"drawn_{side}"]
        exact = np.array([shown.values[f"best_{side}"], shown.values[side]])
        # Whiskers are two standard errors; four are not exceeded by chance.
        assert np.all(np.abs(np.asarray(drawn["mean"]) - exact) < 2 * (np.asarray(drawn["high"]) - drawn["mean"]))


def test_what_is_covered_stands_nowhere() -> None:
    shown = frame("goodhart", cover=True)
    assert shown.case == "covered"
    assert len(shown.sources["true"]["true"]) == 0
    assert np.isnan(shown.values["true"])
    assert np.all(np.isnan(shown.rows["true"]))
