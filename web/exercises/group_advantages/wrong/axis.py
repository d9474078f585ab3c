def group_advantages(rewards, eps=1e-6):
    return (rewards - rewards.mean(axis=0)) / (rewards.std(axis=0) + eps)
