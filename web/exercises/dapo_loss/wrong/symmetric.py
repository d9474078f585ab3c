import numpy as np


def dapo_loss(logp, logp_old, advantages, mask, low=0.2, high=0.28):
    A = advantages[:, None]
    ratio = np.exp(np.where(mask, logp - logp_old, 0.0))
    surrogate = np.minimum(ratio * A, np.clip(ratio, 1 - low, 1 + low) * A)
    return -np.where(mask, surrogate, 0.0).sum() / mask.sum()
