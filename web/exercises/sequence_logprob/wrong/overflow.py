import numpy as np


def sequence_logprob(logits, tokens, mask):
    logp = np.log(np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True))
    chosen = np.take_along_axis(logp[:, :-1], tokens[:, 1:, None], axis=-1)[..., 0]
    return np.where(mask[:, 1:], chosen, 0.0).sum(axis=1)
