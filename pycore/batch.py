"""Batch: the responses of one update and what the loss needs to know about them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycore.advantages import graded_rewards
from pycore.argument import scalar
from pycore.block import over_blocks
from pycore.domain import Array, DomainError, floating, same_shape
from pycore.ratio import Floats

Bools = NDArray[np.bool_]

# log_softmax rounds: a certain token may come out this much above zero.
ROUNDING = 1e-6
# Entries checked at once, so that the check needs little memory.
BLOCK = 1 << 18
LARGEST = float(np.finfo(np.float64).max)
# Differences of log-probs up to this size can be exponentiated and multiplied in float32 without overflow.
MODERATE = 30.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Responses and all that the loss needs to know about them. Entries at inactive tokens may hold anything, also NaN.

    Attributes:
        logp: log-probs of the sampled tokens under the current policy, <= 0, shape (prompts, group, tokens).
        logp_old: under the policy that sampled them, after temperature and filters, same shape.
        mask: active tokens, booleans, same shape.
        rewards: numbers, or None/NaN where not graded, shape (prompts, group).
        logp_ref: under the reference policy, same shape as `logp`; needed by a KL term.
        kl: exact per-token KL(pi || ref), same shape; needed by the `exact` estimator.
        entropy: per-token entropy of the current policy, same shape; needed by an entropy bonus.
        truncated: responses that hit the length limit, booleans, shape (prompts, group); none when None.
        advantages: used as they are instead of being computed, shape (prompts, group) or that of `logp`.
        loss_scale: multiplies the loss; micro-batches carry their share here (`pycore.micro_batch`).
        moderate: found, not given: every log-prob, at inactive tokens too, lies between -30 and 0, so that they can be
            masked by multiplication.

    Raises:
        DomainError: mismatched shapes, a mask that is not boolean, log-probs above 0 or not finite at active tokens.

    >>> Batch(np.full((1, 2, 3), -1.0), np.full((1, 2, 3), -1.0), np.ones((1, 2, 3), bool), [[1, 0]]).shape
    (1, 2, 3)
    """

    logp: Floats
    logp_old: Floats
    mask: Bools
    rewards: ArrayLike
    logp_ref: Floats | None = None
    kl: Floats | None = None
    entropy: Floats | None = None
    truncated: Bools | None = None
    advantages: Array | None = None
    loss_scale: float = 1.0
    moderate: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        for name in ("logp", "logp_old", "mask"):
            if getattr(self, name) is None:
                raise DomainError(name, None, "an array of shape (prompts, group, tokens)")
        for name in ("logp", "logp_old", "logp_ref", "kl", "entropy", "advantages"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, floating(name, getattr(self, name)))
        if self.logp.ndim != 3 or self.logp.size == 0:
            raise DomainError("logp.shape", self.logp.shape, "(prompts, group, tokens), each at least 1")
        for name in ("mask", "truncated"):
            if getattr(self, name) is not None:
                flags = _flags(name, getattr(self, name))
                object.__setattr__(self, name, flags)
        per_token: dict[str, NDArray[Any]] = {"logp": self.logp, "logp_old": self.logp_old, "mask": self.mask}
        per_token |= {name: a for name in ("logp_ref", "kl", "entropy") if (a := getattr(self, name)) is not None}
        same_shape(**per_token)
        per_response: dict[str, NDArray[Any]] = {"rewards": graded_rewards(self.rewards)[0]}
        per_response |= {} if self.truncated is None else {"truncated": self.truncated}
        for name, values in per_response.items():
            if values.shape != self.shape[:2]:
                raise DomainError(f"{name}.shape", values.shape, f"{self.shape[:2]}, (prompts, group) of logp")
        if self.advantages is not None and self.advantages.shape not in (self.shape, self.shape[:2]):
            raise DomainError("advantages.shape", self.advantages.shape, f"{self.shape[:2]} or {self.shape}")
        object.__setattr__(self, "loss_scale", scalar("loss_scale", self.loss_scale, 0, np.inf, open_high=True))
        for name in ("logp", "logp_old", "logp_ref", "kl", "entropy", "advantages"):
            values = getattr(self, name)
            if values is not None:
                active = self.mask if values.ndim == 3 else np.ones(values.shape, dtype=bool)
                lowest = _check_active(name, values, active, ROUNDING if name.startswith("logp") else np.inf)
                if name.startswith("logp") and not lowest >= -MODERATE:
                    object.__setattr__(self, "moderate", False)
        if self.advantages is not None and self.advantages.ndim == 3:
            object.__setattr__(self, "advantages", np.where(self.mask, self.advantages, 0.0))

    @property
    def token_counts(self) -> NDArray[np.int64]:
        """Active tokens of each response, shape (prompts, group)."""
        # Counting the bits of packed bytes is many times as fast as adding booleans.
        return np.asarray(np.bitwise_count(np.packbits(self.mask, axis=2)).sum(axis=2, dtype=np.int64))

    @property
    def shape(self) -> tuple[int, int, int]:
        prompts, group, tokens = self.logp.shape
        return prompts, group, tokens


def _flags(name: str, given: ArrayLike) -> Bools:
    try:
        flags = np.asarray(given)
    except ValueError:
        raise DomainError(name, given, "a rectangular array of booleans") from None
    if flags.dtype != bool:
        raise DomainError(name, flags.dtype.name, "an array of booleans")
    return flags


def _check_active(name: str, values: Any, mask: Bools, ceiling: float) -> float:
    """Finite and not above `ceiling` wherever `mask` is True; the lowest of all if they are in order everywhere."""
    flat, active, starts = values.reshape(-1), mask.reshape(-1), range(0, values.size, BLOCK)

    def lowest(start: int) -> float:
        block = flat[start : start + BLOCK]
        low = block.min()
        return float(low) if low > -np.inf and block.max() <= min(ceiling, LARGEST) else -np.inf  # also for NaN

    found = min(over_blocks(lowest, starts))
    if found > -np.inf:  # most batches are in order at inactive tokens too, and then need no masking
        return found
    for start in starts:
        shown = flat[start : start + BLOCK][active[start : start + BLOCK]]
        wrong = ~(np.isfinite(shown) & (shown <= ceiling))
        if wrong.any():
            bound = "finite numbers" if ceiling == np.inf else "finite numbers <= 0"
            raise DomainError(name, float(shown[wrong][0]), f"{bound} at active tokens")
    return found
