import numpy as np


def kimi_length_reward(lengths, correct):
    shortest, longest = lengths.min(), lengths.max()
    relative = 0.5 - (lengths - shortest) / (longest - shortest)
    return np.where(correct, relative, np.minimum(0, relative))
