import numpy as np


def gspo_ratio(logp, logp_old, mask):
    return np.exp((logp - logp_old).mean(axis=1))
