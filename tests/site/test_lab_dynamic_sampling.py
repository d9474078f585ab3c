"""Oracle: the closed form of the Beta mixture in `pycore.groups`, the law of the seeded refill; step 3.3."""

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
