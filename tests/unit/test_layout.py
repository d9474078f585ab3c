"""Oracles: points whose distances are known, Kruskal's tree as a second algorithm, and the definition of stress."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.layout import places, roads, stress


def between(points):
    return np.linalg.norm(points[:, None] - points, axis=2)


def table(seed, size):
    """Random whole distances with many ties, as differing axes have them."""
    upper = np.triu(np.random.default_rng(seed).integers(1, 6, size=(size, size)), 1)
    return (upper + upper.T).astype(float)


@given(st.integers(0, 10**6), st.integers(3, 9))
def test_distances_of_points_in_the_plane_are_kept(seed, size):
    wanted = between(np.random.default_rng(seed).normal(size=(size, 2)))
    assert stress(places(wanted), wanted) < 0.05


@given(st.integers(0, 10**6), st.integers(2, 9))
def test_no_small_step_of_any_point_makes_the_drawing_better(seed, size):
    wanted = table(seed, size)
    spot = places(wanted)
    best = stress(spot, wanted)
    for step in 0.2 * np.random.default_rng(seed).normal(size=(8, size, 2)):
        assert stress(spot + step, wanted) > best - 2e-3


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 5))
def test_fixed_points_stay_and_the_others_come_to_them(seed, held, more):
    points = np.random.default_rng(seed).normal(size=(held + more, 2))
    found = places(between(points), points[:held])
    assert (found[:held] == points[:held]).all()
    assert found.shape == points.shape
    if held == 4:
        assert stress(found, between(points)) < 0.5


def test_three_points_equally_far_apart_do_not_fall_together():
    equal = np.full((3, 3), 2.0) - 2 * np.eye(3)
    assert between(places(equal))[np.triu_indices(3, 1)] == pytest.approx([2, 2, 2], abs=1e-3)


def test_the_same_table_gives_the_same_drawing():
    assert (places(table(5, 7)) == places(table(5, 7))).all()


def kruskal(wanted):
    size, total, tree = len(wanted), 0.0, list(range(len(wanted)))
    for length, one, other in sorted((wanted[i, j], i, j) for i in range(size) for j in range(i)):
        if tree[one] != tree[other]:
            total += length
            tree = [tree[one] if name == tree[other] else name for name in tree]
    return total


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_the_roads_are_a_tree_of_least_length(seed, size):
    wanted = table(seed, size)
    found = roads(wanted)
    assert len(found) == size - 1
    assert {0, *(new for _, new in found)} == set(range(size))
    seen = {0}
    for known, new in found:
        assert known in seen
        seen.add(new)
    assert sum(wanted[pair] for pair in found) == kruskal(wanted)


def test_the_stress_of_two_points_by_hand():
    assert stress([[0, 0], [1, 0]], [[0, 2], [2, 0]]) == pytest.approx(0.5)
    assert stress([[0, 0], [1, 0], [1, 0]], [[0, 2, 1], [2, 0, 0], [1, 0, 0]]) == pytest.approx(0.125**0.5)
    assert np.isnan(stress([[0, 0]], [[0]]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: roads([[0, 1], [2, 0]]), "symmetric"),
        (lambda: roads([[0, -1], [-1, 0]]), "not negative"),
        (lambda: places([[1.0]]), "zero on the diagonal"),
        (lambda: places([[0, 1]]), r"distances\.shape"),
        (lambda: places(np.zeros((0, 0))), r"distances\.shape"),
        (lambda: places([[0.0]], [[0, 0], [1, 1]]), r"fixed\.shape"),
        (lambda: stress([[0, 0, 0]], [[0]]), r"places\.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
