"""Oracle: scipy's adaptive quadrature for both moments of a maximum, and for the tilted Gaussian."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pycore.overoptimisation import Judge, best_of_n, best_of_n_kl, tilted

JUDGE = Judge(noise=0.8, bonus=0.6, cost=0.3)


@pytest.mark.parametrize("n", [2, 7, 64, 1000, 10**6])
def test_proxy_and_true_of_best_of_n_are_quadratures(n):
    def density(z):
        return n * np.exp(norm.logpdf(z) + (n - 1) * norm.logcdf(z))

    s = np.sqrt(1 + 0.8**2 + 0.6**2)
    middle = norm.ppf(0.5 ** (1 / n))
    first, second = (
        quad(lambda z, k=k: z**k * density(z), -9, 9, points=[middle], epsabs=1e-12, limit=200)[0] for k in (1, 2)
    )
    ours = best_of_n(JUDGE, n)
    assert float(ours.proxy) == pytest.approx(s * first, abs=1e-9)
    assert float(ours.true) == pytest.approx(first / s - 0.3 * (0.6 / s) ** 2 * (second - 1), abs=1e-9)


@pytest.mark.parametrize("n", [2, 7, 64])
def test_the_kl_of_best_of_n_is_the_divergence_of_a_maximum(n):
    def integrand(u):
        return n * u ** (n - 1) * np.log(n * u ** (n - 1))

    assert float(best_of_n_kl(n)) == pytest.approx(quad(integrand, 1e-12, 1)[0], abs=1e-8)


def test_the_tilted_optimum_is_a_reweighted_normal():
    beta, s = 1.3, np.sqrt(1 + 0.8**2 + 0.6**2)

    def average(f):
        weight = quad(lambda y: norm.pdf(y, 0, s) * np.exp(y / beta), -30, 30)[0]
        return quad(lambda y: f(y) * norm.pdf(y, 0, s) * np.exp(y / beta) / weight, -30, 30)[0]

    ours = tilted(JUDGE, beta)
    assert float(ours.proxy) == pytest.approx(average(lambda y: y))
    log_z = np.log(quad(lambda y: norm.pdf(y, 0, s) * np.exp(y / beta), -30, 30)[0])
    assert float(ours.kl) == pytest.approx(average(lambda y: y / beta - log_z))
    true = average(lambda y: y / s**2 - 0.3 * ((0.6 * y / s**2) ** 2 - 0.6**2 / s**2))
    assert float(ours.true) == pytest.approx(true)
