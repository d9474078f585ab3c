import numpy as np


def grpo_loss(logp, logp_old, logp_ref, advantages, mask, eps=0.2, beta=0.04):
    ...


logp = np.log(np.array([[0.5, 0.5, 0.5], [0.2, 0.4, 1.0]]))
mask = np.array([[True, True, True], [True, True, False]])
print(grpo_loss(logp, logp, logp, np.array([1.0, -1.0]), mask))
