def rloo_advantages(rewards):
    G = rewards.shape[1]
    return (rewards.sum(axis=1, keepdims=True) - rewards) / (G - 1) - rewards
