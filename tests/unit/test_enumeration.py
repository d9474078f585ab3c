"""Oracle: counting responses by hand and finite differences of their log-probs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.enumeration import response_tree, score_vectors, tree_log_probs

TREES = {
    "bandit": response_tree(4, 1),
    "two steps, three tokens": response_tree(3, 2),
    "with an end": response_tree(3, 3, end=0),
}


def test_two_steps_of_three_tokens_make_nine_responses_and_four_contexts():
    tree = TREES["two steps, three tokens"]
    assert tree.tokens.tolist() == [[a, b] for a in range(3) for b in range(3)]
    assert tree.mask.all()
    assert (tree.context[:, 0] == 0).all()
    assert len(set(tree.context[:, 1])) == 3


def test_an_end_token_makes_short_responses():
    tree = TREES["with an end"]
    # 0; then 1|2 followed by 0; then two tokens of 1|2 followed by any of three.
    assert len(tree.tokens) == 1 + 2 + 4 * 3
    assert sorted(tree.mask.sum(axis=1)) == [1, 2, 2] + [3] * 12
    assert tree.contexts == 1 + 2 + 4


@pytest.mark.parametrize("name", TREES)
@given(st.integers(0, 10**6))
def test_the_probabilities_of_all_responses_sum_to_one(name, seed):
    tree = TREES[name]
    logits = np.random.default_rng(seed).normal(0, 3, (tree.contexts, tree.vocabulary))
    assert np.exp(tree_log_probs(tree, logits).sum(axis=1)).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", TREES)
def test_score_vectors_are_finite_differences(name):
    tree = TREES[name]
    logits = np.random.default_rng(0).normal(size=(tree.contexts, tree.vocabulary))
    exact = score_vectors(tree, logits)
    for place in np.ndindex(logits.shape):
        shift = np.zeros_like(logits)
        shift[place] = 1e-6
        slope = (tree_log_probs(tree, logits + shift) - tree_log_probs(tree, logits - shift)) / 2e-6
        assert exact[(..., *place)] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("name", TREES)
def test_the_expected_score_is_zero(name):
    tree = TREES[name]
    logits = np.random.default_rng(1).normal(size=(tree.contexts, tree.vocabulary))
    p = np.exp(tree_log_probs(tree, logits).sum(axis=1))
    assert np.tensordot(p, score_vectors(tree, logits).sum(axis=1), axes=1) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: response_tree(1, 2), "vocabulary = 1.0"),
        (lambda: response_tree(3, 0), "steps = 0.0"),
        (lambda: response_tree(10, 5), "at most 10000 responses"),
        (lambda: response_tree(3, 2, end=3), "end = 3.0"),
        (lambda: tree_log_probs(TREES["bandit"], np.zeros((2, 4))), r"logits\.shape = \(2, 4\): allowed is \(1, 4\)"),
        (lambda: score_vectors(TREES["bandit"], [[0, 0, 0, np.inf]]), "logits = inf"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
