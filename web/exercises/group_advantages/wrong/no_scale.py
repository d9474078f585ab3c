def group_advantages(rewards, eps=1e-6):
    return rewards - rewards.mean(axis=1, keepdims=True)
