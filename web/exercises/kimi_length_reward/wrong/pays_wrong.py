import numpy as np


def kimi_length_reward(lengths, correct):
    shortest, longest = lengths.min(), lengths.max()
    if shortest == longest:
        return np.zeros(len(lengths))
    return 0.5 - (lengths - shortest) / (longest - shortest)
