"""Group-relative advantages: what is subtracted from a reward (baseline) and what the rest is divided by (scale).

    A_i = (r_i - baseline_i) / scale

| baseline          | what is subtracted                                                        |
|-------------------|---------------------------------------------------------------------------|
| `mean`            | mean reward of the group                                                  |
| `leave_one_out`   | mean reward of the *other* responses: n/(n-1) times `mean`'s advantage    |
| `length_weighted` | sum(length r) / sum(length) in the group (OPO)                            |
| `batch`           | mean reward of the whole batch                                            |
| `batch_token`     | mean over the batch's tokens, each carrying its response's reward         |
| `none`            | nothing                                                                   |

| scale               | what the centred reward is divided by                                   |
|---------------------|-------------------------------------------------------------------------|
| `group_std`         | std of the group's rewards + eps (GRPO)                                 |
| `batch_std`         | std of all rewards of the batch + eps                                   |
| `batch_token_std`   | std over the batch's tokens + eps (REINFORCE++ whitening)               |
| `mean`              | mean reward of the group + eps (MaxRL); rewards must not be negative    |
| `informative_share` | share of groups that are not flat (GPG)                                 |
| `none`              | 1 (Dr. GRPO)                                                            |

Three rules hold for every combination that looks inside one group:
a flat group has advantages of exactly zero; a missing reward (None or NaN) takes part in no statistic and its
advantage is zero; a group with a single graded response is flat, unless `singleton="reward"` keeps its reward.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycore.argument import scalar, whole
from pycore.domain import Array, DomainError, integer, option, real, same_shape

BASELINES = ("mean", "leave_one_out", "length_weighted", "batch", "batch_token", "none")
SCALES = ("group_std", "batch_std", "batch_token_std", "mean", "informative_share", "none")
SINGLETONS = ("zero", "reward")

_NUMBERS = (int, float, np.integer, np.floating, np.bool_)
# Equal rewards summed in different orders differ by a few float32 steps (1.0 + 0.2 is not 1.2 there).
FLAT_TOLERANCE = 4 * float(np.finfo(np.float32).eps)


def group_advantages(
    rewards: ArrayLike,
    *,
    baseline: str = "mean",
    scale: str = "group_std",
    ddof: int = 0,
    eps: float = 1e-6,
    lengths: ArrayLike | None = None,
    singleton: str = "zero",
) -> Array:
    """Advantage of every response relative to its group.

    Args:
        rewards: finite numbers, or None/NaN where a response was not graded, shape (prompts, group).
        baseline: one of `BASELINES`.
        scale: one of `SCALES`.
        ddof: 0 for the population std, 1 for the sample std (torch, TRL, verl).
        eps: added to the divisor, >= 0.
        lengths: active tokens of each response, shape (prompts, group); needed by the `length_weighted` and
            `batch_token` kinds.
        singleton: what a group with one graded response gets: "zero", or "reward" / (1 + eps) as in verl.

    Returns:
        Advantages, float64, shape (prompts, group).

    Raises:
        DomainError: a reward that is infinite or not a number, a wrong shape, an unknown kind, missing lengths,
            a negative eps, negative rewards with scale "mean".

    >>> group_advantages([[1, 0, 0, 0]]).round(2)
    array([[ 1.73, -0.58, -0.58, -0.58]])

    Source: DeepSeekMath (2024) for mean/group_std; the tables above name the others.
    """
    values, graded = graded_rewards(rewards)
    option("baseline", baseline, BASELINES)
    option("scale", scale, SCALES)
    option("singleton", singleton, SINGLETONS)
    ddof = whole("ddof", ddof, 0, 1)
    eps = scalar("eps", eps, 0, np.inf, open_high=True)
    if scale == "mean" and np.any(values < 0):
        raise DomainError("rewards", float(values.min()), "rewards >= 0 with scale 'mean': a negative mean turns signs")
    length = _lengths(lengths, graded, needed=baseline == "length_weighted" or "batch_token" in baseline + scale)

    centred = np.where(graded, values - _baseline(baseline, values, graded, length), 0.0)
    advantages = centred / _scale(scale, values, graded, length, ddof, eps)
    if baseline in ("mean", "leave_one_out", "length_weighted") or scale in ("group_std", "mean"):
        advantages[_flat(values, graded, axis=1)] = 0.0
    elif (baseline.startswith("batch") or scale.startswith("batch")) and _flat(values, graded):
        advantages[:] = 0.0
    if scale == "batch_token_std" and _flat(values, graded & (length > 0)):
        advantages[:] = 0.0  # told by the responses that have tokens, as the divisor is
    if singleton == "reward":
        alone = graded & (graded.sum(axis=1, keepdims=True) == 1)
        advantages = np.where(alone, values / (1.0 if scale == "none" else 1.0 + eps), advantages)
    return advantages


def graded_rewards(rewards: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    """Rewards with every missing one replaced by zero, and where they are present.

    Args:
        rewards: finite numbers, None or NaN, shape (prompts, group).

    Returns:
        (values, graded), both of shape (prompts, group).

    Raises:
        DomainError: not two-dimensional, empty, infinite or not numeric.

    >>> graded_rewards([[1, None]])
    (array([[1., 0.]]), array([[ True, False]]))
    """
    try:
        given = np.asarray(rewards)
    except ValueError:
        raise DomainError("rewards", rewards, "numbers of shape (prompts, group)") from None
    if given.dtype == object and all(entry is None or isinstance(entry, _NUMBERS) for entry in given.flat):
        try:
            given = given.astype(np.float64)
        except OverflowError:
            raise DomainError("rewards", rewards, "numbers that float64 holds") from None
    values = real("rewards", given)
    if values.ndim != 2 or values.size == 0:
        raise DomainError("rewards.shape", values.shape, "(prompts, group), both at least 1")
    if np.any(np.isinf(values)):
        raise DomainError("rewards", float(values[np.isinf(values)][0]), "finite numbers, or None/NaN for not graded")
    graded = ~np.isnan(values)
    return np.where(graded, values, 0.0), graded


def flat_groups(rewards: ArrayLike) -> NDArray[np.bool_]:
    """Groups whose graded rewards are all equal, told by their largest and smallest reward.

    Rewards closer than four float32 steps of the largest one count as equal. (The variance by E[r^2] - E[r]^2
    would call equal rewards different.)

    Args:
        rewards: finite numbers, None or NaN, shape (prompts, group).

    Returns:
        True for groups without signal, shape (prompts,); a group with fewer than two graded responses is flat.

    >>> flat_groups([[1.2, 1.2], [1, 0]])
    array([ True, False])
    """
    values, graded = graded_rewards(rewards)
    return np.asarray(_flat(values, graded, axis=1))


def _flat(values: Array, graded: NDArray[np.bool_], axis: int | None = None) -> Any:
    largest = np.max(values, axis=axis, where=graded, initial=-np.inf)
    smallest = np.min(values, axis=axis, where=graded, initial=np.inf)
    return ~(largest - smallest > FLAT_TOLERANCE * np.maximum(abs(largest), abs(smallest)))


def _lengths(lengths: ArrayLike | None, graded: NDArray[np.bool_], *, needed: bool) -> Array:
    if lengths is None:
        if needed:
            raise DomainError("lengths", None, "active tokens per response, shape (prompts, group)")
        return np.ones(graded.shape)
    length = integer("lengths", lengths, 0)
    same_shape(rewards=graded, lengths=length)
    return length


def _mean(values: Array, weight: Array | NDArray[np.bool_], axis: int | None) -> Array:
    total = np.sum(weight, axis=axis, keepdims=True)
    return np.asarray(np.sum(values * weight, axis=axis, keepdims=True) / np.maximum(total, 1))


def _std(values: Array, weight: Array | NDArray[np.bool_], axis: int | None, ddof: int) -> Array:
    squares = (values - _mean(values, weight, axis)) ** 2
    count = np.sum(weight, axis=axis, keepdims=True)
    # A single observation has no spread: its group is flat and the divisor is never used.
    return np.asarray(np.sqrt(np.sum(squares * weight, axis=axis, keepdims=True) / np.maximum(count - ddof, 1)))


def _baseline(kind: str, values: Array, graded: NDArray[np.bool_], length: Array) -> Array:
    if kind == "none":
        return np.zeros_like(values)
    if kind == "length_weighted":
        return _mean(values, length * graded, axis=1)
    if kind == "batch_token":
        return _mean(values, length * graded, axis=None)
    mean = _mean(values, graded, axis=None if kind == "batch" else 1)
    if kind == "leave_one_out":
        count = graded.sum(axis=1, keepdims=True)
        return np.asarray(values - (values - mean) * count / np.maximum(count - 1, 1))
    return mean


def _scale(kind: str, values: Array, graded: NDArray[np.bool_], length: Array, ddof: int, eps: float) -> Array | float:
    if kind == "none":
        return 1.0
    if kind == "informative_share":
        return max(1.0 - float(np.mean(_flat(values, graded, axis=1))), 1.0 / len(values))
    if kind == "mean":
        divisor = _mean(values, graded, axis=1)
    elif kind == "batch_token_std":
        divisor = _std(values, length * graded, None, ddof)
    else:
        divisor = _std(values, graded, None if kind == "batch_std" else 1, ddof)
    # Zero only where the rewards are flat; the caller overwrites those advantages with exact zeros.
    return np.where(divisor + eps == 0, 1.0, divisor + eps)
