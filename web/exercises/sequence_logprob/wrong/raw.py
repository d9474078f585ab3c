import numpy as np


def sequence_logprob(logits, tokens, mask):
    chosen = np.take_along_axis(logits[:, :-1], tokens[:, 1:, None], axis=-1)[..., 0]
    return np.where(mask[:, 1:], chosen, 0.0).sum(axis=1)
