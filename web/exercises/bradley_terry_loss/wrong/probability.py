import numpy as np


def bradley_terry_loss(chosen, rejected):
    return (1 / (1 + np.exp(np.minimum(rejected - chosen, 700)))).mean()
