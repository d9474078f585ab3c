import numpy as np


def overlong_penalty(lengths, limit, cache):
    return np.maximum((limit - cache - lengths) / cache, -1)
