import numpy as np


def dr_grpo_loss(logp, logp_old, rewards, mask, max_tokens, eps=0.2):
    A = (rewards - rewards.mean())[:, None]
    ratio = np.exp(np.where(mask, logp - logp_old, 0.0))
    surrogate = np.minimum(ratio * A, np.clip(ratio, 1 - eps, 1 + eps) * A)
    return -np.where(mask, surrogate, 0.0).sum() / (len(rewards) * mask.sum(axis=1).max())
