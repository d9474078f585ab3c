import numpy as np


def kimi_length_reward(lengths, correct):
    shortest, longest = lengths.min(), lengths.max()
    if shortest == longest:
        return np.zeros(len(lengths))
    relative = (lengths - shortest) / (longest - shortest) - 0.5
    return np.where(correct, relative, np.minimum(0, relative))
