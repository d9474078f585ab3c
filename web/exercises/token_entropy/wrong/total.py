import numpy as np


def token_entropy(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return -(np.exp(logp) * logp).sum()
