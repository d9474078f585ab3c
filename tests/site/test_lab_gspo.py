"""Oracle: the geometric mean by logarithms, the normal law of token log-ratios, and the text of step 3.4."""

from math import log, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from web.labs.engine import frame


def test_the_sequence_ratio_is_the_geometric_mean_of_the_tokens() -> None:
    shown = frame("gspo", length=7)
    tokens = np.concatenate([shown.sources[name]["ratio"] for name in ("inside", "outside")])
    assert shown.values["s"] == pytest.approx(np.prod(tokens) ** (1 / 7))


def test_a_range_for_tokens_holds_no_response() -> None:
    shown = frame("gspo")
    expected = 1 - NormalDist(0, 0.15).cdf(log(1.2))
    # Three standard errors of a share of 128 * 60 tokens.
    assert shown.values["token_share"] == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / 7680))
    assert shown.values["sequence_share"] == 0
    assert shown.values["alive"] == 1


def test_the_spread_shrinks_with_the_root_of_the_length() -> None:
    shown = frame("gspo", length=200, noise=0.05).values
    # The error of a standard deviation of 128 numbers is about 1 / sqrt(2 * 127) of it.
    assert shown["sequence_spread"] * sqrt(200) == pytest.approx(0.05, rel=3 / sqrt(254))


def test_a_common_drift_is_seen_by_the_whole_response_only() -> None:
    shown = frame("gspo", drift=0.02, noise=0.02, epsilon=0.01)
    assert shown.values["sequence_share"] == 1
    assert shown.values["token_share"] < 0.75
    assert shown.values["alive"] == 0
