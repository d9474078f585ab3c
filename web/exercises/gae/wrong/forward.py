import numpy as np


def gae(rewards, values, gamma=1.0, lam=0.95):
    advantages = np.zeros(len(rewards))
    following = 0.0
    for t in range(len(rewards)):
        next_value = values[t + 1] if t + 1 < len(rewards) else 0.0
        delta = rewards[t] + gamma * next_value - values[t]
        advantages[t] = following = delta + gamma * lam * following
    return advantages
