import numpy as np


def bradley_terry_loss(chosen, rejected):
    return np.logaddexp(0, rejected - chosen).mean()


print(bradley_terry_loss(np.array([2.0]), np.array([1.0])))
