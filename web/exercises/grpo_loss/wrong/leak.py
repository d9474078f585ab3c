import numpy as np


def grpo_loss(logp, logp_old, logp_ref, advantages, mask, eps=0.2, beta=0.04):
    ratio, A = np.exp(logp - logp_old), advantages[:, None]
    surrogate = np.minimum(ratio * A, np.clip(ratio, 1 - eps, 1 + eps) * A)
    k3 = np.exp(logp_ref - logp) - (logp_ref - logp) - 1
    return -(((surrogate - beta * k3) * mask).sum(axis=1) / mask.sum(axis=1)).mean()
