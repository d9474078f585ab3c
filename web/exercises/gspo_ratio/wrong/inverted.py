import numpy as np


def gspo_ratio(logp, logp_old, mask):
    return np.exp(np.where(mask, logp_old - logp, 0.0).sum(axis=1) / mask.sum(axis=1))
