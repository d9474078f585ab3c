import numpy as np


def kimi_length_reward(lengths, correct):
    ...


print(kimi_length_reward(np.array([100, 200, 300]), np.array([True, False, True])))
