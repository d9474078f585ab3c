"""Oracle: step 3.3's rules worked by hand on the lab's own twelve responses."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_clip_higher_wakes_the_two_tokens_beyond_the_lower_bound() -> None:
    plain, higher = frame("dapo"), frame("dapo", higher=True)
    push = np.asarray(plain.rows["push"])
    # exp(0.23) and exp(0.22) lie between 1.2 and 1.28.
    assert push[0] == push[9] == 0
    woken = np.asarray(higher.rows["push"])
    assert woken[0] > 0
    assert woken[9] > 0
    assert higher.values["moved"] == 2


def test_dynamic_sampling_drops_the_solved_group_and_asks_half_again_as_many() -> None:
    shown = frame("dapo", sampling=True)
    assert shown.values["kept"] == 2
    assert shown.values["asked"] == pytest.approx(4.5)
    assert np.allclose(np.asarray(shown.rows["push"])[:4], 1.5 * np.asarray(shown.rows["plain"])[:4])


def test_the_token_level_mean_lifts_the_long_answer() -> None:
    shown = frame("dapo", tokens=True)
    lengths = np.asarray(shown.rows["length"])
    ratio = np.asarray(shown.rows["push"])[8] / np.asarray(shown.rows["plain"])[8]
    assert ratio == pytest.approx(12 * lengths[8] / lengths.sum())


def test_the_penalty_takes_but_drops_nobody() -> None:
    shown = frame("dapo", overlong=True)
    assert shown.values["long_reward"] == pytest.approx(1 - (95 - 60) / 40)
    assert shown.values["kept"] == 3
    assert shown.values["long_push"] != 0
