"""Oracle: the softmax written out, and step 2.1's claim about what the rollout must store."""

import numpy as np
import pytest

from web.labs.engine import frame

LOGITS = np.array([2.0, 1.2, 0.6, 0.0, -0.8, -1.5])


def test_the_opening_state_by_hand() -> None:
    shown = frame("behaviour_policy")
    warmed = np.exp(LOGITS / 0.7) / np.exp(LOGITS / 0.7).sum()
    # Three tokens are needed to reach 0.9 of the mass.
    assert warmed[:2].sum() < 0.9 <= warmed[:3].sum()
    expected = np.append(warmed[:3] / warmed[:3].sum(), np.zeros(3))
    assert np.allclose(shown.rows["behaviour"], expected)
    assert shown.values["ratio"] > 1


def test_without_settings_the_softmax_is_the_behaviour_policy() -> None:
    shown = frame("behaviour_policy", temperature=1, top_p=1)
    assert shown.case == "same"
    assert np.allclose(shown.rows["ratio"], 1)


def test_a_forbidden_token_has_no_ratio() -> None:
    shown = frame("behaviour_policy", temperature=1, top_p=1, forbidden=1)
    assert shown.case == "never"
    raw = np.exp(LOGITS) / np.exp(LOGITS).sum()
    assert np.allclose(np.asarray(shown.rows["ratio"])[1:], 1 / (1 - raw[0]))


def test_one_token_may_be_all_that_is_left() -> None:
    shown = frame("behaviour_policy", temperature=1, top_p=0.5)
    assert shown.values["support"] == 1
    assert shown.values["stored"] == pytest.approx(0)
