"""Oracle: the cell's equations for one row at a time, and central differences of the loss."""

import numpy as np
import pytest

from pycore.domain import DomainError
from pycore.gru import Size, _rows_by_rows, advance, initial, input_table, retreat, views
from pycore.prefix_tree import plant

SIZE = Size(vocabulary=5, embedding=3, hidden=4)
ROWS = np.array([[1, 2, 3], [1, 2, 4], [1, 0, 3], [2, 2, 2], [1, 2, 3]])


def forward(vector, levels):
    weights = views(vector, SIZE)
    table, states, hidden = input_table(weights), [], np.zeros((1, SIZE.hidden))
    for level in levels:
        states.append(advance(weights, table, hidden, level))
        hidden = states[-1].hidden
    return states


def one_row(vector, tokens):
    """The hidden state after some tokens, from the equations as they are written."""
    w = views(vector, SIZE)
    h, width = np.zeros(SIZE.hidden), SIZE.hidden
    for token in tokens:
        x = w.embedding[token] @ w.input + w.input_bias
        u = h @ w.recurrent
        r = 1 / (1 + np.exp(-(x[:width] + u[:width])))
        z = 1 / (1 + np.exp(-(x[width : 2 * width] + u[width : 2 * width])))
        n = np.tanh(x[2 * width :] + r * (u[2 * width :] + w.candidate_bias))
        h = (1 - z) * n + z * h
    return h


def test_shared_prefixes_give_the_states_of_single_rows():
    vector = initial(SIZE, np.random.default_rng(0))
    levels, node = plant(ROWS, SIZE.vocabulary)
    states = forward(vector, levels)
    for row, place in zip(ROWS, node, strict=True):
        assert states[-1].hidden[place] == pytest.approx(one_row(vector, row), rel=1e-13, abs=1e-14)


def test_the_backward_pass_is_the_slope_of_the_loss():
    generator = np.random.default_rng(1)
    vector = initial(SIZE, generator)
    levels, _ = plant(ROWS, SIZE.vocabulary)
    # The loss looks at two levels, so that gradients meet on the way up.
    pull = {depth: generator.standard_normal((len(levels[depth].token), SIZE.hidden)) for depth in (1, 2)}

    def loss(at):
        states = forward(at, levels)
        return sum(float(np.sum(weight * states[depth].hidden)) for depth, weight in pull.items())

    gradient = np.zeros_like(vector)
    for _ in retreat(views(vector, SIZE), views(gradient, SIZE), tuple(levels), forward(vector, levels), pull):
        pass
    step = 1e-5
    for place in range(0, SIZE.parameters - SIZE.hidden * SIZE.vocabulary - SIZE.vocabulary):
        nudge = np.zeros_like(vector)
        nudge[place] = step
        slope = (loss(vector + nudge) - loss(vector - nudge)) / (2 * step)
        assert gradient[place] == pytest.approx(slope, rel=1e-6, abs=1e-9)


def test_huge_weights_give_finite_states():
    vector = 1e6 * initial(SIZE, np.random.default_rng(2))
    states = forward(vector, plant(ROWS, SIZE.vocabulary)[0])
    assert all(np.isfinite(part).all() for state in states for part in state)


def test_the_product_used_without_blas_is_the_product():
    generator = np.random.default_rng(3)
    left, right = generator.standard_normal((7, 5)), generator.standard_normal((5, 3))
    assert _rows_by_rows(left, right) == pytest.approx(left @ right, rel=1e-13)
    assert _rows_by_rows(right.T, left.T) == pytest.approx(right.T @ left.T, rel=1e-13)


def test_the_views_tile_the_vector():
    vector = np.arange(SIZE.parameters, dtype=float)
    assert np.array_equal(np.concatenate([part.ravel() for part in views(vector, SIZE)]), vector)


@pytest.mark.parametrize(
    ("call", "message"),
    [(lambda: Size(hidden=0), "hidden = 0"), (lambda: views(np.zeros(3), SIZE), r"vector\.shape")],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
