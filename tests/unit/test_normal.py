"""Oracle: the standard library's NormalDist, and the derivative identity of the logarithm."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.normal import log_normal_probability, normal_density, normal_probability


@given(st.floats(-8, 8))
def test_density_and_probability_are_those_of_the_standard_library(x):
    assert float(normal_density(x)) == pytest.approx(NormalDist().pdf(x), rel=1e-14)
    assert float(normal_probability(x)) == pytest.approx(NormalDist().cdf(x), rel=1e-12, abs=1e-15)


def test_the_logarithm_has_no_step_where_the_series_takes_over():
    left, right = log_normal_probability([-20.000001, -19.999999])
    slope = 20 + 1 / 20
    assert right - left == pytest.approx(2e-6 * slope, rel=1e-3)


def test_the_logarithm_survives_where_the_probability_is_zero():
    assert normal_probability(-50) == 0
    assert np.isfinite(log_normal_probability(-1e6))
    assert log_normal_probability(40) == 0


def test_nan_is_refused():
    with pytest.raises(DomainError):
        normal_probability(np.nan)
