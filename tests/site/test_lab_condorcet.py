"""Oracle: the curriculum's numbers of step 0.2, worked by hand there."""

from math import log

import pytest

from web.labs import engine


def test_the_cycle_of_seventy_per_cent() -> None:
    shown = engine.frame("condorcet")
    assert shown.case == "cycle"
    assert shown.rows["wanted"] == pytest.approx([log(7 / 3)] * 3)
    assert round(log(7 / 3), 3) == 0.847
    assert shown.values["needed"] == pytest.approx(2.54, abs=0.005)
    assert (shown.values["best"], shown.values["entropy"]) == pytest.approx((log(2), 0.611), abs=0.0005)
    assert shown.values["gap"] == pytest.approx(0.082, abs=0.0005)
    assert shown.values["mixture"] == pytest.approx(0.5)


def test_three_consistent_annotators_make_condorcets_cycle() -> None:
    shown = engine.frame("condorcet", source="rankings")
    assert shown.values["cycle"] == "A → B → C → A"
    assert shown.rows["observed"] == pytest.approx([2 / 3] * 3)
    assert shown.rows["promised"] == pytest.approx([0.5] * 3)


def test_a_winner_may_leave_a_gap_too() -> None:
    shown = engine.frame("condorcet", **engine.lab_of("condorcet").presets["surprise"])  # type: ignore[arg-type]
    assert shown.case == "winner"
    assert shown.rows["observed"] == pytest.approx([0.8, 0.6, 0.8])
    assert shown.values["gap"] > 0.05


def test_an_answer_that_a_ranking_does_not_name_stands_last() -> None:
    short = engine.frame("condorcet", source="rankings", rankings=((1, "ABCD"), (1, "BCA")))
    whole = engine.frame("condorcet", source="rankings", rankings=((1, "ABCD"), (1, "BCAD")))
    assert short.rows["observed"] == pytest.approx(whole.rows["observed"])
