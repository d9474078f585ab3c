import numpy as np


def kl_k3(logp, logp_ref):
    log_ratio = logp_ref - logp
    return np.exp(log_ratio) + log_ratio - 1
