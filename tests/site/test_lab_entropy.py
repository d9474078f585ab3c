"""Oracle: entropies written out, and step 4.1's claim that few positions carry most of it."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_an_even_choice_has_the_logarithm_of_the_vocabulary() -> None:
    shown = frame("entropy", sharpness=(0.0, 0.0))
    assert np.allclose(shown.rows["raw"], np.log(12))
    assert shown.values["answers"] == pytest.approx(144)


def test_two_forks_carry_nearly_all() -> None:
    values = frame("entropy").values
    assert values["forks"] > 0.9
    assert values["largest"] > 3 * values["raw_mean"]
    assert values["raw_mean"] == pytest.approx(0.6, abs=0.05)


def test_temperature_changes_the_sampling_policy_only() -> None:
    plain, cool = frame("entropy"), frame("entropy", temperature=0.6)
    assert np.array_equal(plain.rows["raw"], cool.rows["raw"])
    assert np.all(np.asarray(cool.rows["behaviour"]) <= np.asarray(plain.rows["behaviour"]) + 1e-12)
    scores = -5.0 * np.arange(12) / 0.6
    p = np.exp(scores) / np.exp(scores).sum()
    assert cool.rows["behaviour"][1] == pytest.approx(-np.sum(p * np.log(p)))


def test_the_same_mean_without_a_fork() -> None:
    even = frame("entropy", sharpness=(1.7,) * 8).values
    assert even["raw_mean"] == pytest.approx(frame("entropy").values["raw_mean"], abs=0.05)
    assert even["forks"] == pytest.approx(0.25)
