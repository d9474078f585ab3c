"""Goodhart in closed form: how true quality parts from a proxy reward under best-of-n and under KL-regularised RL.

The judge of the Gaussian model errs in two ways. Its noise is a fixed error of each answer, and it likes length:

    quality q ~ N(0, 1),  length l ~ N(0, 1) in units of its spread,  error e ~ N(0, 1), all independent
    proxy = q + bonus l + noise e
    true  = q - cost (l^2 - 1)

Noise alone makes the proxy promise more than it keeps; a bonus for length that costs quality makes the true curve
turn down. `pycore.best_of_n` does the same for any finite list of answers, where ties and heavy errors are possible.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import scalar, whole
from pycore.domain import Array, integer, within
from pycore.normal import log_normal_probability, normal_density


@dataclass(frozen=True)
class Judge:
    """A Gaussian judge.

    Attributes:
        noise: standard deviation of its error, >= 0, in units of the spread of quality.
        bonus: what it pays for one standard deviation of length.
        cost: what squared length takes away from true quality, >= 0.
    """

    noise: float = 1.0
    bonus: float = 0.0
    cost: float = 0.0

    def __post_init__(self) -> None:
        scalar("noise", self.noise, 0, np.inf, open_high=True)
        scalar("bonus", self.bonus, -np.inf, np.inf, open_low=True, open_high=True)
        scalar("cost", self.cost, 0, np.inf, open_high=True)

    @property
    def spread(self) -> float:
        """Standard deviation of the proxy reward."""
        return float(np.sqrt(1 + self.bonus**2 + self.noise**2))


@dataclass(frozen=True)
class Optimised:
    """Where an optimiser of the proxy ends up; arrays of one shape.

    Attributes:
        kl: divergence from the starting policy in nats.
        proxy: expected proxy reward, 0 at the start.
        true: expected true quality, 0 at the start.
    """

    kl: Array
    proxy: Array
    true: Array


def best_of_n_kl(n: ArrayLike) -> Array:
    """KL divergence of best-of-n from the policy it samples.

    Args:
        n: samples to choose from, integers >= 1, shape (...).

    Returns:
        log n - (n - 1) / n in nats, shape (...). Exact when no two answers tie and the judge always gives an answer
        the same reward; with ties, or with fresh noise at every judgement, only an upper bound.

    Raises:
        DomainError: n below 1 or not whole.

    >>> best_of_n_kl([1, 4, 64]).round(3).tolist()
    [0.0, 0.636, 3.175]

    Source: counting argument; Beirami et al., Theoretical guarantees on the best-of-n alignment policy (2024), for the
    bound.
    """
    count = integer("n", n, 1)
    return np.asarray(np.log(count) - (count - 1) / count)


def best_of_n(judge: Judge, n: ArrayLike) -> Optimised:
    """Expected proxy reward and true quality of the answer the judge likes best among n.

    Args:
        judge: the Gaussian judge.
        n: samples to choose from, integers >= 1, up to 10^9, shape (...).

    Returns:
        `Optimised`, arrays of shape (...).

    Raises:
        DomainError: n out of range.

    >>> best = best_of_n(Judge(noise=1.0), 16)
    >>> round(float(best.proxy), 3), round(float(best.true), 3)
    (2.497, 1.249)

    Source: given the proxy everything else is Gaussian, so only two moments of a maximum of n normals are needed.
    """
    count = integer("n", n, 1, 10**9)
    first, second = _maximum_moments(count)
    return Optimised(best_of_n_kl(count), np.asarray(judge.spread * first), _true(judge, first, second))


def tilted(judge: Judge, beta: ArrayLike) -> Optimised:
    """Expected proxy reward and true quality of the optimum of proxy - beta KL.

    Args:
        judge: the Gaussian judge.
        beta: KL coefficient, > 0, shape (...).

    Returns:
        `Optimised`, arrays of shape (...). With d = sqrt(KL) the proxy grows like d and the true quality like
        a d - b d^2.

    Raises:
        DomainError: beta <= 0.

    >>> optimum = tilted(Judge(noise=1.0, bonus=1.0, cost=0.2), [4.0, 1.0, 0.25])
    >>> optimum.proxy.round(3).tolist(), optimum.true.round(3).tolist()
    ([0.75, 3.0, 12.0], [0.238, 0.8, 0.8])

    Source: tilting a Gaussian by exp(proxy / beta) shifts it by variance / beta; the form a d - b d^2 is the one
    Gao et al. fitted for best-of-n (Scaling laws for reward model overoptimization, 2022).
    """
    strength = within("beta", beta, 0, np.inf, open_low=True, open_high=True)
    shift = judge.spread / strength
    return Optimised(np.asarray(shift**2 / 2), np.asarray(judge.spread * shift), _true(judge, shift, 1 + shift**2))


def turning_point(judge: Judge) -> float:
    """KL divergence at which the tilted optimum has the largest true quality.

    Args:
        judge: the Gaussian judge.

    Returns:
        Nats; inf when true quality never turns down (no bonus or no cost).

    >>> round(turning_point(Judge(noise=1.0, bonus=1.0, cost=0.2)), 3)
    9.375

    Source: zero of the derivative of a d - b d^2.
    """
    bend = judge.cost * judge.bonus**2
    if bend == 0:
        return float("inf")
    # true = shift / s - bend shift^2 / s^2 is largest at shift = s / (2 bend), and KL = shift^2 / 2.
    return float((judge.spread / (2 * bend)) ** 2 / 2)


def simulate_best_of_n(judge: Judge, n: int, draws: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """Proxy and true reward of chosen answers, drawn from the model.

    Args:
        judge: the Gaussian judge.
        n: samples to choose from, >= 1.
        draws: independent choices, >= 1.
        generator: source of randomness.

    Returns:
        Proxy rewards and true qualities of the chosen answers, each of shape (draws,).

    Raises:
        DomainError: n or draws below 1.

    >>> proxy, true = simulate_best_of_n(Judge(), 4, 2, np.random.default_rng(0))
    >>> proxy.shape, true.shape
    ((2,), (2,))

    Source: the definition of the model.
    """
    shape = whole("draws", draws, 1), whole("n", n, 1)
    quality, length, error = (generator.standard_normal(shape) for _ in range(3))
    proxy = quality + judge.bonus * length + judge.noise * error
    true = quality - judge.cost * (length**2 - 1)
    chosen = np.arange(draws), proxy.argmax(axis=1)
    return proxy[chosen], true[chosen]


def simulate_tilted(judge: Judge, beta: float, draws: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """Proxy and true reward of answers drawn from the KL-regularised optimum.

    Args:
        judge: the Gaussian judge.
        beta: KL coefficient, > 0.
        draws: answers, >= 1.
        generator: source of randomness.

    Returns:
        Proxy rewards and true qualities, each of shape (draws,).

    Raises:
        DomainError: beta <= 0 or draws below 1.

    >>> simulate_tilted(Judge(), 1.0, 2, np.random.default_rng(0))[0].shape
    (2,)

    Source: the tilt shifts quality, length and error by their own coefficient in the proxy, over beta.
    """
    strength = scalar("beta", beta, 0, np.inf, open_low=True, open_high=True)
    quality, length, error = generator.standard_normal((3, whole("draws", draws, 1)))
    quality, length, error = quality + 1 / strength, length + judge.bonus / strength, error + judge.noise / strength
    return quality + judge.bonus * length + judge.noise * error, quality - judge.cost * (length**2 - 1)


def _true(judge: Judge, first: Array, second: Array) -> Array:
    """True quality given the first two moments of the standardised proxy z.

    Given z, quality has mean z / s and length has mean bonus z / s and variance 1 - bonus^2 / s^2.
    """
    per_z = 1 / judge.spread
    squared_length = (judge.bonus * per_z) ** 2 * (second - 1)
    return np.asarray(per_z * first - judge.cost * squared_length)


def _maximum_moments(count: Array) -> tuple[Array, Array]:
    """Mean and mean square of the largest of `count` standard normals."""
    found = np.array([_moments(int(n)) for n in count.ravel()]).reshape(*count.shape, 2)
    return found[..., 0], found[..., 1]


# A slider asks for the same few counts again and again, and they depend on nothing else.
@lru_cache(maxsize=1024)
def _moments(n: int) -> tuple[float, float]:
    """Both moments for one n, by the trapezoid rule.

    The integrand and all its derivatives vanish at both ends, so the rule converges faster than any power.
    """
    grid, log_below, density = _normal_on_grid()
    # Above 0 log Phi is tiny and must be multiplied by n before the exponential, never the power taken of Phi.
    weight = n * np.exp((n - 1) * log_below) * density * (grid[1] - grid[0])
    return float(weight @ grid), float(weight @ grid**2)


@cache
def _normal_on_grid() -> tuple[Array, Array, Array]:
    grid = np.linspace(-10.0, 10.0, 2001)
    return grid, log_normal_probability(grid), normal_density(grid)
