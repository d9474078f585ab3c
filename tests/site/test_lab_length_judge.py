"""Oracles: step 6.6's numbers, the odds written anew, and the tilted policy answer by answer."""

import numpy as np
import pytest

from pycore.tilt import tilted_policy
from web.labs.engine import frame
from web.labs.length_judge.lab import LONG_RIGHT, SHORT_RIGHT


def test_the_lab_opens_on_the_pair_of_the_step() -> None:
    values = frame("length_judge").values
    assert values["wins"] == pytest.approx(0.46, abs=0.005)  # step 6.6
    assert values["level"] == pytest.approx(0.7 / 0.3)
    assert frame("length_judge", share=0.5).values["wins"] == pytest.approx(0.67, abs=0.005)
    assert frame("length_judge", share=0.5, times=3).values["wins"] == pytest.approx(0.75)
    assert frame("length_judge", times=3).values["wins"] > 0.5
    assert frame("length_judge", b=0).values["wins"] == pytest.approx(0.3)
    assert np.isnan(frame("length_judge", b=0).values["level"])


def test_its_answers_are_as_long_as_those_of_the_two_sets_of_demonstrations() -> None:
    lengths = np.array([row[0] for row in SHORT_RIGHT])
    short = lengths[lengths < 100]
    # step 6.6: 24-39 tokens on average in some, 162-358 in others
    assert (short.min(), short.max()) == (24, 40)
    assert (lengths[lengths >= 100].min(), lengths.max()) == (162, 358)


@pytest.mark.parametrize("changes", [{}, {"beta": 0.1}, {"style": 1.0}, {"answers": LONG_RIGHT, "b": 2.0}])
def test_the_policies_are_the_references_tilted_by_score_and_by_verdict(changes: dict[str, float]) -> None:
    shown = frame("length_judge", **changes)
    rows = {name: np.asarray(column) for name, column in shown.rows.items()}
    even, beta = np.full(8, 1 / 8), changes.get("beta", 0.5)
    judge = tilted_policy(even, rows["score"].astype(float), beta).probability
    verifier = tilted_policy(even, (rows["verdict"] == "right").astype(float), beta).probability
    assert rows["judge"] == pytest.approx(judge)
    assert rows["verifier"] == pytest.approx(verifier)
    assert shown.values["judge_length"] == pytest.approx(judge @ rows["length"])


def test_the_judge_makes_answers_long_and_wrong_and_the_verifier_right() -> None:
    values = frame("length_judge").values
    assert (values["base_length"], values["base_right"]) == (121.25, 0.5)
    assert values["judge_length"] == pytest.approx(288, abs=1)
    assert values["judge_right"] == pytest.approx(0.08, abs=0.005)
    assert values["verifier_length"] == pytest.approx(53, abs=1)
    assert values["verifier_right"] == pytest.approx(1 / (1 + np.exp(-2)))


def test_the_correction_takes_too_little_where_mistakes_are_long_and_too_much_where_they_are_short() -> None:
    under = frame("length_judge", correction="length")
    over = frame("length_judge", correction="length", answers=LONG_RIGHT)
    assert (under.case, over.case) == ("under", "over")
    assert under.values["slope"] < 1 < over.values["slope"]
    assert under.values["corrected_right"] > under.values["judge_right"]
    assert over.values["corrected_right"] < over.values["judge_right"]


def test_among_equally_right_answers_the_slope_is_the_liking_itself() -> None:
    for answers in (SHORT_RIGHT, LONG_RIGHT):
        shown = frame("length_judge", correction="verdict", answers=answers, b=1.5)
        assert shown.case == "clean"
        assert shown.values["slope"] == pytest.approx(1.5)


def test_the_correction_harms_a_judge_without_a_liking() -> None:
    values = frame("length_judge", b=0, correction="length", answers=LONG_RIGHT).values
    assert values["slope"] > 0.3
    assert values["corrected_right"] < values["judge_right"] - 0.1


def test_with_length_taken_out_the_pressure_goes_into_lists() -> None:
    values = frame("length_judge", style=2, correction="length").values
    # what the surprise quotes
    assert values["corrected_list"] == pytest.approx(0.86, abs=0.005)
    assert values["corrected_right"] == pytest.approx(0.12, abs=0.005)
    assert np.mean([row[2] for row in SHORT_RIGHT]) == 0.25


def test_without_a_correction_nothing_of_it_is_shown() -> None:
    shown = frame("length_judge")
    assert len(shown.sources["path_corrected"]["right"]) == len(shown.sources["duel_corrected"]["wins"]) == 0
    assert np.all(np.isnan(np.asarray(shown.rows["corrected"])))
