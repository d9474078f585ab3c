def rloo_advantages(rewards):
    G = rewards.shape[1]
    others = (rewards.sum(axis=1, keepdims=True) - rewards) / (G - 1)
    return (rewards - others) / (rewards.std(axis=1, keepdims=True) + 1e-6)
