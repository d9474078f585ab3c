"""Oracles: step 2.5's claims, and a seeded Monte Carlo of the same estimators."""

import numpy as np
import pytest

from pycore.advantages import group_advantages
from web.labs.engine import frame


@pytest.mark.parametrize("size", [2, 4, 16])
def test_the_groups_mean_carries_a_known_factor_and_the_mean_of_the_others_no_bias(size: int) -> None:
    values = frame("estimators", G=size).values
    assert values["mean_length"] == pytest.approx((size - 1) / size)
    assert values["others_bias"] == pytest.approx(0, abs=1e-20)
    assert values["plain_bias"] == pytest.approx(0, abs=1e-20)


def test_a_shift_is_noise_for_the_estimator_without_a_baseline_only() -> None:
    plain, shifted = (frame("estimators", shift=shift).values for shift in (0, 10))
    assert shifted["plain_variance"] > 50 * plain["plain_variance"]
    for kind in ("others", "mean", "scaled"):
        assert shifted[f"{kind}_variance"] == pytest.approx(plain[f"{kind}_variance"], rel=1e-4)


def test_the_exact_moments_agree_with_sampling() -> None:
    rng, count, p = np.random.default_rng(0), 40_000, np.array([0.2, 0.5, 0.3])
    drawn = rng.choice(3, size=(count, 4), p=p)
    scores, rewards = np.eye(3) - p, np.array([1.0, 0, 0])
    gain = group_advantages(rewards[drawn], scale="group_std", eps=1e-6)
    estimates = np.einsum("ng,ngk->nk", gain, scores[drawn]) / 4
    shown = frame("estimators")
    error = estimates.std(axis=0) / np.sqrt(count)
    assert np.all(np.abs(estimates.mean(axis=0) - shown.sources["mean_scaled"]["gradient"]) < 4 * error)
    variance = estimates.var(axis=0).sum()
    assert shown.values["scaled_variance"] == pytest.approx(variance, rel=0.05)
