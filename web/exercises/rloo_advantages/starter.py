import numpy as np


def rloo_advantages(rewards):
    ...


print(rloo_advantages(np.array([[1.0, 0.0, 0.0, 0.0]])))
