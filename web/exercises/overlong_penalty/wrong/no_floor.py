import numpy as np


def overlong_penalty(lengths, limit, cache):
    return np.minimum((limit - cache - lengths) / cache, 0)
