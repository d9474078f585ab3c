import numpy as np


def dapo_loss(logp, logp_old, advantages, mask, low=0.2, high=0.28):
    ...


logp = np.log(np.array([[0.5, 0.5, 0.5], [0.2, 0.4, 1.0]]))
mask = np.array([[True, True, True], [True, True, False]])
print(dapo_loss(logp, logp, np.array([1.0, -1.0]), mask))
