import numpy as np


def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta=0.1):
    margin = beta * ((chosen - ref_chosen) - (rejected - ref_rejected))
    return np.logaddexp(0, -margin).sum()
