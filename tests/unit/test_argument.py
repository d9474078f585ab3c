"""Oracle: cases worked out by hand."""

import numpy as np
import pytest

from pycore.argument import boolean, finite, scalar, whole
from pycore.domain import DomainError


def test_a_coefficient_is_one_number():
    assert scalar("beta", np.float32(0.5), 0, 1) == 0.5
    with pytest.raises(DomainError, match=r"beta\.shape = \(2,\): allowed is a single number"):
        scalar("beta", [0.1, 0.2], 0, 1)


def test_a_whole_number_becomes_an_int():
    assert isinstance(whole("k", 4.0, 1), int)
    with pytest.raises(DomainError, match="k = 0"):
        whole("k", 0, 1)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(value):
    with pytest.raises(DomainError, match="rewards"):
        finite("rewards", [1.0, value])


def test_the_number_of_axes_is_checked_when_asked_for():
    with pytest.raises(DomainError, match=r"rewards\.shape = \(1, 2\): allowed is a shape with 1 axes"):
        finite("rewards", [[1.0, 2.0]], dimensions=1)


def test_a_mask_of_numbers_is_refused():
    assert boolean("mask", [True, False]).tolist() == [True, False]
    with pytest.raises(DomainError, match=r"mask = 'int(64|32)'"):
        boolean("mask", [1, 0])
