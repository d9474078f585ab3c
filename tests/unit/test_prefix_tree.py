"""Oracle: Python sets of prefixes and sums by a loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pycore.prefix_tree import build, grow, plant, sum_children

END, PAD = 3, 4
PROMPT = st.lists(st.integers(0, 3), min_size=2, max_size=2)
RESPONSE = st.lists(st.integers(0, 2), min_size=0, max_size=3)


def arrays(groups):
    """Prompts, tokens and mask; every response ends, and what follows is padding."""
    prompts = np.array([prompt for prompt, _ in groups])
    tokens = np.full((len(groups), len(groups[0][1]), 4), PAD)
    mask = np.zeros(tokens.shape, dtype=bool)
    for row, (_, responses) in enumerate(groups):
        for member, response in enumerate(responses):
            tokens[row, member, : len(response) + 1] = [*response, END]
            mask[row, member, : len(response) + 1] = True
    return prompts, tokens, mask


GROUPS = st.lists(st.tuples(PROMPT, st.lists(RESPONSE, min_size=3, max_size=3)), min_size=1, max_size=5)


@given(GROUPS)
def test_a_tree_holds_every_prefix_once_and_knows_where_each_action_is_predicted(groups):
    prompts, tokens, mask = arrays(groups)
    tree = build(prompts, tokens, mask, vocabulary=5)
    spelled: list[list[tuple[int, ...]]] = []
    for level in tree.levels:
        above = spelled[-1] if spelled else [()]
        spelled.append([(*above[p], t) for p, t in zip(level.parent.tolist(), level.token.tolist(), strict=True)])
    for prefixes in spelled:
        assert len(set(prefixes)) == len(prefixes)
    assert set(spelled[1]) == {tuple(prompt) for prompt, _ in groups}
    predicted = [(prefix, head - 1) for head in tree.heads for prefix in spelled[head]]
    assert len(predicted) == tree.nodes
    assert [position for _, position in predicted] == tree.position.tolist()
    rows = [(prompt, response) for prompt, responses in groups for response in responses]
    for row, (prompt, response) in enumerate(rows):
        for position in range(len(response) + 1):
            assert predicted[tree.index[row, position]] == (tuple(prompt + response[:position]), position)


@given(GROUPS)
def test_sums_over_children_are_the_sums_of_a_loop(groups):
    prompts, tokens, mask = arrays(groups)
    tree = build(prompts, tokens, mask, vocabulary=5)
    generator = np.random.default_rng(0)
    for level in tree.levels:
        values = generator.standard_normal((len(level.token), 3))
        expected = [values[level.parent == parent].sum(axis=0) for parent in np.unique(level.parent)]
        assert np.allclose(sum_children(values, level), expected, rtol=1e-14, atol=1e-14)
        assert level.inner.tolist() == np.unique(level.parent).tolist()


def test_a_tree_by_hand():
    levels, node = plant(np.array([[7, 1], [7, 2], [7, 1]]), vocabulary=8)
    assert [level.token.tolist() for level in levels] == [[7], [1, 2]]
    assert node.tolist() == [0, 1, 0]
    level, node = grow(node, np.array([5, 5, 6]), parents=2, vocabulary=8)
    assert (level.token.tolist(), level.parent.tolist(), node.tolist()) == ([5, 6, 5], [0, 0, 1], [0, 2, 1])
