"""What PPO adds around the clipped objective: shaped rewards, generalised advantages, and a critic with its loss.

Arrays are `(episodes, tokens)` with a boolean mask of the answer's own tokens. Tokens outside the mask (prompt,
padding, tool output) may hold anything, NaN included; time runs over the unmasked tokens only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Mask, boolean, finite, scalar
from pycore.domain import Array, DomainError, real, same_shape, within


@dataclass(frozen=True)
class Estimate:
    """Advantages and value targets.

    Attributes:
        advantages: shape (episodes, tokens), 0 outside the mask.
        returns: advantages + values, the critic's targets, 0 outside the mask.
    """

    advantages: Array
    returns: Array


@dataclass(frozen=True)
class CriticLoss:
    """Loss of the critic.

    Attributes:
        loss: half the mean squared error over all tokens of the mask.
        gradient: d loss / d values, shape (episodes, tokens), 0 outside the mask.
        clipped_share: share of tokens whose clipped error is the larger one.
    """

    loss: float
    gradient: Array
    clipped_share: float


def shaped_rewards(
    logp: ArrayLike, logp_ref: ArrayLike, mask: ArrayLike, score: ArrayLike, beta: float, clamp: bool = False
) -> Array:
    """Per-token KL penalty plus the reward model's score on the last token of each answer.

    Args:
        logp: log-probs of the sampled tokens under the behaviour policy, <= 0, shape (episodes, tokens).
        logp_ref: the same under the reference, shape (episodes, tokens).
        mask: True for the answer's tokens, at least one in each episode.
        score: one per episode, finite, shape (episodes,).
        beta: KL coefficient, >= 0.
        clamp: replace a negative log-ratio by 0 before it is charged. Common in practice; the charge is then no
            longer an unbiased estimate of the KL divergence, since it can only be too large.

    Returns:
        -beta (logp - logp_ref), plus the score at the last token; 0 outside the mask.

    Raises:
        DomainError: mismatched shapes, an episode without tokens, a log-prob that is positive or not finite.

    >>> shaped_rewards([[-1.0, -2.0]], [[-1.5, -1.0]], [[True, True]], [1.0], beta=0.1).round(3).tolist()
    [[-0.05, 1.1]]

    Source: InstructGPT (2022); Learning to summarize from human feedback (2020).
    """
    active = _active(mask)
    policy, reference = _log_probs("logp", logp, active), _log_probs("logp_ref", logp_ref, active)
    final = finite("score", score, dimensions=1)
    if len(final) != len(active):
        raise DomainError("score.shape", final.shape, f"({len(active)},), one score per episode")
    charge = policy - reference
    if clamp:
        charge = np.maximum(charge, 0.0)
    rewards = np.where(active, -scalar("beta", beta, 0, np.inf, open_high=True) * charge, 0.0)
    last = active.shape[1] - 1 - np.argmax(active[:, ::-1], axis=1)
    rewards[np.arange(len(active)), last] += final
    return rewards


def generalised_advantages(
    rewards: ArrayLike, values: ArrayLike, mask: ArrayLike, gamma: float, lam: float, bootstrap: ArrayLike | None = None
) -> Estimate:
    """Advantages as discounted sums of temporal-difference errors.

    delta_t = r_t + gamma V_{t+1} - V_t and A_t = delta_t + gamma lam A_{t+1}, over the tokens of the mask.

    Args:
        rewards: per token, finite on the mask, shape (episodes, tokens).
        values: the critic's estimate before each token, finite on the mask, same shape.
        mask: True for the answer's tokens, at least one in each episode.
        gamma: discount in [0, 1]; language tasks use 1.
        lam: in [0, 1]; 0 trusts the critic one token ahead, 1 uses the whole return.
        bootstrap: value after the last token, shape (episodes,); None means 0: the answer really ended. A
            truncated answer has a future that 0 denies.

    Returns:
        `Estimate`.

    Raises:
        DomainError: mismatched shapes, an episode without tokens, gamma or lam outside [0, 1], NaN on the mask.

    >>> generalised_advantages([[0.0, 1.0]], [[0.4, 0.6]], [[True, True]], gamma=1, lam=1).advantages.round(3).tolist()
    [[0.6, 0.4]]

    Source: GAE (2015).
    """
    active = _active(mask)
    gain, value = _on_mask("rewards", rewards, active), _on_mask("values", values, active)
    discount, decay = scalar("gamma", gamma, 0, 1), scalar("lam", lam, 0, 1)
    following = np.zeros(len(active)) if bootstrap is None else finite("bootstrap", bootstrap, dimensions=1).copy()
    if len(following) != len(active):
        raise DomainError("bootstrap.shape", following.shape, f"({len(active)},), one value per episode")
    running = np.zeros(len(active))
    advantages = np.zeros(active.shape)
    for token in reversed(range(active.shape[1])):
        here = active[:, token]
        delta = gain[:, token] + discount * following - value[:, token]
        running = np.where(here, delta + discount * decay * running, running)
        following = np.where(here, value[:, token], following)
        advantages[:, token] = np.where(here, running, 0.0)
    return Estimate(advantages, np.where(active, advantages + value, 0.0))


def value_loss(
    values: ArrayLike,
    returns: ArrayLike,
    mask: ArrayLike,
    old_values: ArrayLike | None = None,
    clip: float | None = None,
) -> CriticLoss:
    """Half the mean squared error of the critic, optionally with PPO's pessimistic clip around its old values.

    Args:
        values: current estimates, finite on the mask, shape (episodes, tokens).
        returns: targets, held constant, same shape.
        mask: True for the answer's tokens, at least one in each episode.
        old_values: estimates at rollout time, same shape; required with `clip`.
        clip: largest step from the old value that may lower the loss, > 0; None for the plain error.

    Returns:
        `CriticLoss`. Where the clipped error is strictly larger the gradient is 0: the critic has moved far enough.

    Raises:
        DomainError: mismatched shapes, an episode without tokens, clip without old values or clip <= 0.

    >>> value_loss([[0.5, 1.0]], [[1.0, 1.0]], [[True, True]]).loss
    0.0625

    Source: squared error of PPO (2017); the clip is from its reference implementation, not from the paper.
    """
    active = _active(mask)
    value, target = _on_mask("values", values, active), _on_mask("returns", returns, active)
    count = active.sum()
    error = value - target
    held = np.zeros_like(active)
    worst = error**2
    if clip is not None:
        if old_values is None:
            raise DomainError("old_values", None, "an array of the shape of values when clip is given")
        reach = scalar("clip", clip, 0, np.inf, open_low=True, open_high=True)
        old = _on_mask("old_values", old_values, active)
        near = (np.clip(value, old - reach, old + reach) - target) ** 2
        held = active & (near > worst)
        worst = np.maximum(worst, near)
    gradient = np.where(active & ~held, error, 0.0) / count
    return CriticLoss(float(0.5 * worst[active].sum() / count), gradient, float(held.sum() / count))


def fit_critic(features: ArrayLike, returns: ArrayLike, mask: ArrayLike) -> Array:
    """Values of the linear critic with the least squared error, the best that `value_loss` could reach.

    Args:
        features: of each token's state, finite on the mask, shape (episodes, tokens, features).
        returns: targets, finite on the mask, shape (episodes, tokens).
        mask: True for the answer's tokens, at least one in each episode.

    Returns:
        Fitted values, shape (episodes, tokens), 0 outside the mask. Collinear features are allowed: the values are
        unique even where the coefficients are not.

    Raises:
        DomainError: mismatched shapes, an episode without tokens, NaN on the mask.

    >>> fit_critic([[[1.0], [1.0]]], [[0.0, 1.0]], [[True, True]]).round(12).tolist()
    [[0.5, 0.5]]

    Source: ordinary least squares.
    """
    active = _active(mask)
    target = _on_mask("returns", returns, active)
    given = real("features", features)
    if given.ndim != 3 or given.shape[:2] != active.shape or given.shape[2] == 0:
        raise DomainError("features.shape", given.shape, f"{active.shape} and one axis of features")
    rows = finite("features", given[active])
    coefficients = np.linalg.lstsq(rows, target[active], rcond=None)[0]
    values = np.zeros(active.shape)
    values[active] = rows @ coefficients
    return values


def _active(mask: ArrayLike) -> Mask:
    active = boolean("mask", mask)
    if active.ndim != 2:
        raise DomainError("mask.shape", active.shape, "(episodes, tokens)")
    empty = np.flatnonzero(~active.any(axis=1))
    if active.shape[0] == 0 or len(empty):
        raise DomainError(
            "mask", f"episode {empty[0] if len(empty) else 0} empty", "at least one token in each episode"
        )
    return active


def _on_mask(name: str, value: ArrayLike, active: Mask) -> Array:
    array = real(name, value)
    same_shape(mask=active, **{name: array})
    # What lies outside the mask must not reach a sum: 0 * NaN is NaN.
    return finite(name, np.where(active, array, 0.0))


def _log_probs(name: str, value: ArrayLike, active: Mask) -> Array:
    return within(name, _on_mask(name, value, active), -np.inf, 0, open_low=True)
