import numpy as np


def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta=0.1):
    return np.logaddexp(0, -beta * (chosen - rejected)).mean()
