import numpy as np


def sequence_logprob(logits, tokens, mask):
    ...


logits = np.zeros((1, 3, 4))
print(sequence_logprob(logits, np.array([[2, 0, 1]]), np.array([[False, True, True]])))
