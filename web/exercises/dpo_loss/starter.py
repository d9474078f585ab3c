import numpy as np


def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta=0.1):
    ...


print(dpo_loss(np.array([-20.0]), np.array([-25.0]), np.array([-22.0]), np.array([-24.0])))
