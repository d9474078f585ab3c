import numpy as np


def grpo_loss(logp, logp_old, logp_ref, advantages, mask, eps=0.2, beta=0.04):
    log_ratio = np.where(mask, logp - logp_old, 0.0)
    log_ref = np.where(mask, logp_ref - logp, 0.0)
    surrogate = np.exp(log_ratio) * advantages[:, None]
    k3 = np.exp(log_ref) - log_ref - 1
    return -(np.where(mask, surrogate - beta * k3, 0.0).sum(axis=1) / mask.sum(axis=1)).mean()
