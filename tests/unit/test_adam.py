"""Oracle: the update rule in scalar Python, and a pen-and-paper first step."""

import math

import numpy as np
import pytest

from pycore.adam import Adam, clip_norm
from pycore.domain import DomainError


def test_the_first_step_is_the_learning_rate_against_the_sign():
    weights = np.array([1.0, 1.0, 1.0])
    Adam.new(3).step(weights, np.array([4.0, -0.01, 0.0]), 0.1)
    assert weights == pytest.approx([0.9, 1.1, 1.0], abs=1e-6)


def test_twenty_steps_follow_the_rule_written_for_one_number():
    gradients = np.random.default_rng(0).standard_normal((20, 3))
    weights, adam = np.zeros(3), Adam.new(3)
    for gradient in gradients:
        adam.step(weights, gradient, 3e-3)
    for place in range(3):
        w = m = v = 0.0
        for step, g in enumerate(gradients[:, place], start=1):
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            w -= 3e-3 * (m / (1 - 0.9**step)) / (math.sqrt(v / (1 - 0.999**step)) + 1e-8)
        assert weights[place] == pytest.approx(w, rel=1e-12)


def test_a_short_gradient_is_left_alone_and_a_long_one_keeps_its_direction():
    short, long = np.array([0.3, 0.4]), np.array([30.0, 40.0])
    assert (clip_norm(short, 1.0), short.tolist()) == (0.5, [0.3, 0.4])
    assert clip_norm(long, 1.0) == 50.0
    assert long == pytest.approx([0.6, 0.8], rel=1e-15)


def test_a_gradient_of_zeros_can_be_clipped():
    nothing = np.zeros(2)
    assert (clip_norm(nothing, 1.0), nothing.tolist()) == (0.0, [0.0, 0.0])


def test_what_lies_outside_is_refused_by_name():
    with pytest.raises(DomainError, match="learning_rate"):
        Adam.new(1).step(np.zeros(1), np.zeros(1), -1.0)
    with pytest.raises(DomainError, match="largest"):
        clip_norm(np.zeros(1), 0.0)
