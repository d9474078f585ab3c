import numpy as np


def kl_k3(logp, logp_ref):
    log_ratio = logp_ref - logp
    return np.exp(log_ratio) - log_ratio - 1


print(kl_k3(np.log(0.5), np.log(0.25)))
