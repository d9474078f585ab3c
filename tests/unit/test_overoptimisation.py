"""Oracle: textbook moments of the largest of two and three normals, simulation, and grid maximisation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.overoptimisation import (
    Judge,
    best_of_n,
    best_of_n_kl,
    simulate_best_of_n,
    simulate_tilted,
    tilted,
    turning_point,
)

judges = st.builds(Judge, st.floats(0, 3), st.floats(-2, 2), st.floats(0, 1))
LONG_WINDED = Judge(noise=1.0, bonus=1.0, cost=0.2)


def test_the_largest_of_two_and_three_normals_have_their_textbook_means():
    fair = Judge(noise=0.0)
    assert best_of_n(fair, [1, 2, 3]).proxy == pytest.approx(
        [0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)], abs=1e-12
    )
    # E max^2 is 1 for two and 1 + sqrt(3) / (2 pi) for three; with all of the proxy made of length it shows alone.
    lengthy = best_of_n(Judge(noise=0.0, bonus=1e6, cost=1.0), [2, 3]).true
    assert lengthy == pytest.approx([0, -math.sqrt(3) / (2 * math.pi)], abs=1e-5)


def test_a_perfect_judge_is_never_overoptimised():
    for optimised in (best_of_n(Judge(noise=0), [1, 10, 1000]), tilted(Judge(noise=0), [9, 1, 0.1])):
        assert optimised.true == pytest.approx(optimised.proxy)
    assert turning_point(Judge(noise=0)) == math.inf


def test_a_judge_as_noisy_as_quality_is_spread_keeps_half_of_what_it_promises():
    many = best_of_n(Judge(noise=1.0), [4, 64, 10**6])
    assert many.true == pytest.approx(many.proxy / 2)


@given(judges, st.integers(1, 40))
def test_selecting_one_of_one_changes_nothing_and_more_always_pleases_the_judge(judge, n):
    one, fewer, more = (best_of_n(judge, count) for count in (1, n, n + 1))
    assert (float(one.kl), float(one.proxy), float(one.true)) == pytest.approx((0, 0, 0), abs=1e-9)
    assert more.proxy > fewer.proxy
    assert more.kl > fewer.kl


@given(judges, st.floats(0.05, 10))
def test_at_equal_kl_the_tilt_pleases_the_judge_at_least_as_much_as_best_of_n(judge, beta):
    optimum = tilted(judge, beta)
    for n in (2, 8, 64):
        chosen = best_of_n(judge, n)
        # The tilt maximises proxy - beta KL over all policies.
        assert chosen.proxy - beta * chosen.kl <= optimum.proxy - beta * optimum.kl + 1e-9


def test_true_quality_turns_down_while_the_proxy_still_rises():
    beta = np.geomspace(20, 0.05, 400)
    curve = tilted(LONG_WINDED, beta)
    peak = int(curve.true.argmax())
    assert np.all(np.diff(curve.proxy) > 0)
    assert 0 < peak < 399
    assert curve.true[-1] < 0
    assert float(curve.kl[peak]) == pytest.approx(turning_point(LONG_WINDED), rel=0.03)
    chosen = best_of_n(Judge(noise=1.0, bonus=1.0, cost=0.5), [2**k for k in range(20)])
    assert 0 < int(chosen.true.argmax()) < 19


@pytest.mark.parametrize("judge", [Judge(1.0), LONG_WINDED, Judge(0.5, -0.7, 0.3)])
def test_simulated_choices_have_the_exact_means(judge):
    draw = np.random.default_rng(11)
    for exact, samples in (
        (best_of_n(judge, 16), simulate_best_of_n(judge, 16, 20_000, draw)),
        (tilted(judge, 0.8), simulate_tilted(judge, 0.8, 20_000, draw)),
    ):
        for mean, sample in zip((exact.proxy, exact.true), samples, strict=True):
            assert abs(sample.mean() - float(mean)) < 4 * sample.std() / math.sqrt(len(sample))


def test_the_kl_of_best_of_4_is_0_636_nat():
    assert float(best_of_n_kl(4)) == pytest.approx(math.log(4) - 3 / 4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Judge(noise=-1), "noise = -1.0"),
        (lambda: Judge(cost=math.nan), "cost = nan"),
        (lambda: best_of_n(Judge(), 0), "n = 0"),
        (lambda: best_of_n(Judge(), 1e10), "n = 1"),
        (lambda: best_of_n_kl(1.5), "n = 1.5"),
        (lambda: tilted(Judge(), [1, 0]), "beta = 0.0"),
        (lambda: simulate_best_of_n(Judge(), 4, 0, np.random.default_rng(0)), "draws = 0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
