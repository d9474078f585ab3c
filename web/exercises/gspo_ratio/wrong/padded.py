import numpy as np


def gspo_ratio(logp, logp_old, mask):
    return np.exp(np.where(mask, logp - logp_old, 0.0).mean(axis=1))
