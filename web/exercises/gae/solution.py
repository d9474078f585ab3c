import numpy as np


def gae(rewards, values, gamma=1.0, lam=0.95):
    advantages = np.zeros(len(rewards))
    next_value = next_advantage = 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * next_value - values[t]
        advantages[t] = next_advantage = delta + gamma * lam * next_advantage
        next_value = values[t]
    return advantages


print(gae(np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.6, 0.8])))
