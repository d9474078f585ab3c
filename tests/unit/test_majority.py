"""Oracle: brute force over all orders of the answers, and Condorcet's example by hand."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.majority import condorcet_winner, majority_graph, mixture_win_rate, pairwise_counts, shortest_cycle

CONDORCET = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]  # ABC, BCA, CAB

profiles = st.integers(2, 5).flatmap(lambda n: st.lists(st.permutations(range(n)), min_size=1, max_size=7))


def test_three_consistent_annotators_make_a_cycle_of_two_to_one():
    counts = pairwise_counts(CONDORCET)
    assert counts.tolist() == [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
    assert shortest_cycle(counts) == (0, 1, 2)
    assert condorcet_winner(counts) is None
    assert mixture_win_rate(counts) == pytest.approx([0.5, 0.5, 0.5])


@given(profiles)
def test_every_pair_is_counted_once_an_annotator(rankings):
    counts = pairwise_counts(rankings)
    size = len(rankings[0])
    assert np.array_equal(counts + counts.T, len(rankings) * (1 - np.eye(size)))
    brute = [[sum(r.index(i) < r.index(j) for r in rankings) for j in range(size)] for i in range(size)]
    assert counts.tolist() == brute


@given(profiles)
def test_a_cycle_is_reported_exactly_when_no_order_agrees_with_the_majority(rankings):
    beats = majority_graph(pairwise_counts(rankings))
    size = len(beats)
    consistent = any(
        not any(beats[order[j], order[i]] for i in range(size) for j in range(i + 1, size))
        for order in permutations(range(size))
    )
    cycle = shortest_cycle(pairwise_counts(rankings))
    assert (cycle == ()) == consistent
    if cycle:
        assert len(cycle) >= 3
        assert all(beats[a, b] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))


@given(profiles)
def test_no_shorter_cycle_exists(rankings):
    beats = majority_graph(pairwise_counts(rankings))
    cycle = shortest_cycle(pairwise_counts(rankings))
    for length in range(3, len(cycle)):
        for path in permutations(range(len(beats)), length):
            assert not all(beats[a, b] for a, b in zip(path, path[1:] + path[:1], strict=True))


@given(profiles)
def test_the_winner_beats_everyone(rankings):
    counts = pairwise_counts(rankings)
    winner = condorcet_winner(counts)
    champions = [
        i for i in range(len(counts)) if all(counts[i, j] > counts[j, i] for j in range(len(counts)) if j != i)
    ]
    assert ([] if winner is None else [winner]) == champions


def test_a_tie_is_no_edge():
    assert not majority_graph(pairwise_counts([[0, 1], [1, 0]])).any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: pairwise_counts([[0, 1], [1, 1]]),
            r"rankings\[1\] = \[1.0, 1.0\]: allowed is a permutation of 0 to 1",
        ),
        (lambda: pairwise_counts([0, 1]), r"rankings\.shape"),
        (lambda: pairwise_counts([[0, 1.5]]), "rankings = 1.5"),
        (lambda: majority_graph([[0, 1]]), r"wins\.shape"),
        (lambda: mixture_win_rate([[0, 0], [0, 0]]), r"wins = \(0, 1\)"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
