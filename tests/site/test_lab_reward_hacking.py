"""Oracles: the course's own verifier on the same texts, and the claims about rewards that are hacked."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_truth_with_a_small_bonus_teaches_to_reckon() -> None:
    shown = frame("reward_hacking")
    assert shown.case == "honest"
    assert shown.values["right_after"] > 4 * shown.values["right_before"]
    # 1 for the two in five that are right, and 0.1 for the form of all.
    assert list(shown.rows["reward"]) == pytest.approx([0.5, 0.0, 0.1, 0.0])


def test_form_alone_is_hacked_by_a_guess_and_the_number_anywhere_by_a_list() -> None:
    form = frame("reward_hacking", accuracy=0, format=1)
    assert (form.case, form.values["winner"]) == ("hacked", "guess")
    assert form.values["reward_after"] > 0.9 > 0.2 > form.values["right_after"]
    anywhere = frame("reward_hacking", accuracy=0, format=0, anywhere=1)
    assert anywhere.values["winner"] == "listing"
    assert anywhere.rows["anywhere"][3] == 1


def test_a_model_that_can_do_nothing_and_is_paid_alike_stays_where_it_is() -> None:
    shown = frame("reward_hacking", skill=0, format=0)
    assert shown.case == "flat"
    assert np.allclose(shown.rows["before"], shown.rows["after"], atol=1e-15)


def test_partial_credit_outbids_truth() -> None:
    assert frame("reward_hacking", anywhere=0.8, skill=0.2, steps=120).values["winner"] == "listing"


def test_the_steps_follow_the_gradient_of_the_mean_reward() -> None:
    shares = np.asarray([frame("reward_hacking", steps=10).sources["run"][name] for name in ("reason", "guess")])
    assert np.all(np.diff(frame("reward_hacking").sources["run"]["reward"]) >= -1e-12)
    assert shares[0, -1] > shares[0, 0]
