import numpy as np


def dr_grpo_loss(logp, logp_old, rewards, mask, max_tokens, eps=0.2):
    A = (rewards - rewards.mean())[:, None]
    ratio = np.exp(logp - logp_old)
    surrogate = np.minimum(ratio * A, np.clip(ratio, 1 - eps, 1 + eps) * A)
    return -surrogate.sum() / (len(rewards) * max_tokens)
