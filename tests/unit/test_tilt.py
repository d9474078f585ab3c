"""Oracle: the variational principle - no other policy does better - and the limits of small and large beta."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.tilt import distribution, tilted_policy, tilted_share

REFERENCE, REWARDS = np.array([0.5, 0.3, 0.2]), np.array([0.0, 1.0, -2.0])


def value(policy, beta):
    return policy @ REWARDS - beta * (policy * np.log(policy / REFERENCE)).sum()


@given(st.integers(0, 10**6), st.floats(0.05, 5))
def test_no_other_policy_has_a_larger_penalised_reward(seed, beta):
    other = np.random.default_rng(seed).dirichlet(np.ones(3)) * 0.999 + 0.001 / 3
    tilt = tilted_policy(REFERENCE, REWARDS, beta)
    best = tilt.reward - beta * tilt.kl
    assert value(other, beta) <= best + 1e-12
    assert best == pytest.approx(beta * tilt.log_z)


@given(st.floats(0.1, 5))
def test_kl_and_reward_are_those_of_the_returned_policy(beta):
    tilt = tilted_policy(REFERENCE, REWARDS, beta)
    assert tilt.probability.sum() == pytest.approx(1)
    assert tilt.reward - beta * tilt.kl == pytest.approx(value(tilt.probability, beta))


def test_a_tiny_beta_takes_the_best_answer_and_a_huge_one_stays_home():
    assert tilted_policy(REFERENCE, REWARDS, 1e-308).probability.tolist() == [0, 1, 0]
    assert tilted_policy(REFERENCE, REWARDS, 1e-308).kl == pytest.approx(-np.log(0.3))
    assert tilted_policy(REFERENCE, REWARDS, 1e9).probability == pytest.approx(REFERENCE)


def test_an_answer_the_reference_never_gives_stays_impossible():
    tilt = tilted_policy([0.5, 0.5, 0.0], [0.0, 0.0, 1e6], 0.1)
    assert tilt.probability.tolist() == [0.5, 0.5, 0]
    assert tilt.kl == 0


@given(st.floats(1e-6, 1 - 1e-6), st.floats(-2, 2), st.floats(0.01, 5))
def test_of_two_ways_the_share_is_that_of_the_tilted_policy(share, lead, beta):
    policy = tilted_policy([share, 1 - share], [lead, 0.0], beta)
    assert tilted_share(share, lead, beta) == pytest.approx(policy.probability[0], rel=1e-9)


def test_a_lead_beyond_all_exponentials_ends_at_one_or_nought():
    assert tilted_share(0.5, [1e6, -1e6], 1e-3).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tilted_policy([0.5, 0.4], [0, 1], 1), "reference sum = 0.9"),
        (lambda: tilted_policy([0.5, 0.5], [0, 1, 2], 1), r"rewards\.shape"),
        (lambda: tilted_policy([0.5, 0.5], [0, 1], 0), "beta = 0.0"),
        (lambda: distribution("p", [1.5, -0.5]), "p = 1.5"),
        (lambda: distribution("p", 1.0), r"p\.shape"),
        (lambda: tilted_share(1.0, 0, 1), "share = 1.0"),
        (lambda: tilted_share(0.5, 0, 0), "beta = 0.0"),
        (lambda: tilted_share(0.5, np.inf, 1), "lead = inf"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
