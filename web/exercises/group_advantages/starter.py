import numpy as np


def group_advantages(rewards, eps=1e-6):
    ...


print(group_advantages(np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])))
