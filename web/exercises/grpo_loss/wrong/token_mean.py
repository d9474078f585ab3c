import numpy as np


def grpo_loss(logp, logp_old, logp_ref, advantages, mask, eps=0.2, beta=0.04):
    log_ratio = np.where(mask, logp - logp_old, 0.0)
    log_ref = np.where(mask, logp_ref - logp, 0.0)
    ratio, A = np.exp(log_ratio), advantages[:, None]
    surrogate = np.minimum(ratio * A, np.clip(ratio, 1 - eps, 1 + eps) * A)
    k3 = np.exp(log_ref) - log_ref - 1
    return -np.where(mask, surrogate - beta * k3, 0.0).sum() / mask.sum()
