"""Oracle: step 6.3's rule worked by hand."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_the_shortest_right_answer_gains_half_and_the_shortest_wrong_one_nothing() -> None:
    shown = frame("kimi", answers=((1, 100), (1, 300), (1, 500), (0, 100)))
    assert list(shown.rows["pay"]) == pytest.approx([0.5, 0, -0.5, 0])


def test_prompts_are_drawn_by_their_failures() -> None:
    share = np.asarray(frame("kimi").sources["prompts"]["share"])
    failure = 1 - np.array([0.05, 0.25, 0.5, 0.75, 0.95])
    assert np.allclose(share, failure / failure.sum())


def test_a_large_weight_puts_brevity_above_truth() -> None:
    assert frame("kimi").case == "mixed"
    shown = frame("kimi", weight=3)
    assert shown.case == "upside"
    assert shown.values["margin"] < 0


def test_a_solved_group_has_a_signal_again() -> None:
    rows = frame("kimi", answers=((1, 120), (1, 260), (1, 500))).rows
    assert np.all(np.asarray(rows["plain"]) == 0)
    assert np.all(np.diff(rows["advantage"]) < 0)
