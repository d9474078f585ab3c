import numpy as np


def gae(rewards, values, gamma=1.0, lam=0.95):
    advantages = np.zeros(len(rewards))
    following = 0.0
    for t in reversed(range(len(rewards))):
        advantages[t] = following = rewards[t] - values[t] + gamma * lam * following
    return advantages
