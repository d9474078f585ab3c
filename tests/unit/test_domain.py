"""Oracle: cases worked out by hand."""

import numpy as np
import pytest

from pycore.domain import DomainError, integer, option, real, same_shape, within


def test_the_error_names_argument_value_and_allowed_range():
    with pytest.raises(DomainError, match=r"success = 1\.5: allowed is a number in \[0, 1\]"):
        within("success", [0.2, 1.5], 0, 1)


def test_nan_is_outside_every_interval():
    with pytest.raises(DomainError, match="nan"):
        within("p", [np.nan], -np.inf, np.inf)


def test_an_open_end_excludes_its_own_value():
    assert within("T", 1e-9, 0, np.inf, open_low=True) == 1e-9
    with pytest.raises(DomainError):
        within("T", 0, 0, np.inf, open_low=True)


@pytest.mark.parametrize("value", [2.5, 0, np.inf, np.nan])
def test_a_group_size_is_a_whole_number_of_at_least_one(value):
    with pytest.raises(DomainError, match="an integer from 1"):
        integer("G", value, 1)


@pytest.mark.parametrize("value", ["1", [[1], [1, 2]], None, 1j])
def test_what_is_not_a_rectangle_of_numbers_is_refused(value):
    with pytest.raises(DomainError, match="rectangular"):
        real("rewards", value)


def test_a_long_value_is_cut_in_the_message():
    assert len(str(DomainError("x", "9" * 10_000, "short"))) < 120


def test_a_number_too_long_to_print_is_still_named():
    assert "x = a int too long to print" in str(DomainError("x", 10**5000, "short"))


def test_an_option_is_one_of_the_list():
    assert option("baseline", "mean", ("mean", "none")) == "mean"
    with pytest.raises(DomainError, match="one of mean, none"):
        option("baseline", "median", ("mean", "none"))


def test_shapes_are_never_broadcast():
    with pytest.raises(DomainError, match=r"mask\.shape = \(2, 1\): allowed is \(2, 3\), the shape of logp"):
        same_shape(logp=np.zeros((2, 3)), mask=np.zeros((2, 1)))


def test_an_array_is_no_option():
    with pytest.raises(DomainError, match="kind"):
        option("kind", np.array(["a", "b"]), ("a", "b"))
