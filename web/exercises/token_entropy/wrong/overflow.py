import numpy as np


def token_entropy(logits):
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return -(p * np.log(p)).sum(axis=-1)
