"""Oracles: `Protocol.nearest`, the axes known of the published presets, and angles from plane geometry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.family import differences, distances, turn
from pycore.protocol import PRESETS, Protocol

NAMES = tuple(PRESETS)


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_the_differences_are_those_of_the_nearest_name(one, other):
    assert differences(PRESETS[one], PRESETS[other]) == PRESETS[one].nearest((other,)).differences


def test_dr_grpo_is_three_axes_from_grpo():
    axes = {one.axis for one in differences(PRESETS["dr_grpo"], PRESETS["grpo"])}
    assert axes == {"scale", "aggregation", "kl_coefficient"}


@given(st.lists(st.sampled_from(NAMES), max_size=6))
def test_the_distances_are_a_metric_that_counts_differences(names):
    protocols = [PRESETS[name] for name in names]
    table = distances(protocols)
    assert table.shape == (len(names), len(names))
    assert (table == table.T).all()
    for i, one in enumerate(protocols):
        for j, other in enumerate(protocols):
            assert table[i, j] == len(differences(one, other))
            assert all(table[i, j] <= table[i, k] + table[k, j] for k in range(len(names)))


def test_names_of_one_computation_are_at_distance_zero():
    assert distances([PRESETS["trl-1.9.2/dapo"], PRESETS["trl-1.16.0/dapo"]])[0, 1] == 0
    assert distances([Protocol(), Protocol(tau_positive=3)])[0, 1] == 0


@given(st.floats(0, 180), st.floats(1e-3, 1e3))
def test_the_turn_is_the_angle_whatever_the_lengths(angle, length):
    radians = np.radians(angle)
    assert turn([2, 0], [length * np.cos(radians), length * np.sin(radians)]) == pytest.approx(angle, abs=1e-6)


def test_a_vanished_update_has_no_direction():
    assert np.isnan(turn([0, 0], [1, 0]))
    assert turn([3.0, 4.0], [0.6, 0.8]) == pytest.approx(0, abs=1e-12)


def test_bad_input_is_named():
    with pytest.raises(DomainError, match="other"):
        turn([1, 0], [1, np.inf])
    with pytest.raises(DomainError, match="shape"):
        turn([1, 0], [1])
