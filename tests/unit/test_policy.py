"""Oracle: hand-written responses, and the sampler's own account of what it sampled."""

import numpy as np
import pytest

from pycore import arithmetic
from pycore.domain import DomainError
from pycore.gru import Size
from pycore.gru_policy import GruPolicy
from pycore.policy import Grammar, join, written

GRAMMAR = arithmetic.grammar()
PROMPTS = arithmetic.encode_prompts([[27, 58], [12, 34]])


def test_written_responses_have_the_mask_and_the_lengths_of_sampled_ones():
    policy = GruPolicy.new(Size(hidden=4), GRAMMAR, np.random.default_rng(0))
    sampled = policy.sample(PROMPTS, 20, np.random.default_rng(0))
    copied = written(sampled.prompts, sampled.tokens, GRAMMAR)
    for name in ("tokens", "mask", "lengths", "truncated"):
        assert np.array_equal(getattr(copied, name), getattr(sampled, name))


def test_the_end_is_trained_on_even_where_padding_is_the_same_token():
    # A mask made by comparing with the pad token would take the last action away, and with it every learned stop.
    grammar = Grammar(np.ones((3, 3), bool), end=1, pad=1)
    found = written([[0]], [[[0, 1, 1], [2, 0, 2], [1, 1, 1]]], grammar)
    assert found.mask.tolist() == [[[True, True, False], [True, True, True], [True, False, False]]]
    assert found.lengths.tolist() == [[2, 3, 1]]
    assert found.truncated.tolist() == [[False, True, False]]


def test_rows_and_join_undo_each_other():
    whole = written(PROMPTS, arithmetic.answers([[27, 58], [12, 34]])[:, None], GRAMMAR)
    parts = [whole.rows([1]), whole.rows([0])]
    again = join(parts).rows([1, 0])
    assert np.array_equal(again.tokens, whole.tokens)
    assert np.array_equal(again.prompts, whole.prompts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Grammar(np.zeros((1, 2), bool), 0, 1), "allowed"),
        (lambda: Grammar(np.ones((1, 2)), 0, 1), "allowed"),
        (lambda: Grammar(np.ones((1, 2), bool), 2, 1), "end = 2"),
        (lambda: written(PROMPTS, [[[1]]], GRAMMAR), r"tokens\.shape"),
        (lambda: written(PROMPTS[:1], [[[12, 14]]], GRAMMAR), "tokens = 12"),
        (lambda: written(PROMPTS[:1], [[[99, 14]]], GRAMMAR), "tokens = 99"),
        (lambda: join([]), "rollouts"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
