"""Oracles: the geometric mean by logarithms, the normal law of token log-ratios, loops over rows, the text of 3.4."""

from math import exp, log, prod, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from web.labs.engine import frame, lab_of


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


# Lengths 3, 1 and 4, their rows in no order, numbers with a gap.
OWN = [
    *([7, -1.0, -0.4], [2, -0.5, -0.6], [7, -2.0, -2.3], [9, -0.3, -0.9]),
    *([9, -1.5, -1.45], [7, -0.2, -0.25], [9, -3.0, -1.9], [9, -0.7, -0.8]),
]


def by_hand(rows: list[list[float]]) -> tuple[dict[float, list[float]], dict[float, float]]:
    """Token ratios and the ratio s of every response, one row at a time."""
    ratios: dict[float, list[float]] = {}
    for number, old, current in rows:
        ratios.setdefault(number, []).append(exp(current) / exp(old))
    return ratios, {number: prod(found) ** (1 / len(found)) for number, found in ratios.items()}


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("epsilon", [0.03, 0.05, 0.2])
def test_ones_own_responses_of_unequal_length_are_held_as_loops_over_their_rows_hold_them(
    epsilon: float, side: int
) -> None:
    ratios, s = by_hand(OWN)

    def held(ratio: float, bound: float) -> bool:
        return ratio > 1 + bound if side > 0 else ratio < 1 - bound

    sign = {1: "positive", -1: "negative"}[side]
    shown = frame("gspo", source="own", own=OWN, epsilon=epsilon, sign=sign, response=3)
    assert shown.values["token_held"] == sum(held(one, epsilon) for found in ratios.values() for one in found)
    assert shown.values["sequence_held"] == sum(held(one, epsilon) for one in s.values())
    alive = sum(len(ratios[number]) for number, one in s.items() if not held(one, epsilon))
    assert shown.values["alive"] == pytest.approx(alive / len(OWN))
    for bound, share in zip(shown.rows["epsilon"], shown.rows["sequence"], strict=True):
        assert share == pytest.approx(np.mean([held(one, bound) for one in s.values()]))


@pytest.mark.parametrize(("asked", "number"), [(1, 2), (2, 7), (3, 9), (64, 9)])
def test_the_chosen_response_is_drawn_token_by_token_in_its_own_order(asked: int, number: int) -> None:
    ratios, s = by_hand(OWN)
    shown = frame("gspo", source="own", own=OWN, response=asked)
    drawn = {
        float(token): float(ratio)
        for name in ("inside", "outside")
        for token, ratio in zip(shown.sources[name]["token"], shown.sources[name]["ratio"], strict=True)
    }
    assert shown.values["number"] == number
    assert [drawn[token] for token in sorted(drawn)] == pytest.approx(ratios[number])
    assert shown.values["s"] == pytest.approx(s[number])


def test_one_response_has_no_spread_between_responses() -> None:
    shown = frame("gspo", source="own", own=[[1, -1, -0.9]])
    assert np.isnan([shown.values["sequence_spread"], shown.values["token_spread"]]).all()


def test_the_prepared_responses_are_held_as_their_preset_asks() -> None:
    """Held is the one in which no token has moved by a tenth, not the one with a token 2.5 times as likely."""
    lab = lab_of("gspo")
    assert [frame("gspo", **lab.presets["own"], response=number).case for number in (1, 2, 3)] == [
        *("own_free", "own_held", "own_free")
    ]
    assert frame("gspo", **lab.presets["own"]).values["largest"] == pytest.approx(2.5, abs=0.05)
    second = frame("gspo", **lab.presets["own"], response=2).values
    assert 0.9 < second["smallest"] < second["largest"] < 1.1
    # The third is step 3.4's, whose ratios are 1.5, 0.8, 1.1 and 0.9.
    third = frame("gspo", **lab.presets["own"], response=3).values
    assert third["s"] == pytest.approx((1.5 * 0.8 * 1.1 * 0.9) ** 0.25, abs=0.005)
