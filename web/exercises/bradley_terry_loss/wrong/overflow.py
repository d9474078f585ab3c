import numpy as np


def bradley_terry_loss(chosen, rejected):
    return -np.log(1 / (1 + np.exp(rejected - chosen))).mean()
