"""Oracle: hand-computed filters, the definitions as loops over one row, and counted draws."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.decoding import (
    Decoding,
    behaviour_log_probs,
    greedy_log_probs,
    ratio_error,
    raw_log_probs,
    sample,
    token_log_probs,
)
from pycore.domain import DomainError

rows = st.lists(st.integers(-40, 40).map(lambda i: i / 8), min_size=1, max_size=7)
decodings = st.builds(
    Decoding,
    temperature=st.sampled_from([0.3, 0.7, 1.0, 2.0]),
    top_k=st.none() | st.integers(1, 8),
    top_p=st.sampled_from([0.1, 0.5, 0.9, 1.0]),
)


def by_hand(logits, decoding):
    """One row, in plain Python."""
    weight = [math.exp((x - max(logits)) / decoding.temperature) for x in logits]
    if decoding.top_k is not None and decoding.top_k < len(weight):
        least = sorted(weight, reverse=True)[decoding.top_k - 1]
        weight = [w if w >= least else 0.0 for w in weight]
    if decoding.top_p < 1:
        mass, kept = 0.0, set()
        for token in sorted(range(len(weight)), key=lambda i: (-weight[i], i)):
            if mass < decoding.top_p:
                kept.add(token)
            mass += weight[token] / math.fsum(weight)
        weight = [w if i in kept else 0.0 for i, w in enumerate(weight)]
    return [w / math.fsum(weight) for w in weight]


@given(rows, decodings)
def test_the_behaviour_policy_is_its_definition(logits, decoding):
    found = np.exp(behaviour_log_probs(logits, decoding))
    expected = by_hand(logits, decoding)
    kept, wanted = (int((np.array(p) > 0).sum()) for p in (found, expected))
    if kept == wanted:
        assert found == pytest.approx(expected, abs=1e-12)
    else:
        # Only rounding may separate the two: the smaller set's mass meets p exactly.
        full = np.sort(by_hand(logits, replace(decoding, top_p=1.0)))[::-1]
        assert full[: min(kept, wanted)].sum() == pytest.approx(decoding.top_p)
        assert abs(kept - wanted) == 1


@given(rows, decodings)
def test_probabilities_sum_to_one_and_the_best_token_always_stays(logits, decoding):
    log_probs = behaviour_log_probs(logits, decoding)
    assert np.exp(log_probs).sum() == pytest.approx(1)
    assert np.isfinite(log_probs[int(np.argmax(logits))])


@given(rows, st.integers(0, 6))
def test_a_forbidden_token_has_probability_zero_in_either_order(logits, number):
    allowed = np.arange(len(logits)) != number
    for order in ("mask first", "mask last"):
        if not allowed.any():
            with pytest.raises(DomainError):
                behaviour_log_probs(logits, Decoding(order=order), allowed)
            continue
        p = np.exp(behaviour_log_probs(logits, Decoding(order=order), allowed))
        assert p[~allowed].sum() == 0
        assert p.sum() == pytest.approx(1)


def test_the_order_of_mask_and_filter_matters():
    logits, allowed = [3.0, 2.0, 1.0, 0.0], [False, True, True, True]
    first = np.exp(behaviour_log_probs(logits, Decoding(top_k=2), allowed))
    last = np.exp(behaviour_log_probs(logits, Decoding(top_k=2, order="mask last"), allowed))
    assert (first > 0).tolist() == [False, True, True, False]
    assert (last > 0).tolist() == [False, True, False, False]
    with pytest.raises(DomainError, match="at least one token left"):
        behaviour_log_probs(logits, Decoding(top_k=1, order="mask last"), allowed)


def test_ties_stay_together_at_the_kth_place_and_go_to_the_lower_id_in_the_nucleus():
    tied = [1.0, 0.0, 0.0, 0.0]
    assert (behaviour_log_probs(tied, Decoding(top_k=2)) > -np.inf).all()
    assert np.exp(behaviour_log_probs(np.zeros(4), Decoding(top_p=0.5))).tolist() == [0.5, 0.5, 0, 0]


def test_a_full_nucleus_keeps_even_the_rarest_token():
    assert np.isfinite(behaviour_log_probs([0.0, -80.0], Decoding(top_p=1.0))).all()


def test_a_tiny_temperature_is_greedy_without_nan():
    logits = [1.0, 3.0, 2.0]
    cold = np.exp(behaviour_log_probs(logits, Decoding(temperature=1e-308)))
    assert cold.tolist() == np.exp(greedy_log_probs(logits)).tolist()
    tied = np.exp(behaviour_log_probs([3.0, 3.0, 0.0], Decoding(temperature=1e-308)))
    assert tied.tolist() == [0.5, 0.5, 0]
    assert greedy_log_probs([3.0, 3.0, 0.0]).tolist() == [0, -np.inf, -np.inf]


def test_storing_the_raw_softmax_makes_the_first_ratio_wrong():
    logits = np.log([0.5, 0.3, 0.2])
    assert ratio_error(logits, 0, Decoding()) == pytest.approx(1)
    assert ratio_error(logits, 0, Decoding(top_p=0.5)) == pytest.approx(2)
    assert ratio_error(logits, 1, Decoding(top_k=2)) == pytest.approx(1 / 0.8)
    assert ratio_error(logits, 2, Decoding(temperature=2)) == pytest.approx(
        math.sqrt(0.2) / (math.sqrt(0.5) + math.sqrt(0.3) + math.sqrt(0.2)) / 0.2
    )
    assert ratio_error(logits, 1, Decoding(), [False, True, True]) == pytest.approx(2)


@given(rows, decodings)
def test_the_expected_wrong_ratio_exceeds_one(logits, decoding):
    # E_behaviour[behaviour / raw] = 1 + chi-square divergence.
    p = np.exp(behaviour_log_probs(logits, decoding))
    tokens = np.flatnonzero(p > 0)
    table = np.tile(logits, (len(tokens), 1))
    assert p[tokens] @ ratio_error(table, tokens, decoding) >= 1 - 1e-9


def test_a_batch_is_its_rows():
    draw = np.random.default_rng(0)
    logits, decoding = draw.normal(size=(2, 3, 9)), Decoding(0.7, 5, 0.8)
    whole = behaviour_log_probs(logits, decoding)
    for place in np.ndindex(2, 3):
        assert np.array_equal(whole[place], behaviour_log_probs(logits[place], decoding))


def test_draws_follow_the_behaviour_policy_and_never_a_forbidden_token():
    log_probs = behaviour_log_probs([2.0, 1.0, 0.5, 0.0], Decoding(top_k=3))
    drawn = sample(np.tile(log_probs, (40_000, 1)), np.random.default_rng(1))
    p, share = np.exp(log_probs), np.bincount(drawn, minlength=4) / 40_000
    assert share[3] == 0
    assert np.all(np.abs(share - p) <= 4 * np.sqrt(p * (1 - p) / 40_000))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Decoding(temperature=0), r"temperature = 0\.0: allowed is a number in \(0, inf\)"),
        (lambda: Decoding(top_k=0), "top_k = 0"),
        (lambda: Decoding(top_p=0), "top_p = 0"),
        (lambda: Decoding(order="never"), "one of mask first, mask last"),
        (lambda: behaviour_log_probs([np.nan, 0], Decoding()), "logits = nan"),
        (lambda: behaviour_log_probs([0, 0], Decoding(), [True]), r"allowed\.shape"),
        (lambda: behaviour_log_probs([0, 0], Decoding(), [1, 0]), "True and False"),
        (lambda: raw_log_probs([-np.inf, -np.inf]), "at least one token left"),
        (lambda: token_log_probs([[-1.0, -1.0]], [2]), "tokens = 2.0: allowed is an integer from 0 to 1"),
        (lambda: token_log_probs([[-1.0, -1.0]], 1), r"tokens\.shape"),
        (lambda: token_log_probs([0.5], 0), "log_probs = 0.5"),
        (
            lambda: ratio_error([2.0, 0.0], 1, Decoding(top_k=1)),
            "tokens = 1: allowed is tokens this decoding can sample",
        ),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
