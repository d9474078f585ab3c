import numpy as np


def kl_k3(logp, logp_ref):
    ...


print(kl_k3(np.log(0.5), np.log(0.25)))
