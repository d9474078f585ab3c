"""Oracle: hand-computed pairs and central finite differences in all four log-probs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.direct import dpo, implied_reward, ipo, length_normalised_dpo, simpo
from pycore.domain import DomainError
from pycore.tilt import tilted_policy

logps = st.floats(-60, -0.5)
names = ("chosen", "rejected", "ref_chosen", "ref_rejected")

LOSSES = {
    "dpo": lambda a, b, c, d: dpo(a, b, c, d, beta=0.3),
    "ipo": lambda a, b, c, d: ipo(a, b, c, d, tau=0.2),
    "simpo": lambda a, b, c, d: simpo(a, b, 7, 12, beta=2.5, gamma=1.2),
    "length-normalised": lambda a, b, c, d: length_normalised_dpo(a, b, c, d, 7, 12, beta=5.0),
}


def test_the_pair_worked_by_hand():
    pair = dpo(-20.0, -25.0, -22.0, -24.0, beta=0.1)
    assert float(pair.margin) == pytest.approx(0.1 * (2 - -1))
    assert float(pair.loss) == pytest.approx(math.log(1 + math.exp(-0.3)))
    assert (round(float(pair.loss), 4), round(float(pair.weight), 4)) == (0.5544, 0.4256)
    assert float(pair.gradient.chosen) == pytest.approx(-0.1 * float(pair.weight))


@given(logps, logps, st.floats(0.01, 5))
def test_at_the_reference_every_pair_costs_ln_2(won, lost, beta):
    pair = dpo(won, lost, won, lost, beta)
    assert float(pair.loss) == pytest.approx(math.log(2), abs=1e-15)
    assert float(pair.weight) == pytest.approx(0.5)
    assert round(float(pair.loss), 4) == 0.6931


def test_the_same_loss_may_come_from_a_chosen_answer_that_lost_probability():
    gained, dropped = dpo([-20.0, -23.0], [-27.0, -30.0], [-22.0, -22.0], [-24.0, -24.0], beta=0.1).loss
    assert gained == pytest.approx(dropped)
    assert round(float(gained), 3) == 0.474


@pytest.mark.parametrize("name", LOSSES)
@given(logps, logps, logps, logps)
def test_the_gradient_is_the_finite_difference_in_each_log_prob(name, a, b, c, d):
    point, step = np.array([a, b, c, d]), 1e-5
    exact = LOSSES[name](*point).gradient
    for index, field in enumerate(names):
        shift = step * np.eye(4)[index]
        slope = (LOSSES[name](*(point + shift)).loss - LOSSES[name](*(point - shift)).loss) / (2 * step)
        assert float(getattr(exact, field)) == pytest.approx(float(slope), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", LOSSES)
@given(logps, logps, logps, logps)
def test_the_weight_is_the_slope_against_the_margin(name, a, b, c, d):
    pair = LOSSES[name](a, b, c, d)
    slopes = {"dpo": 0.3, "ipo": 1.0, "simpo": 2.5 / 7, "length-normalised": 5 / 7}
    assert float(pair.gradient.chosen) == pytest.approx(-slopes[name] * float(pair.weight))


def test_ipo_is_satisfied_at_its_target_and_pulls_back_beyond_it():
    assert float(ipo(-10.0, -20.0, -12.5, -20.0, tau=0.2).loss) == pytest.approx(0)
    assert ipo(-10.0, -20.0, -15.0, -20.0, tau=0.2).weight < 0


def test_simpo_needs_a_lead_of_gamma_to_reach_ln_2():
    assert float(simpo(-10.0, -20.0, 10, 10, beta=2.0, gamma=2.0).loss) == pytest.approx(math.log(2))
    assert simpo(-10.0, -20.0, 10, 10, beta=2.0, gamma=2.0).gradient.ref_chosen == 0


def test_equal_lengths_make_length_normalised_dpo_a_dpo_of_smaller_beta():
    normalised = length_normalised_dpo(-20.0, -25.0, -22.0, -24.0, 8, 8, beta=4.0)
    plain = dpo(-20.0, -25.0, -22.0, -24.0, beta=0.5)
    assert normalised.loss == pytest.approx(plain.loss)
    assert normalised.gradient.rejected == pytest.approx(plain.gradient.rejected)


def test_the_implied_reward_gives_back_the_reward_up_to_beta_log_z():
    rewards, reference, beta = np.array([1.0, -0.5, 2.0]), np.array([0.2, 0.5, 0.3]), 0.7
    tilt = tilted_policy(reference, rewards, beta)
    implied = implied_reward(np.log(tilt.probability), np.log(reference), beta)
    assert implied + beta * tilt.log_z == pytest.approx(rewards)


def test_an_extreme_pair_stays_finite():
    pair = dpo(-1e6, -1.0, -1.0, -1e6, beta=1.0)
    assert float(pair.loss) == pytest.approx(2e6, rel=1e-5)
    assert float(pair.weight) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dpo(0.1, -1, -1, -1, 0.1), "chosen = 0.1"),
        (lambda: dpo([-1, -1], [-1], [-1], [-1], 0.1), r"rejected\.shape"),
        (lambda: dpo(-1, -1, -1, -np.inf, 0.1), "ref_rejected = -inf"),
        (lambda: dpo(-1, -1, -1, -1, 0), "beta = 0.0"),
        (lambda: ipo(-1, -1, -1, -1, 0), "tau = 0.0"),
        (lambda: simpo(-1, -1, 0, 3, 1, 1), "chosen_length = 0.0"),
        (lambda: simpo(-1, -1, 3, 3, 1, -1), "gamma = -1.0"),
        (lambda: length_normalised_dpo([-1], [-1], [-1], [-1], [3], [3, 3], 1), r"rejected_length\.shape"),
        (lambda: implied_reward([-1, -2], [-1], 1), r"logp_ref\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
