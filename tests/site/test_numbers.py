"""Oracle: the course's own list of numbers. Each is shown by a lab and held to that lab's Frame by a named test."""

import pytest

from tests.site.numbers import given, holds, listed
from web.labs.engine import frame


def test_every_number_of_the_course_is_in_the_list_with_a_test_that_holds_it() -> None:
    entries = listed()
    assert [(entry.step, entry.name, entry.known) for entry in entries] == list(given())
    shown = [entry for entry in entries if entry.lab]
    assert len(shown) >= 65
    assert [entry for entry in shown if not holds(entry)] == []


def test_step_0_2_the_least_loss_of_the_cycle() -> None:
    assert frame("condorcet").values["best"] == pytest.approx(0.693, abs=5e-4)


def test_step_0_4_an_untrained_pair_has_the_loss_of_a_coin() -> None:
    curve = frame("dpo").sources["curve"]
    at_nought = dict(zip(curve["margin"].round(9), curve["loss"], strict=True))[0.0]
    assert at_nought == pytest.approx(0.6931, abs=5e-5)


def test_step_2_5_a_mean_over_all_keeps_three_quarters_of_the_slope() -> None:
    assert frame("estimators").values["mean_length"] == pytest.approx(0.75)


def test_step_3_2_a_token_of_a_long_and_of_a_short_wrong_answer() -> None:
    shown = frame("length_weight").values
    assert (shown["shortest_push"], shown["longest_push"]) == (-0.5, -0.0625)


def test_step_3_1_a_narrow_group_is_as_loud_as_a_wide_one() -> None:
    bars = frame("advantage", rewards=(0.9, 1, 1, 1), eps=1e-8).sources["bars"]["y"]
    assert bars[:4] == pytest.approx((-1.73, 0.58, 0.58, 0.58), abs=0.005)


def test_step_3_3_the_penalty_falls_from_nought_to_minus_one() -> None:
    penalty = frame("dapo", overlong=True, limit=100, cache=40).sources["curve"]["penalty"]
    assert (penalty[60], penalty[80], penalty[100]) == pytest.approx((0, -0.5, -1))
