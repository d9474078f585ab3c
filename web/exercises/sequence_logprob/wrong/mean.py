import numpy as np


def sequence_logprob(logits, tokens, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    chosen = np.take_along_axis(logp[:, :-1], tokens[:, 1:, None], axis=-1)[..., 0]
    return np.where(mask[:, 1:], chosen, 0.0).sum(axis=1) / mask[:, 1:].sum(axis=1)
