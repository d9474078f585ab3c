import numpy as np


def gspo_ratio(logp, logp_old, mask):
    ...


logp = np.log(np.array([[0.6, 0.5, 0.4], [0.2, 0.4, 1.0]]))
old = np.log(np.array([[0.3, 0.5, 0.4], [0.4, 0.4, 1.0]]))
print(gspo_ratio(logp, old, np.array([[True, True, True], [True, True, False]])))
