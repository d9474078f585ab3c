"""Oracle: torch autograd through each method's loss on a softmax policy over answers."""

import numpy as np
import pytest
import torch

from pycore.enumeration import response_tree, score_vectors
from pycore.unified import METHODS, Answers, update

DTYPE = torch.float64
torch.set_default_dtype(DTYPE)


@pytest.mark.parametrize("method", METHODS)
def test_the_update_is_minus_torchs_gradient(method):
    draw = np.random.default_rng(3)
    logits, rewards, values, advantages = draw.normal(size=(4, 6))
    correct, reference, beta = rewards > 0, np.log(draw.dirichlet(np.ones(6))), 0.2
    leaf = torch.tensor(logits, requires_grad=True)
    logp = torch.log_softmax(leaf, dim=0)
    ratio = torch.exp(logp - logp.detach())
    best, worst = int(rewards.argmax()), int(rewards.argmin())
    gap = (logp - torch.tensor(reference))[best] - (logp - torch.tensor(reference))[worst]
    loss = {
        "sft": -logp.mean(),
        "rft": -logp[torch.tensor(correct)].sum() / 6,
        "online rft": -logp[torch.tensor(correct)].sum() / 6,
        "dpo": -torch.nn.functional.logsigmoid(beta * gap),
        "online dpo": -torch.nn.functional.logsigmoid(beta * gap),
        "ppo": -(ratio * torch.tensor(rewards - values)).mean(),
        "grpo": -(ratio * torch.tensor(advantages)).mean(),
    }[method]
    loss.backward()
    answers = Answers(rewards, correct, values, advantages, logp.detach().numpy(), reference, beta)
    scores = score_vectors(response_tree(6, 1), logits[None, :]).sum(axis=1)
    np.testing.assert_allclose(update(method, answers, scores)[0], -leaf.grad, atol=1e-12)
