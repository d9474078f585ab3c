"""Oracle: the numbers of step 2.3, and the two divergences' gradients worked out on paper."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_the_lab_opens_on_the_distribution_of_the_step() -> None:
    shown = frame("kl")
    assert round(shown.values["exact"], 4) == 0.2197
    assert round(shown.values["k1_spread"], 2) == 0.62
    assert round(shown.values["k3_spread"], 2) == 0.24
    assert shown.values["k1_negative"] == pytest.approx(0.4)


def test_the_pairs_of_probabilities_of_the_step() -> None:
    first = frame("kl", tokens=((0.9, 0.3), (0.1, 0.7))).sources["tokens"]
    assert first["k1"][0] == pytest.approx(1.10, abs=0.005)
    assert first["k3"][0] == pytest.approx(0.43, abs=0.005)
    turned = frame("kl", tokens=((0.3, 0.9), (0.7, 0.1))).sources["tokens"]
    assert turned["k1"][0] == pytest.approx(-1.10, abs=0.005)
    assert turned["k3"][0] == pytest.approx(0.90, abs=0.005)
    assert frame("kl", tokens=((0.5, 0.25), (0.5, 0.75))).sources["tokens"]["k3"][0] == pytest.approx(0.193, abs=5e-4)


def test_each_estimator_descends_what_the_text_says() -> None:
    plain, with_ratio = frame("kl").sources, frame("kl", ratio=True).sources
    forward, reverse = plain["gradient"]["forward"], plain["gradient"]["reverse"]
    assert np.allclose(plain["gradient_k1"]["gradient"], 0, atol=1e-15)
    assert np.allclose(plain["gradient_k2"]["gradient"], forward, atol=1e-15)
    assert np.allclose(plain["gradient_k3"]["gradient"], reverse, atol=1e-15)
    for name in ("k1", "k3"):
        assert np.allclose(with_ratio[f"gradient_{name}"]["gradient"], forward, atol=1e-15)
    assert not np.allclose(with_ratio["gradient_k2"]["gradient"], forward, atol=1e-3)


def test_sampled_means_lie_within_their_error() -> None:
    shown = frame("kl", samples=5000)
    # Four standard errors; k2's own mean is not the divergence.
    for name in ("k1", "k3"):
        assert abs(shown.values[f"{name}_mean"] - shown.values["exact"]) < 2 * shown.values[f"{name}_error"]
