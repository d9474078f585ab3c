"""Oracle: the numbers of step 3.2, worked by hand there; sums over pieces done again by hand."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_a_token_of_a_short_wrong_answer_is_pushed_eight_times_as_hard() -> None:
    push = np.asarray(frame("length_weight").rows["response_mean"])
    assert push[1] == pytest.approx(-1 / 16)
    assert push[3] == pytest.approx(-1 / 2)
    assert push[3] / push[1] == pytest.approx(8)


def test_equal_weight_for_all_tokens_without_the_mean_inside_a_response() -> None:
    rows = frame("length_weight").rows
    assert np.allclose(np.abs(rows["token_mean"]), 4 / 30)
    assert np.allclose(np.abs(rows["constant"]), 1 / 16)


def test_only_the_mean_over_tokens_depends_on_the_split() -> None:
    shown = frame("length_weight", pieces=2)
    # Halves of 20 and 10 tokens: each half is averaged by itself and then counts for one half.
    expected = np.array([1, -1, 1, -1]) * 4 * np.array([1 / 40, 1 / 40, 1 / 20, 1 / 20])
    assert np.allclose(shown.rows["token_mean_split"], expected)
    assert shown.values["response_mean_error"] == pytest.approx(0, abs=1e-12)
    assert shown.values["constant_error"] == pytest.approx(0, abs=1e-12)
    assert frame("length_weight", pieces=2, rule="global").values["worst"] == pytest.approx(0, abs=1e-12)


def test_unequal_pieces_move_the_mean_inside_responses_as_well() -> None:
    three = ((1, 4), (0, 16), (1, 8))
    assert frame("length_weight", responses=three, pieces=2).values["response_mean_error"] > 0.1
