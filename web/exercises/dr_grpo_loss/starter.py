import numpy as np


def dr_grpo_loss(logp, logp_old, rewards, mask, max_tokens, eps=0.2):
    ...


logp = np.log(np.array([[0.5, 0.5, 0.5], [0.2, 0.4, 1.0]]))
mask = np.array([[True, True, True], [True, True, False]])
print(dr_grpo_loss(logp, logp, np.array([1.0, 0.0]), mask, 10))
