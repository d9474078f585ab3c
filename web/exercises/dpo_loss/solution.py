import numpy as np


def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta=0.1):
    margin = beta * ((chosen - ref_chosen) - (rejected - ref_rejected))
    return np.logaddexp(0, -margin).mean()


print(dpo_loss(np.array([-20.0]), np.array([-25.0]), np.array([-22.0]), np.array([-24.0])))
