def rloo_advantages(rewards):
    return rewards - rewards.mean(axis=1, keepdims=True)
