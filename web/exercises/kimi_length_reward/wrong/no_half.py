import numpy as np


def kimi_length_reward(lengths, correct):
    shortest, longest = lengths.min(), lengths.max()
    if shortest == longest:
        return np.zeros(len(lengths))
    relative = 1 - (lengths - shortest) / (longest - shortest)
    return np.where(correct, relative, np.minimum(0, relative))
