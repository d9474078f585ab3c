import numpy as np


def training_step(logits, tokens, mask, rewards, lr=0.5, max_norm=1.0):
    ...


logits = np.zeros((1, 2))
print(training_step(logits, np.array([[0], [1]]), np.array([[True], [True]]), np.array([1.0, 0.0]), lr=1.0))
