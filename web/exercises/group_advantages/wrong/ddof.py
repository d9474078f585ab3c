def group_advantages(rewards, eps=1e-6):
    mean = rewards.mean(axis=1, keepdims=True)
    std = rewards.std(axis=1, keepdims=True, ddof=1)
    return (rewards - mean) / (std + eps)
