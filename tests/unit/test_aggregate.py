"""Oracle: denominators worked out by hand with exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.aggregate import ACCUMULATIONS, AGGREGATIONS, accumulation_scales, denominator, response_weights
from pycore.domain import DomainError

LENGTHS = st.lists(st.integers(0, 20), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        ("response_mean", [Fraction(1, 4), Fraction(1, 12)]),
        ("token_mean", [Fraction(1, 8), Fraction(1, 8)]),
        ("constant", [Fraction(1, 20), Fraction(1, 20)]),
        ("sequence_sum", [Fraction(1, 2), Fraction(1, 2)]),
        ("token_sum", [Fraction(1), Fraction(1)]),
    ],
)
def test_two_responses_of_two_and_six_tokens(aggregation, expected):
    weights = response_weights([[2, 6]], aggregation, max_tokens=10)
    assert weights == pytest.approx(np.array([expected], dtype=float), rel=1e-15)


def test_a_short_wrong_answer_pays_eight_times_as_much_per_token_as_a_long_one():
    long, short = response_weights([16, 2], "response_mean") * 2
    assert (long, short) == (1 / 16, 1 / 2)
    assert short / long == 8


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_a_response_without_tokens_weighs_nothing(aggregation):
    weights = response_weights([[0, 3], [0, 0]], aggregation, max_tokens=5)
    assert weights[0, 0] == 0
    assert np.all(weights[1] == 0)
    assert np.all(response_weights([0, 0], aggregation, max_tokens=5) == 0)


def test_whether_an_empty_response_counts_changes_n():
    assert denominator([0, 3, 3], "response_mean") == 3
    assert denominator([0, 3, 3], "response_mean", counted=[False, True, True]) == 2
    assert response_weights([0, 3, 3], "sequence_sum", counted=[False, True, True])[1] == 0.5


@given(LENGTHS)
def test_response_mean_and_token_mean_are_means(lengths):
    lengths = np.array(lengths)
    total = float(np.sum(lengths * response_weights(lengths, "token_mean")))
    assert total == pytest.approx(1 if lengths.any() else 0)
    total = float(np.sum(lengths * response_weights(lengths, "response_mean")))
    assert total == pytest.approx(np.mean(lengths > 0))


@given(st.lists(LENGTHS, min_size=1, max_size=5), st.sampled_from([a for a in AGGREGATIONS if a != "token_sum"]))
def test_the_global_rule_restores_the_weights_of_the_whole_batch(parts, aggregation):
    whole = response_weights(np.concatenate(parts), aggregation, max_tokens=7)
    scales = accumulation_scales([denominator(part, aggregation, max_tokens=7) for part in parts], "global")
    pieces = [s * response_weights(part, aggregation, max_tokens=7) for s, part in zip(scales, parts, strict=True)]
    assert np.concatenate(pieces) == pytest.approx(whole, rel=1e-12)


def test_the_mean_rule_reweights_tokens_when_parts_differ_in_length():
    parts = [[2, 2], [6, 6]]
    scales = accumulation_scales([denominator(part, "token_mean") for part in parts], "mean")
    first, second = (s * response_weights(part, "token_mean")[0] for s, part in zip(scales, parts, strict=True))
    assert (first, second) == (1 / 8, 1 / 24)
    assert response_weights([2, 2, 6, 6], "token_mean")[0] == 1 / 16


def test_dividing_a_global_denominator_by_the_number_of_parts_again_would_shrink_the_loss_by_it():
    assert accumulation_scales([30, 10], "global").sum() == 1
    assert (accumulation_scales([30, 10], "global") * accumulation_scales([30, 10], "mean")).sum() == 0.5


def test_a_constant_normaliser_added_without_division_grows_with_the_number_of_parts():
    assert accumulation_scales([20.0, 20.0, 20.0], "sum").sum() == 3


def test_an_empty_batch_has_scales_of_zero():
    assert accumulation_scales([0.0, 0.0], "global").tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: response_weights([1], "median"), "one of response_mean"),
        (lambda: response_weights([1], "constant"), "max_tokens = None"),
        (lambda: response_weights([1], "constant", max_tokens=0), "max_tokens = 0"),
        (lambda: response_weights([1.5], "token_mean"), r"lengths = 1\.5"),
        (lambda: response_weights([-1], "token_mean"), "lengths = -1"),
        (lambda: response_weights([1, 2], "token_mean", counted=[True]), r"counted\.shape"),
        (lambda: accumulation_scales([1.0], "median"), "one of " + ", ".join(ACCUMULATIONS)),
        (lambda: accumulation_scales([], "mean"), "denominators"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
