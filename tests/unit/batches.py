"""Batches that several test files evaluate."""

import numpy as np

from pycore.objective import Batch
from pycore.protocol import PRESETS

TOKEN_PRESETS = [name for name in PRESETS if name != "ppo_clip"]


def random_batch(seed, *, drift=0.5, shape=(3, 4, 6), **changes):
    rng = np.random.default_rng(seed)
    logp_old = -rng.exponential(1.0, shape) - 0.01
    mask = np.arange(shape[2]) < rng.integers(1, shape[2] + 1, shape[:2])[..., None]
    arrays = {
        "logp": np.minimum(logp_old + drift * rng.standard_normal(shape), 0),
        "logp_old": logp_old,
        "mask": mask,
        "rewards": np.array([[1, 0, 0, 0], [1, 1, 0, 0.5], [1, 1, 1, 1]][: shape[0]])[:, : shape[1]],
        "logp_ref": np.minimum(logp_old + drift * rng.standard_normal(shape), 0),
        "entropy": rng.exponential(1.0, shape),
        "kl": rng.exponential(0.1, shape),
    }
    return Batch(**{**arrays, **changes})
