"""Oracle: the piecewise definition by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.truncation import overlong_penalty


def test_the_ramp_by_hand():
    assert overlong_penalty([0, 80, 85, 90, 100, 101], limit=100, cache=20).tolist() == [0, 0, -0.25, -0.5, -1, -1]


@given(st.integers(1, 100), st.data())
def test_the_penalty_never_rewards_length(limit, data):
    cache = data.draw(st.integers(1, limit))
    penalty = overlong_penalty(np.arange(2 * limit), limit, cache)
    assert np.all(np.diff(penalty) <= 0)
    assert penalty[0] == 0
    assert penalty[-1] == (-1 if limit > 0 and 2 * limit - 1 >= limit else 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], 10, 0), "cache = 0"),
        (([1], 10, 11), "cache = 11"),
        (([-1], 10, 2), "lengths = -1"),
        (([1], 0, 1), "limit"),
    ],
)
def test_what_lies_outside_is_refused_by_name(arguments, message):
    with pytest.raises(DomainError, match=message):
        overlong_penalty(*arguments)
