"""Oracle: the token and sequence surrogates of `pycore.ratio` summed by hand, and the levels' known relations."""

import numpy as np
import pytest

from pycore.protocol import Protocol
from pycore.ratio import clipped_surrogate
from pycore.surrogate import policy_term

MASK = np.array([[True, True, True], [True, True, False]])
NOW = np.where(MASK, np.array([[-0.5, -1.0, -0.2], [-2.0, -0.3, 0.0]]), 0)
OLD = np.where(MASK, np.array([[-0.9, -0.9, -0.9], [-1.0, -1.0, 0.0]]), 0)
ADVANTAGES = np.array([1.0, -2.0])
LENGTH = MASK.sum(axis=1)


def term(**axes):
    return policy_term(Protocol(**axes), NOW, OLD, MASK, MASK.astype(float), MASK.sum(1), ADVANTAGES)


def test_the_token_level_sums_its_tokens():
    single = clipped_surrogate(NOW - OLD, ADVANTAGES)
    assert term().value == pytest.approx(np.sum(single.value * MASK, axis=1), rel=1e-14)
    assert np.array_equal(term().derivative, single.derivative)


def test_the_sequence_mean_repeats_its_value_for_each_token_and_shares_its_gradient():
    mean = np.sum((NOW - OLD) * MASK, axis=1) / LENGTH
    whole = clipped_surrogate(mean[:, None], ADVANTAGES)
    found = term(ratio="sequence_mean")
    assert found.value == pytest.approx(whole.value[:, 0] * LENGTH, rel=1e-14)
    assert found.derivative == pytest.approx(whole.derivative, rel=1e-14)


def test_the_sequence_product_gives_each_token_the_whole_gradient():
    whole = clipped_surrogate(np.sum((NOW - OLD) * MASK, axis=1)[:, None], ADVANTAGES)
    found = term(ratio="sequence_product")
    assert found.derivative == pytest.approx(whole.derivative * LENGTH[:, None], rel=1e-14)
    assert found.ratio == pytest.approx(np.exp(np.sum((NOW - OLD) * MASK, axis=1))[:, None], rel=1e-14)


def test_without_a_ratio_the_surrogate_is_the_weighted_log_likelihood():
    found = term(ratio="none", clip="none")
    assert found.value == pytest.approx(ADVANTAGES * np.sum(NOW, axis=1), rel=1e-14)
    assert found.derivative.tolist() == [[1, 1, 1], [-2, -2, -2]]
    assert found.ratio.tolist() == [[1], [1]]


@pytest.mark.parametrize(
    ("ratio", "clip"),
    [
        *(("token", clip) for clip in ("symmetric", "soft", "none", "weight", "gamma")),
        *(("sequence_mean", clip) for clip in ("symmetric", "soft", "none", "geometric")),
    ],
)
def test_on_policy_every_family_has_the_gradient_of_reinforce(ratio, clip):
    found = policy_term(Protocol(ratio=ratio, clip=clip), OLD, OLD, MASK, MASK.astype(float), MASK.sum(1), ADVANTAGES)
    derivative = np.broadcast_to(found.derivative, MASK.shape)
    assert derivative == pytest.approx(np.broadcast_to(ADVANTAGES[:, None], MASK.shape), rel=1e-14)


def test_advantages_may_differ_from_token_to_token():
    by_token = np.array([[1.0, -1.0, 0.5], [2.0, 0.0, 0.0]])
    found = policy_term(Protocol(ratio="none", clip="none"), NOW, OLD, MASK, MASK.astype(float), MASK.sum(1), by_token)
    assert found.value == pytest.approx(np.sum(by_token * NOW, axis=1), rel=1e-14)
