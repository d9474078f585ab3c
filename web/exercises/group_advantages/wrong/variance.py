def group_advantages(rewards, eps=1e-6):
    mean = rewards.mean(axis=1, keepdims=True)
    return (rewards - mean) / (rewards.var(axis=1, keepdims=True) + eps)
