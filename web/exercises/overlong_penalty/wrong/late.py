import numpy as np


def overlong_penalty(lengths, limit, cache):
    return np.clip((limit - lengths) / cache, -1, 0)
