import numpy as np


def training_step(logits, tokens, mask, rewards, lr=0.5, max_norm=1.0):
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    # d loss / d log-prob of each token: on fresh answers the ratio is 1 and nothing is clipped.
    weight = -np.where(mask, (advantages / mask.sum(axis=1))[:, None], 0.0) / len(rewards)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    onehot = np.eye(logits.shape[1])[tokens]
    gradient = (weight[..., None] * (onehot - p)).sum(axis=0)
    norm = np.linalg.norm(gradient)
    if norm > max_norm:
        gradient = gradient * max_norm / norm
    return logits - lr * gradient


logits = np.zeros((1, 2))
print(training_step(logits, np.array([[0], [1]]), np.array([[True], [True]]), np.array([1.0, 0.0]), lr=1.0))
