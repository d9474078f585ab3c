import numpy as np


def sequence_logprob(logits, tokens, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    # The logits at t speak of token t + 1: the last ones speak of nothing, the first token is not predicted.
    chosen = np.take_along_axis(logp[:, :-1], tokens[:, 1:, None], axis=-1)[..., 0]
    return np.where(mask[:, 1:], chosen, 0.0).sum(axis=1)


logits = np.zeros((1, 3, 4))
print(sequence_logprob(logits, np.array([[2, 0, 1]]), np.array([[False, True, True]])))
