import numpy as np


def bradley_terry_loss(chosen, rejected):
    ...


print(bradley_terry_loss(np.array([2.0]), np.array([1.0])))
