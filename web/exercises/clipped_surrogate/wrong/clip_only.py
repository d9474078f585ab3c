import numpy as np


def clipped_surrogate(ratio, advantage, eps=0.2):
    return np.clip(ratio, 1 - eps, 1 + eps) * advantage
