import numpy as np


def sequence_logprob(logits, tokens, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    chosen = np.take_along_axis(logp, tokens[..., None], axis=-1)[..., 0]
    return np.where(mask, chosen, 0.0).sum(axis=1)
