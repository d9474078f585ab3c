import numpy as np


def overlong_penalty(lengths, limit, cache):
    return np.clip((limit - cache - lengths) / limit, -1, 0)
