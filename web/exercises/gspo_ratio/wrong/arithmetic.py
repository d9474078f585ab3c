import numpy as np


def gspo_ratio(logp, logp_old, mask):
    ratio = np.where(mask, np.exp(np.where(mask, logp - logp_old, 0.0)), 0.0)
    return ratio.sum(axis=1) / mask.sum(axis=1)
