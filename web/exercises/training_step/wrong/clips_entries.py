import numpy as np


def training_step(logits, tokens, mask, rewards, lr=0.5, max_norm=1.0):
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    weight = -np.where(mask, (advantages / mask.sum(axis=1))[:, None], 0.0) / len(rewards)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    gradient = (weight[..., None] * (np.eye(logits.shape[1])[tokens] - p)).sum(axis=0)
    return logits - lr * np.clip(gradient, -max_norm, max_norm)
