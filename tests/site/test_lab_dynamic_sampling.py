"""Oracles: the closed form of the Beta mixture in `pycore.groups`, the law of the seeded refill, all vectors of rewards
of one's own prompts; step 3.3."""

from itertools import product

import numpy as np
import pytest

from pycore.groups import mixture_informative_probability
from web.labs.engine import frame


@pytest.mark.parametrize(("p", "spread", "size"), [(0.7, 0.4, 8), (0.1, 0.2, 8), (0.5, 0.8, 32), (0.02, 0.9, 4)])
def test_the_share_is_that_of_the_beta_mixture(p: float, spread: float, size: int) -> None:
    strength = 1 / spread - 1
    expected = mixture_informative_probability(p * strength, (1 - p) * strength, size)
    values = frame("dynamic_sampling", p=p, spread=spread, G=size).values
    assert values["share"] == pytest.approx(float(expected), abs=3e-4)
    assert values["share"] + values["right"] + values["wrong"] == pytest.approx(1, abs=1e-9)
    assert values["stream_mean"] == pytest.approx(p, abs=3e-4)


def test_the_batch_is_the_stream_times_the_chance_of_a_signal() -> None:
    shown = frame("dynamic_sampling")
    assert np.sum(shown.rows["stream"]) == pytest.approx(1)
    assert np.sum(shown.rows["batch"]) == pytest.approx(1)
    assert shown.values["extreme_batch"] < shown.values["extreme_stream"]


def test_a_refill_costs_what_the_formula_says() -> None:
    asked = [frame("dynamic_sampling", B=512, looked=4096, seed=seed).values["asked"] for seed in range(8)]
    values = frame("dynamic_sampling", B=512, looked=4096).values
    # Negative binomial: variance B (1 - share) / share^2.
    error = np.sqrt(512 * values["wasted"]) / values["share"] / np.sqrt(len(asked))
    assert np.mean(asked) == pytest.approx(values["prompts"], abs=3 * error)


def test_a_refill_that_gives_up_says_so() -> None:
    shown = frame("dynamic_sampling", p=0.95, spread=0.2, looked=128)
    assert shown.case == "short"
    assert shown.values["kept"] < 64


def mixed(p: float, size: int) -> float:
    """Chance that a group holds both hits and misses, vector by vector."""
    groups = [group for group in product((1, 0), repeat=size) if 0 < sum(group) < size]
    return float(sum(np.prod([p if reward else 1 - p for reward in group]) for group in groups))


def test_ones_own_prompts_reach_the_batch_as_often_as_their_groups_are_mixed() -> None:
    rates = [1, 0.1, 0.6, 0.6, 0, 1, 1]
    chances = np.array([mixed(p, 4) for p in rates])
    shown = frame("dynamic_sampling", source="own", own=[[p] for p in rates], G=4, B=10)
    values, rows = shown.values, shown.rows
    assert values["share"] == pytest.approx(chances.mean())
    assert values["prompts"] == pytest.approx(10 / chances.mean())
    assert values["responses"] == pytest.approx(40 / chances.mean())
    assert values["stream_mean"] == pytest.approx(4.3 / 7)
    assert values["batch_mean"] == pytest.approx(np.average(rates, weights=chances))
    assert (values["mixed"], values["count"]) == (3, 7)
    assert (values["extreme_stream"], values["extreme_batch"]) == pytest.approx((4 / 7, 0))
    batch = {p: sum(chances[place] for place in range(7) if rates[place] == p) / chances.sum() for p in rates}
    assert dict(zip(rows["p"], rows["batch"], strict=True)) == pytest.approx(batch)
    assert rows["stream"] == pytest.approx(np.array([1, 1, 2, 3]) / 7)


def test_a_refill_from_ones_own_prompts_costs_what_the_formula_says() -> None:
    asked = [frame("dynamic_sampling", source="own", B=256, looked=4096, seed=seed).values for seed in range(8)]
    error = np.sqrt(256 * asked[0]["wasted"]) / asked[0]["share"] / np.sqrt(len(asked))
    assert np.mean([one["asked"] for one in asked]) == pytest.approx(asked[0]["prompts"], abs=3 * error)


def test_the_prepared_prompts_lose_an_eighth_of_accuracy_without_any_change_of_policy() -> None:
    shown = frame("dynamic_sampling", source="own")
    assert shown.case == "own"
    assert shown.values["stream_mean"] == pytest.approx(2 / 3, abs=0.01)
    assert shown.values["stream_mean"] - shown.values["batch_mean"] == pytest.approx(1 / 8, abs=0.01)
    assert (shown.values["mixed"], shown.values["count"]) == (8, 20)


def test_very_many_rates_are_rounded_and_none_is_lost() -> None:
    rates = np.linspace(0, 1, 300)
    rows = frame("dynamic_sampling", source="own", own=rates[:, None].round(4).tolist()).rows
    assert np.asarray(rows["p"]) == pytest.approx(np.arange(21) / 20)
    assert (np.sum(rows["stream"]), np.sum(rows["batch"])) == pytest.approx((1, 1))
    assert rows["stream"][10] == pytest.approx(np.mean(np.abs(rates - 0.5) < 0.025), abs=1 / 300)


def test_a_refill_that_can_never_end_says_so() -> None:
    shown = frame("dynamic_sampling", source="own", own=[[0], [1]], looked=100)
    assert shown.case == "never"
    assert (shown.values["asked"], shown.values["kept"], shown.values["prompts"]) == (100, 0, np.inf)
