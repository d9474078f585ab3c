import numpy as np


def bradley_terry_loss(chosen, rejected):
    return np.logaddexp(0, rejected - chosen).sum()
