"""Oracle: the definition of each rule, and counted draws against the probabilities of drawing without replacement."""

import itertools

import numpy as np
import pytest

from pycore.curriculum import Curriculum, Experience, draw, weights
from pycore.domain import DomainError


def known(success):
    """An experience whose estimates are close to the given rates."""
    rate = np.asarray(success, dtype=float)
    return Experience(rate * 1e6, np.full(rate.shape, 1e6), np.ones(rate.shape))


def test_the_three_rules_by_hand():
    success = [0.0, 0.2, 0.5, 0.8, 1.0]
    assert weights(Curriculum(), success).tolist() == [1, 1, 1, 1, 1]
    assert weights(Curriculum("failure"), success) == pytest.approx([1, 0.8, 0.5, 0.2, 0])
    assert weights(Curriculum("frontier"), success).tolist() == [0.1, 1, 1, 1, 0.1]


def test_prompts_are_drawn_one_after_the_other_in_proportion_to_their_weights():
    success = np.array([0.0, 0.5, 0.75])
    chance = 1 - known(success).success()
    expected = {}
    for first, second in itertools.permutations(range(3), 2):
        rest = chance.sum() - chance[first]
        expected[first, second] = chance[first] / chance.sum() * chance[second] / rest
    generator = np.random.default_rng(0)
    counted = dict.fromkeys(expected, 0)
    trials = 3000
    for _ in range(trials):
        counted[tuple(draw(Curriculum("failure"), known(success), 2, generator).tolist())] += 1
    for pair, probability in expected.items():
        spread = np.sqrt(probability * (1 - probability) / trials)
        assert counted[pair] / trials == pytest.approx(probability, abs=4 * spread)


def test_no_prompt_is_drawn_twice_and_all_can_be():
    generator = np.random.default_rng(0)
    assert sorted(draw(Curriculum(), Experience.none(7), 7, generator).tolist()) == list(range(7))


def test_success_starts_at_one_half_and_follows_what_is_seen():
    experience = Experience.none(2)
    assert experience.success().tolist() == [0.5, 0.5]
    experience.learn(np.array([1]), [[True, True, False, True]], memory=0.5)
    assert experience.success().tolist() == [0.5, 4 / 6]
    experience.learn(np.array([1]), [[False] * 4], memory=0.5)
    assert experience.success()[1] == pytest.approx((1.5 + 1) / (2 + 4 + 2))
    assert experience.asked.tolist() == [0, 2]


def test_equal_seeds_draw_equal_prompts():
    one, two = (draw(Curriculum("frontier"), Experience.none(50), 9, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Curriculum("easy"), "kind = 'easy'"),
        (lambda: Curriculum(low=0.9), r"high = 0\.8"),
        (lambda: Curriculum(outside=0), "outside"),
        (lambda: Curriculum(memory=1), "memory"),
        (lambda: draw(Curriculum(), Experience.none(3), 4, np.random.default_rng(0)), "count"),
        (lambda: weights(Curriculum(), [1.5]), "success"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
