"""Best-of-n on any finite list of answers, exactly: ties, heavy errors and rare loopholes included.

`pycore.tilt.tilted_policy` is the KL-regularised counterpart on the same list.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite, whole
from pycore.domain import Array, same_shape
from pycore.tilt import distribution


@dataclass(frozen=True)
class Choice:
    """The policy "draw n answers, keep the one the proxy likes best".

    Attributes:
        probability: of ending with each answer, shape (answers,).
        proxy: expected proxy reward.
        true: expected true quality.
        kl: divergence from the sampling policy, exact, in nats.
    """

    probability: Array
    proxy: float
    true: float
    kl: float


def choose_best(probability: ArrayLike, proxy: ArrayLike, true: ArrayLike, n: int) -> Choice:
    """Exact outcome of best-of-n; answers of equal proxy reward are chosen between at random.

    Args:
        probability: of each answer under the sampling policy, sums to 1, shape (answers,).
        proxy: reward the judge gives it, finite, shape (answers,).
        true: what it is worth, finite, shape (answers,).
        n: answers drawn, >= 1.

    Returns:
        `Choice`. Its KL is at most log n - (n - 1) / n and stays below log(1 / P(best answers)).

    Raises:
        DomainError: mismatched shapes, probabilities that do not sum to 1, n < 1.

    >>> choice = choose_best([0.9, 0.1], proxy=[0.0, 1.0], true=[1.0, 0.0], n=2)
    >>> choice.probability.round(3).tolist(), round(choice.true, 3)
    ([0.81, 0.19], 0.81)

    Source: the best of n lies in a level with probability P(<=)^n - P(<)^n.
    """
    base = distribution("probability", probability)
    reward, worth = finite("proxy", proxy), finite("true", true)
    same_shape(probability=base, proxy=reward, true=worth)
    count = whole("n", n, 1)
    _, level = np.unique(reward, return_inverse=True)
    mass = np.bincount(level, weights=base)
    up_to = np.minimum(np.cumsum(mass), 1.0)
    up_to[-1] = 1.0
    # P(<=)^n - P(<)^n over the level's own mass, through expm1: a rare level would cancel away in the plain powers.
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(mass > 0, mass / up_to, 0.0)
        gain = np.where(mass > 0, up_to**count * -np.expm1(count * np.log1p(-np.minimum(share, 1.0))) / mass, 0.0)
    chosen = base * gain[level]
    alive = chosen > 0
    kl = float((chosen[alive] * np.log(gain[level][alive])).sum())
    return Choice(chosen, float(chosen @ reward), float(chosen @ worth), max(0.0, kl))
