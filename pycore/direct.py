"""Losses that train a policy on preference pairs without a reward model: DPO, IPO, SimPO, length-normalised DPO.

Log-probs are sums over a whole answer. Every loss is a function of one margin per pair, linear in the four
log-probs; the gradient therefore is a *weight* (how far the pair is from satisfied) times constant slopes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import scalar
from pycore.domain import Array, integer, same_shape, within
from pycore.preference import log_sigmoid


@dataclass(frozen=True)
class PairGradient:
    """Derivative of each pair's loss with respect to its four log-probs, each of shape (...).

    Attributes:
        chosen: log-prob of the preferred answer under the trained policy.
        rejected: log-prob of the other answer under the trained policy.
        ref_chosen: log-prob of the preferred answer under the reference; 0 for a loss without reference.
        ref_rejected: log-prob of the other answer under the reference; 0 for a loss without reference.
    """

    chosen: Array
    rejected: Array
    ref_chosen: Array
    ref_rejected: Array


@dataclass(frozen=True)
class PairLoss:
    """A preference loss on pairs, each array of shape (...).

    Attributes:
        loss: of each pair.
        margin: the number the loss depends on: difference of implied rewards (minus the target margin in SimPO).
        weight: -d loss / d margin: how hard the pair pulls.
        reward_chosen: implied reward of the preferred answer.
        reward_rejected: implied reward of the other answer.
        gradient: with respect to the four log-probs.
    """

    loss: Array
    margin: Array
    weight: Array
    reward_chosen: Array
    reward_rejected: Array
    gradient: PairGradient


def implied_reward(logp: ArrayLike, logp_ref: ArrayLike, beta: float) -> Array:
    """Reward for which the policy would be the KL-regularised optimum, up to a constant of the prompt.

    Args:
        logp: log-probs of whole answers under the policy, <= 0, finite, shape (...).
        logp_ref: the same under the reference, shape (...).
        beta: coefficient of the KL term, > 0.

    Returns:
        beta (logp - logp_ref), shape (...); the reward itself adds beta log Z, see `pycore.tilt`.

    Raises:
        DomainError: different shapes, a positive or infinite log-prob, beta <= 0.

    >>> implied_reward([-20.0], [-22.0], 0.1).round(3).tolist()
    [0.2]

    Source: DPO (2023).
    """
    policy, reference = _log_probs(logp=logp, logp_ref=logp_ref)
    return np.asarray(_positive("beta", beta) * (policy - reference))


def dpo(
    chosen: ArrayLike, rejected: ArrayLike, ref_chosen: ArrayLike, ref_rejected: ArrayLike, beta: float
) -> PairLoss:
    """Direct preference optimisation: -log sigmoid of the difference of implied rewards.

    Only the difference is trained: both answers may lose probability while the loss falls. At policy = reference
    the loss is ln 2 whatever beta is, a control value for the first step.

    Args:
        chosen: log-probs of the preferred answers under the policy, <= 0, finite, shape (...).
        rejected: log-probs of the other answers, shape (...).
        ref_chosen: the preferred answers under the reference, shape (...).
        ref_rejected: the other answers under the reference, shape (...).
        beta: > 0.

    Returns:
        `PairLoss`; `weight` is sigmoid(reward_rejected - reward_chosen).

    Raises:
        DomainError: different shapes, a positive or infinite log-prob, beta <= 0.

    >>> pair = dpo(-20.0, -25.0, -22.0, -24.0, beta=0.1)
    >>> [round(float(value), 4) for value in (pair.margin, pair.loss, pair.weight)]
    [0.3, 0.5544, 0.4256]

    Source: DPO (2023).
    """
    won, lost, ref_won, ref_lost = _log_probs(
        chosen=chosen, rejected=rejected, ref_chosen=ref_chosen, ref_rejected=ref_rejected
    )
    slope = np.full_like(won, _positive("beta", beta))
    return _logistic(slope * (won - ref_won), slope * (lost - ref_lost), slope, slope, target=0.0, reference=True)


def ipo(chosen: ArrayLike, rejected: ArrayLike, ref_chosen: ArrayLike, ref_rejected: ArrayLike, tau: float) -> PairLoss:
    """Identity preference optimisation: the squared distance of the log-ratio difference to 1 / (2 tau).

    The target is finite, so certain labels do not push the policy arbitrarily far from the reference.

    Args:
        chosen: log-probs of the preferred answers under the policy, <= 0, finite, shape (...).
        rejected: log-probs of the other answers, shape (...).
        ref_chosen: the preferred answers under the reference, shape (...).
        ref_rejected: the other answers under the reference, shape (...).
        tau: regularisation strength, > 0.

    Returns:
        `PairLoss`; `margin` and the rewards are plain log-ratios, `weight` turns negative beyond the target.

    Raises:
        DomainError: different shapes, a positive or infinite log-prob, tau <= 0.

    >>> float(ipo(-20.0, -25.0, -22.0, -24.0, tau=0.1).loss)
    4.0

    Source: Azar et al., A General Theoretical Paradigm to Understand Learning from Human Preferences (2023).
    """
    won, lost, ref_won, ref_lost = _log_probs(
        chosen=chosen, rejected=rejected, ref_chosen=ref_chosen, ref_rejected=ref_rejected
    )
    margin = (won - ref_won) - (lost - ref_lost)
    shortfall = 1 / (2 * _positive("tau", tau)) - margin
    weight = 2 * shortfall
    gradient = PairGradient(-weight, weight.copy(), weight.copy(), -weight)
    return PairLoss(shortfall**2, margin, weight, won - ref_won, lost - ref_lost, gradient)


def simpo(
    chosen: ArrayLike,
    rejected: ArrayLike,
    chosen_length: ArrayLike,
    rejected_length: ArrayLike,
    beta: float,
    gamma: float,
) -> PairLoss:
    """SimPO: mean log-prob per token as reward, no reference, and a target margin.

    Args:
        chosen: log-probs of the preferred answers under the policy, <= 0, finite, shape (...).
        rejected: log-probs of the other answers, shape (...).
        chosen_length: tokens of the preferred answers, integers >= 1, shape (...).
        rejected_length: tokens of the other answers, integers >= 1, shape (...).
        beta: > 0.
        gamma: target margin, >= 0, in units of the reward.

    Returns:
        `PairLoss`; `margin` has gamma subtracted.

    Raises:
        DomainError: different shapes, a positive or infinite log-prob, a length below 1, beta <= 0, gamma < 0.

    >>> round(float(simpo(-20.0, -25.0, 10, 10, beta=2.0, gamma=0.5).margin), 4)
    0.5

    Source: SimPO (2024).
    """
    won, lost = _log_probs(chosen=chosen, rejected=rejected)
    slope_won, slope_lost = _per_token(won, chosen_length, rejected_length, beta)
    target = scalar("gamma", gamma, 0, np.inf, open_high=True)
    return _logistic(slope_won * won, slope_lost * lost, slope_won, slope_lost, target=target, reference=False)


def length_normalised_dpo(
    chosen: ArrayLike,
    rejected: ArrayLike,
    ref_chosen: ArrayLike,
    ref_rejected: ArrayLike,
    chosen_length: ArrayLike,
    rejected_length: ArrayLike,
    beta: float,
) -> PairLoss:
    """DPO on log-ratios per token, so that a long answer does not win by its length alone.

    Args:
        chosen: log-probs of the preferred answers under the policy, <= 0, finite, shape (...).
        rejected: log-probs of the other answers, shape (...).
        ref_chosen: the preferred answers under the reference, shape (...).
        ref_rejected: the other answers under the reference, shape (...).
        chosen_length: tokens of the preferred answers, integers >= 1, shape (...).
        rejected_length: tokens of the other answers, integers >= 1, shape (...).
        beta: > 0; larger than in DPO, since log-ratios per token are smaller.

    Returns:
        `PairLoss`.

    Raises:
        DomainError: different shapes, a positive or infinite log-prob, a length below 1, beta <= 0.

    >>> pair = length_normalised_dpo(-20.0, -25.0, -22.0, -24.0, 10, 20, beta=5.0)
    >>> round(float(pair.margin), 4)
    1.25

    Source: Tulu 3 (2024).
    """
    won, lost, ref_won, ref_lost = _log_probs(
        chosen=chosen, rejected=rejected, ref_chosen=ref_chosen, ref_rejected=ref_rejected
    )
    slope_won, slope_lost = _per_token(won, chosen_length, rejected_length, beta)
    rewards = slope_won * (won - ref_won), slope_lost * (lost - ref_lost)
    return _logistic(*rewards, slope_won, slope_lost, target=0.0, reference=True)


def _logistic(
    reward_won: Array, reward_lost: Array, slope_won: Array, slope_lost: Array, *, target: float, reference: bool
) -> PairLoss:
    margin = reward_won - reward_lost - target
    weight = np.exp(log_sigmoid(-margin))
    won, lost = -weight * slope_won, weight * slope_lost
    nothing = np.zeros_like(margin)
    gradient = PairGradient(won, lost, -won if reference else nothing, -lost if reference else nothing.copy())
    return PairLoss(-log_sigmoid(margin), margin, weight, reward_won, reward_lost, gradient)


def _log_probs(**values: ArrayLike) -> list[Array]:
    arrays = {name: within(name, value, -np.inf, 0, open_low=True) for name, value in values.items()}
    same_shape(**arrays)
    return list(arrays.values())


def _per_token(won: Array, chosen_length: ArrayLike, rejected_length: ArrayLike, beta: float) -> tuple[Array, Array]:
    lengths = integer("chosen_length", chosen_length, 1), integer("rejected_length", rejected_length, 1)
    same_shape(chosen=won, chosen_length=lengths[0], rejected_length=lengths[1])
    strength = _positive("beta", beta)
    return np.asarray(strength / lengths[0]), np.asarray(strength / lengths[1])


def _positive(name: str, value: float) -> float:
    return scalar(name, value, 0, np.inf, open_low=True, open_high=True)
