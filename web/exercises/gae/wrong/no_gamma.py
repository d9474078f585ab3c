import numpy as np


def gae(rewards, values, gamma=1.0, lam=0.95):
    advantages = np.zeros(len(rewards))
    next_value = following = 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * next_value - values[t]
        advantages[t] = following = delta + lam * following
        next_value = values[t]
    return advantages
