def rloo_advantages(rewards):
    B = rewards.shape[0]
    return rewards - (rewards.sum(axis=0) - rewards) / max(B - 1, 1)
