import numpy as np


def training_step(logits, tokens, mask, rewards, lr=0.5, max_norm=1.0):
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    weight = -np.repeat((advantages / tokens.shape[1])[:, None], tokens.shape[1], axis=1) / len(rewards)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    gradient = (weight[..., None] * (np.eye(logits.shape[1])[tokens] - p)).sum(axis=0)
    norm = np.linalg.norm(gradient)
    return logits - lr * gradient * min(1.0, max_norm / max(norm, 1e-12))
