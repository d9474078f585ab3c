def rloo_advantages(rewards):
    G = rewards.shape[1]
    return rewards - rewards.sum(axis=1, keepdims=True) / (G - 1)
