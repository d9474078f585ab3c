"""Oracles: all 2^G vectors of rewards of every prompt, counted one by one; for tied responses the definition of Polya's
urn on every vector."""

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from web.labs.engine import frame, lab_of, respond
from web.labs.texts import LANGUAGES


def mixed(p: float, size: int, correlation: float = 0.0) -> float:
    """Chance that the rewards of a group differ: each vector's chance, drawn one response after another."""
    found = 0.0
    for rewards in product((0, 1), repeat=size):
        if len(set(rewards)) == 1:
            continue
        chances = []
        for drawn, reward in enumerate(rewards):
            tie = drawn * correlation
            right = (p * (1 - correlation) + sum(rewards[:drawn]) * correlation) / (1 - correlation + tie)
            chances.append(right if reward else 1 - right)
        found += prod(chances)
    return found


@pytest.mark.parametrize("correlation", [0.0, 0.3])
@pytest.mark.parametrize("size", [2, 8])
def test_ones_own_prompts_are_averaged_over_all_vectors_of_rewards(size: int, correlation: float) -> None:
    rates = (0, 0.1, 0.1, 0.5, 0.95, 1)
    wanted = np.mean([mixed(p, size, correlation) for p in rates])
    shown = frame("signal", source="own", own=[[p] for p in rates], G=size, correlation=correlation)
    assert shown.values["informative"] == pytest.approx(wanted)
    assert shown.values["p"] == pytest.approx(2.65 / 6)
    assert shown.values["prompts"] == pytest.approx(64 / wanted)
    assert shown.values["responses"] == pytest.approx(64 * size / wanted)
    assert shown.values["alike"] == pytest.approx(mixed(2.65 / 6, size))
    rows = dict(zip(np.asarray(shown.rows["G"]).tolist(), shown.rows["informative"], strict=True))
    assert rows[size] == pytest.approx(wanted)
    at = dict(zip(shown.sources["prompts"]["p"], shown.sources["prompts"]["informative"], strict=True))
    assert at == pytest.approx({p: mixed(p, size, correlation) for p in set(rates)})
    assert dict(zip(shown.sources["piles"]["p"], shown.sources["piles"]["count"], strict=True)) == {0.1: 2}


@pytest.mark.parametrize("state", [{}, {"correlation": 0.4, "G": 4}, {"own": [[0.03], [0.5], [1]], "G": 32}])
def test_the_simulated_groups_are_drawn_from_ones_own_prompts(state: dict[str, Any]) -> None:
    values = [frame("signal", source="own", groups=2000, seed=seed, **state).values for seed in range(8)]
    error = np.sqrt(values[0]["informative"] * values[0]["empty"] / (2000 * len(values)))
    assert np.mean([one["counted"] for one in values]) == pytest.approx(values[0]["informative"], abs=3 * error)


def test_prompts_of_one_rate_are_the_slider_at_that_rate() -> None:
    own, slider = (frame("signal", G=16, **state) for state in ({"source": "own", "own": [[0.3]] * 5}, {"p": 0.3}))
    assert own.case == "own"
    for name, column in slider.rows.items():
        assert own.rows[name] == pytest.approx(np.asarray(column))
    assert own.sources["curve"]["informative"] == pytest.approx(np.asarray(slider.sources["curve"]["informative"]))
    assert slider.sources["prompts"]["p"].size == 0


def test_the_prepared_prompts_teach_far_less_than_their_mean_and_larger_groups_do_not_help() -> None:
    values, larger = (frame("signal", source="own", G=size).values for size in (8, 64))
    assert values["alike"] > 0.99
    assert values["informative"] == pytest.approx(1 / 3, abs=0.015)
    assert values["mixed"] == 7 / 16
    assert values["informative"] < larger["informative"] < values["mixed"]


def test_prompts_always_right_or_always_wrong_never_give_a_signal() -> None:
    shown = frame("signal", source="own", own=[[0], [1], [1]])
    assert shown.case == "own_never"
    assert shown.values["prompts"] == np.inf


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_rate_of_ones_own_is_named_with_its_row(language: str) -> None:
    values = {control.name: control.default for control in lab_of("signal").controls}
    said = respond("signal", language, {**values, "source": "own", "own": "p\n0.5\n12"})
    row = {"ru": "строка 2, столбец p: «12»", "en": "row 2, column p: “12”"}[language]
    assert row in said["fault"]
    assert "0..1" in said["fault"]
