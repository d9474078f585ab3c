"""When a group of responses gives a signal: the chance that its rewards differ, over prompts and correlated draws.

A group of G binary rewards is *empty* when all are equal (every advantage is zero) and *informative* otherwise.
Correlated draws follow Polya's urn: the success probability itself is drawn once per group, so that two responses of
the group have correlation `correlation` while each alone still succeeds with probability `success`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycore.domain import Array, DomainError, integer, within


@dataclass(frozen=True)
class Share:
    """A share counted in a simulation.

    Attributes:
        value: the share itself, in [0, 1].
        standard_error: of `value`, never zero: computed with one success and one failure added.
    """

    value: float
    standard_error: float


def informative_probability(success: ArrayLike, group_size: ArrayLike, correlation: ArrayLike = 0.0) -> Array:
    """Probability that a group mixes successes and failures, so that its advantages are not all zero.

    Args:
        success: probability that one response is correct, in [0, 1], shape (...).
        group_size: responses per prompt G, integers >= 1, broadcastable to `success`.
        correlation: between two responses of one group, in [0, 1], broadcastable; 0 is independent draws.

    Returns:
        1 - p^G - (1-p)^G for independent draws, shape of the broadcast inputs, in [0, 1].

    Raises:
        DomainError: a probability or correlation outside [0, 1], a group size below 1.

    >>> informative_probability([0.1], 8).round(4)
    array([0.5695])

    Source: counting argument; for correlated draws the beta-binomial law (Skellam 1948).
    """
    p, size, rho = _broadcast(success, group_size, correlation)
    rare = np.minimum(p, 1 - p)
    # The frequent outcome fills the group with probability near 1: expm1 keeps the digits that 1 - x would cancel.
    return _informative(
        _log_all_same(rare, size, rho), _log_all_same(1 - rare, size, rho, complement=rare), (size == 1) | (rho == 1)
    )


def empty_probability(success: ArrayLike, group_size: ArrayLike, correlation: ArrayLike = 0.0) -> Array:
    """Probability that all responses of a group get the same binary reward, so that the group teaches nothing.

    Args:
        success: probability that one response is correct, in [0, 1], shape (...).
        group_size: responses per prompt G, integers >= 1, broadcastable to `success`.
        correlation: between two responses of one group, in [0, 1], broadcastable.

    Returns:
        p^G + (1-p)^G for independent draws, shape of the broadcast inputs, in [0, 1].

    Raises:
        DomainError: a probability or correlation outside [0, 1], a group size below 1.

    >>> empty_probability(0.5, 4)
    array(0.125)

    Source: the complement of `informative_probability`, computed directly so that small values keep their digits.
    """
    p, size, rho = _broadcast(success, group_size, correlation)
    all_right = np.exp(_log_all_same(p, size, rho))
    all_wrong = np.exp(_log_all_same(1 - p, size, rho, complement=p))
    return np.asarray(np.where((size == 1) | (rho == 1), 1.0, np.minimum(1.0, all_right + all_wrong)))


def expected_prompts(
    informative: ArrayLike, success: ArrayLike, group_size: ArrayLike, correlation: ArrayLike = 0.0
) -> Array:
    """Mean number of prompts looked at until `informative` informative groups are found.

    Args:
        informative: informative groups wanted B, integers >= 0.
        success: probability that one response is correct, in [0, 1], broadcastable.
        group_size: responses per prompt G, integers >= 1, broadcastable.
        correlation: between two responses of one group, in [0, 1], broadcastable.

    Returns:
        B / P_info; infinite where no group can be informative (p = 0 or 1, G = 1) and B > 0; 0 where B = 0.

    Raises:
        DomainError: any argument outside its range.

    >>> expected_prompts(32, [0.1], 8).round(1)
    array([56.2])

    Source: mean of the negative binomial law.
    """
    wanted = integer("informative", informative, 0)
    wanted, share = np.broadcast_arrays(wanted, informative_probability(success, group_size, correlation))
    count = np.divide(wanted, share, out=np.full(share.shape, np.inf), where=share > 0)
    return np.asarray(np.where(wanted == 0, 0.0, count))


def mixture_informative_probability(
    alpha: ArrayLike, beta: ArrayLike, group_size: ArrayLike, correlation: float = 0.0
) -> Array:
    """Informative share of a stream of prompts whose success probabilities follow a Beta law.

    The mean success of the stream is alpha / (alpha + beta); plugging that mean into `informative_probability` promises
    too much, because a group's emptiness is a convex function of p.

    Args:
        alpha: first Beta parameter, > 0, shape (...); small values pile prompts up at p = 0.
        beta: second Beta parameter, > 0, broadcastable; small values pile prompts up at p = 1.
        group_size: responses per prompt G, integers >= 1, broadcastable.
        correlation: between two responses to one prompt, in [0, 1].

    Returns:
        1 - E[p^G] - E[(1-p)^G] for independent draws, shape of the broadcast inputs, in [0, 1].

    Raises:
        DomainError: a parameter that is not positive and finite, a group size below 1, a correlation outside [0, 1].

    >>> mixture_informative_probability(1, 1, 8).round(4)  # uniform p: 1 - 2/(G+1)
    np.float64(0.7778)

    Source: moments of the Beta law, E[p^j] = B(alpha + j, beta) / B(alpha, beta).
    """
    a, b = (
        within(name, value, 0, np.inf, open_low=True, open_high=True)
        for name, value in (("alpha", alpha), ("beta", beta))
    )
    rho = float(within("correlation", correlation, 0, 1))
    a, b, sizes = _together("alpha, beta, group_size", a, b, integer("group_size", group_size, 1))
    if rho == 0:
        # A Beta stream seen through one group per prompt is Polya's urn: mean alpha/(alpha+beta), strength alpha+beta.
        return informative_probability(a / (a + b), sizes, 1 / (1 + a + b))
    share = np.zeros(sizes.shape)
    for size in np.unique(sizes[sizes > 1]):
        chosen = sizes == size
        one = _polynomial_mean(a[chosen], b[chosen], int(size), rho)
        zero = _polynomial_mean(b[chosen], a[chosen], int(size), rho)
        share[chosen] = np.maximum(0.0, 1 - one - zero)
    return share


def simulated_informative_share(
    success: ArrayLike, group_size: int, rng: np.random.Generator, correlation: float = 0.0
) -> Share:
    """Share of informative groups when every prompt is really sampled once.

    Args:
        success: success probability of each prompt, in [0, 1], shape (prompts,); for a Beta stream pass
            `rng.beta(alpha, beta, prompts)`.
        group_size: responses per prompt G, an integer >= 1.
        rng: source of randomness.
        correlation: between two responses of one group, in [0, 1].

    Returns:
        The share and its standard error.

    Raises:
        DomainError: any argument outside its range, or no prompt at all.

    >>> simulated_informative_share(np.full(10_000, 0.1), 8, np.random.default_rng(0)).value
    0.569

    Source: Monte Carlo; the law it must agree with is `informative_probability`.
    """
    p = within("success", success, 0, 1)
    if p.ndim != 1 or p.size == 0:
        raise DomainError("success.shape", p.shape, "(prompts,) with at least one prompt")
    size = int(integer("group_size", group_size, 1))
    rho = float(within("correlation", correlation, 0, 1))
    if rho == 1:
        p = (rng.random(p.shape) < p).astype(float)
    elif rho > 0:
        strength = (1 - rho) / rho
        # A drawn p may be so small that the product is zero, where the Beta law has no such parameter.
        inner = (p * strength > 0) & (p < 1)
        p[inner] = rng.beta(p[inner] * strength, (1 - p[inner]) * strength)
    correct = rng.binomial(size, p)
    count, total = int(np.sum((correct > 0) & (correct < size))), p.size
    smoothed = (count + 1) / (total + 2)
    return Share(count / total, float(np.sqrt(smoothed * (1 - smoothed) / total)))


def _broadcast(success: ArrayLike, group_size: ArrayLike, correlation: ArrayLike) -> tuple[Array, ...]:
    p, size = within("success", success, 0, 1), integer("group_size", group_size, 1)
    return _together("success, group_size, correlation", p, size, within("correlation", correlation, 0, 1))


def _together(names: str, *arrays: Array) -> tuple[Array, ...]:
    try:
        return tuple(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = tuple(array.shape for array in arrays)
        raise DomainError(f"shapes of {names}", shapes, "broadcastable shapes") from None


def _log_all_same(p: Array, size: Array, rho: Array, complement: Array | None = None) -> Array:
    """log P(all `size` responses show the outcome of probability `p`); `complement` is 1 - p where that is exact."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.log(p) if complement is None else np.log1p(-complement)
        total = np.where(rho == 0, size * first, first)
        if np.any(rho > 0):
            # Urn after `drawn` equal outcomes: the next one repeats them with probability 1 - other * weight.
            other, tie = (1 - p if complement is None else complement)[..., None], rho[..., None]
            drawn = np.arange(1, size.max(initial=1))
            steps = np.log1p(-other * ((1 - tie) / (1 - tie + drawn * tie)))
            total = total + np.where((tie > 0) & (drawn < size[..., None]), steps, 0.0).sum(axis=-1)
    return np.asarray(np.where(p == 0, -np.inf, total))


def _informative(log_rare: Array, log_frequent: Array, one_answer: NDArray[np.bool_]) -> Array:
    share = -np.expm1(log_frequent) - np.exp(log_rare)
    return np.asarray(np.where(one_answer, 0.0, np.maximum(share, 0.0)))


def _polynomial_mean(alpha: Array, beta: Array, size: int, rho: float) -> Array:
    """E over p ~ Beta of prod_k (p (1-rho) + k rho)/(1-rho + k rho): every term is positive, so nothing cancels."""
    coefficients = np.array([0.0, 1.0])  # the first draw succeeds with probability p, whatever rho
    for drawn in range(1, size):
        scale = 1 - rho + drawn * rho
        coefficients = np.convolve(coefficients, [drawn * rho / scale, (1 - rho) / scale])
    order = np.arange(size)
    ratios = (alpha[..., None] + order) / (alpha[..., None] + beta[..., None] + order)
    return np.asarray(np.cumprod(ratios, axis=-1) @ coefficients[1:])
