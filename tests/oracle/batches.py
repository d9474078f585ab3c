"""Random ragged batches with the drift of several epochs: shared by the oracle tests."""

import numpy as np
import torch

from pycore.objective import Batch

INACTIVE = float("nan")


def random_batch(
    rng: np.random.Generator,
    *,
    prompts: int = 5,
    group: int = 4,
    tokens: int = 9,
    drift: float = 0.5,
    empty_row: bool = True,
    holes: bool = True,
    advantages: bool = False,
) -> Batch:
    """A float64 batch: ragged lengths, one flat group, an empty response, holes in the mask, NaN where inactive.

    Args:
        rng: source of randomness.
        prompts: groups.
        group: responses in a group.
        tokens: longest response.
        drift: standard deviation of the log-ratio; 0.5 puts a third of the tokens beyond a clip range of 0.2.
        empty_row: leave one response without active tokens.
        holes: deactivate single tokens inside responses, as tool outputs do.
        advantages: bring advantages along, as a critic does.
    """
    shape = (prompts, group, tokens)
    logp_old = -rng.exponential(1.0, shape) - 1e-3
    logp = np.minimum(logp_old + drift * rng.standard_normal(shape), 0.0)
    logp_ref = np.minimum(logp_old + drift * rng.standard_normal(shape), 0.0)
    mask = np.arange(tokens) < rng.integers(1, tokens + 1, shape[:2])[..., None]
    if holes:
        mask &= rng.random(shape) < 0.85
        mask[..., 0] = True
    if empty_row:
        mask[0, 1] = False
    rewards = rng.choice([0.0, 0.0, 0.5, 1.0], shape[:2])
    rewards[0, :2] = (1.0, 0.0)
    if prompts > 1:
        rewards[1] = 1.0
    per_token = {"logp": logp, "logp_old": logp_old, "logp_ref": logp_ref, "entropy": rng.exponential(1.0, shape)}
    for values in per_token.values():
        values[~mask] = INACTIVE
    given = rng.standard_normal(shape) if advantages else None
    return Batch(**per_token, mask=mask, rewards=rewards, advantages=given)


def tensors(batch: Batch, *, fill: float = -1.0) -> dict[str, torch.Tensor]:
    """The batch as torch tensors with `fill` at inactive tokens; `logp` and `entropy` require gradients."""
    found = {"mask": torch.from_numpy(batch.mask), "rewards": torch.from_numpy(np.asarray(batch.rewards))}
    for name in ("logp", "logp_old", "logp_ref", "entropy"):
        values = getattr(batch, name)
        found[name] = torch.from_numpy(np.where(batch.mask, values, fill))
    if batch.advantages is not None:
        found["advantages"] = torch.from_numpy(batch.advantages)
    for name in ("logp", "entropy"):
        found[name].requires_grad_()
    return found
