import numpy as np


def gae(rewards, values, gamma=1.0, lam=0.95):
    return rewards + gamma * np.append(values[1:], 0.0) - values
