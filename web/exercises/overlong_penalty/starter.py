import numpy as np


def overlong_penalty(lengths, limit, cache):
    ...


lengths = np.arange(1600, 2200, 20)
print(overlong_penalty(np.array([1000, 1900, 2000, 2100]), 2000, 200))
# plot(lengths, overlong_penalty(lengths, 2000, 200))
