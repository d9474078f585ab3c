import numpy as np


def bradley_terry_loss(chosen, rejected):
    return np.maximum(0, 1 - (chosen - rejected)).mean()
