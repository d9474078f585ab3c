"""The optimum of expected reward minus a KL penalty, in closed form on a finite set of answers.

Maximising E[r] - beta KL(pi || reference) gives pi proportional to reference * exp(r / beta): the reference *tilted* by
the reward. RLHF, DPO and the squared surrogate all aim at this policy.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import finite, scalar
from pycore.domain import Array, DomainError, same_shape, within


@dataclass(frozen=True)
class Tilt:
    """The KL-regularised optimum.

    Attributes:
        probability: optimal policy, shape (answers,).
        log_z: log of the normaliser sum reference exp(r / beta).
        reward: expected reward under the optimum.
        kl: KL(optimum || reference) in nats.
    """

    probability: Array
    log_z: float
    reward: float
    kl: float


def tilted_policy(reference: ArrayLike, rewards: ArrayLike, beta: float) -> Tilt:
    """Policy that maximises expected reward minus beta times its KL divergence from the reference.

    Args:
        reference: probabilities that sum to 1, shape (answers,); an answer of probability 0 stays at 0.
        rewards: finite, shape (answers,).
        beta: > 0; small means far from the reference.

    Returns:
        `Tilt`; its value reward - beta kl equals beta log_z.

    Raises:
        DomainError: probabilities that do not sum to 1 (1e-9), different shapes, beta <= 0.

    >>> tilted_policy([0.5, 0.5], [1.0, 0.0], beta=1.0).probability.round(4).tolist()
    [0.7311, 0.2689]

    Source: Gibbs variational principle; DPO (2023), appendix A.1.
    """
    base, reward = distribution("reference", reference), finite("rewards", rewards)
    same_shape(reference=base, rewards=reward)
    strength = scalar("beta", beta, 0, np.inf, open_low=True, open_high=True)
    support = base > 0
    best = reward[support].max()
    # Shifting by the best reward first keeps the exponent at most 0 however small beta is.
    with np.errstate(over="ignore"):
        exponent = np.where(support, (np.minimum(reward, best) - best) / strength, -np.inf)
    weight = base * np.exp(exponent)
    total = float(weight.sum())
    policy = weight / total
    alive = policy > 0
    kl = float((policy[alive] * (exponent[alive] - np.log(total))).sum())
    return Tilt(policy, float(best / strength + np.log(total)), float(policy @ reward), max(0.0, kl))


def tilted_share(share: ArrayLike, lead: ArrayLike, beta: ArrayLike) -> Array:
    """How often the optimum takes one of two ways to answer: `tilted_policy` for two, over arrays.

    Args:
        share: how often the reference takes this way, in (0, 1), shape (...).
        lead: its expected reward minus that of the other way, finite, broadcastable.
        beta: > 0, broadcastable.

    Returns:
        The share whose odds are those of `share` times exp(lead / beta).

    Raises:
        DomainError: a share outside (0, 1), beta <= 0, a lead that is not finite.

    >>> tilted_share(0.01, 0.8, [0.2, 0.1]).round(2)
    array([0.36, 0.97])

    Source: as for `tilted_policy`.
    """
    base = within("share", share, 0, 1, open_low=True, open_high=True)
    exponent = finite("lead", lead) / within("beta", beta, 0, np.inf, open_low=True, open_high=True)
    # A logistic function of the log-odds; for both signs no exponential grows beyond all bounds.
    odds = np.log(base) - np.log1p(-base) + exponent
    small = np.exp(-np.abs(odds))
    return np.asarray(np.where(odds >= 0, 1, small) / (1 + small))


def distribution(name: str, value: ArrayLike) -> Array:
    """`value` as a probability vector.

    Args:
        name: the caller's argument name, quoted in the error.
        value: non-negative numbers, shape (answers,).

    Raises:
        DomainError: not a vector, an entry outside [0, 1], a sum that differs from 1 by more than 1e-9.

    >>> distribution("p", [0.25, 0.75])
    array([0.25, 0.75])
    """
    array = within(name, value, 0, 1)
    if array.ndim != 1 or array.size == 0:
        raise DomainError(f"{name}.shape", array.shape, "(answers,) with at least one answer")
    if abs(float(array.sum()) - 1) > 1e-9:
        raise DomainError(f"{name} sum", float(array.sum()), "1")
    return array
