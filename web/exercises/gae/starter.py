import numpy as np


def gae(rewards, values, gamma=1.0, lam=0.95):
    ...


print(gae(np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.6, 0.8])))
