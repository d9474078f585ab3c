"""Oracle: torch.nn.GRU, Embedding and Linear with the same weights under autograd, and torch.optim.Adam."""

import numpy as np
import pytest
import torch

from pycore import arithmetic, gru
from pycore.decoding import Decoding
from pycore.gru_policy import GruPolicy

PAIRS = [[27, 58], [67, 58], [12, 34], [99, 99], [27, 31]]


class Network(torch.nn.Module):
    """The plain network, row by row: nothing shared between rows."""

    def __init__(self, policy: GruPolicy) -> None:
        super().__init__()
        size = policy.size
        self.embedding = torch.nn.Embedding(size.vocabulary, size.embedding)
        self.gru = torch.nn.GRU(size.embedding, size.hidden, batch_first=True)
        self.head = torch.nn.Linear(size.hidden, size.vocabulary)
        self.double()
        weights = policy.weights
        with torch.no_grad():
            self.embedding.weight.copy_(torch.from_numpy(weights.embedding))
            self.gru.weight_ih_l0.copy_(torch.from_numpy(weights.input.T))
            self.gru.weight_hh_l0.copy_(torch.from_numpy(weights.recurrent.T))
            self.gru.bias_ih_l0.copy_(torch.from_numpy(weights.input_bias))
            self.gru.bias_hh_l0.zero_()
            self.gru.bias_hh_l0[2 * size.hidden :] = torch.from_numpy(weights.candidate_bias)
            self.head.weight.copy_(torch.from_numpy(weights.head.T))
            self.head.bias.copy_(torch.from_numpy(weights.head_bias))

    def log_probs(self, rollout, policy: GruPolicy) -> torch.Tensor:
        """Shape (rows, tokens, vocabulary)."""
        rows = np.repeat(rollout.prompts, rollout.shape[1], axis=0)
        responses = rollout.tokens.reshape(len(rows), -1)
        sequence = torch.from_numpy(np.concatenate([rows, responses[:, :-1]], axis=1))
        logits = self.head(self.gru(self.embedding(sequence))[0][:, rows.shape[1] - 1 :])
        logits = logits / policy.decoding.temperature
        allowed = torch.from_numpy(policy.grammar.allowed)
        return torch.log_softmax(logits.masked_fill(~allowed, -1e30), dim=-1)

    def flat_gradient(self, hidden: int) -> np.ndarray:
        parts = [
            self.embedding.weight.grad,
            self.gru.weight_ih_l0.grad.T,
            self.gru.bias_ih_l0.grad,
            self.gru.weight_hh_l0.grad.T,
            self.gru.bias_hh_l0.grad[2 * hidden :],
            self.head.weight.grad.T,
            self.head.bias.grad,
        ]
        return np.concatenate([part.reshape(-1).numpy() for part in parts])


@pytest.fixture(params=[1.0, 0.7])
def policy(request) -> GruPolicy:
    generator = np.random.default_rng(3)
    return GruPolicy.new(
        gru.Size(embedding=7, hidden=11), arithmetic.grammar(), generator, Decoding(temperature=request.param)
    )


def test_log_probs_entropy_kl_and_every_gradient_agree_with_autograd(policy):
    generator = np.random.default_rng(5)
    reference = GruPolicy.new(policy.size, policy.grammar, np.random.default_rng(8))
    rollout = policy.sample(arithmetic.encode_prompts(PAIRS), 6, generator)
    policy.vector += 0.05 * generator.standard_normal(policy.vector.shape)
    policy.step(0.0, 1.0)
    weights = [generator.standard_normal(shape) for shape in (rollout.shape, rollout.shape[:2], rollout.shape[:2])]

    scores = policy.logp(rollout, reference)
    policy.backward(*weights)

    network, frozen = Network(policy), Network(reference)
    table = network.log_probs(rollout, policy)
    base = frozen.log_probs(rollout, policy).detach()
    rows = table.shape[0]
    tokens = torch.from_numpy(rollout.tokens.reshape(rows, -1, 1))
    logp = torch.gather(table, 2, tokens)[..., 0]
    entropy = -(table.exp() * table).sum(-1)
    kl = (table.exp() * (table - base)).sum(-1)
    mask = torch.from_numpy(rollout.mask.reshape(rows, -1))
    zero = torch.zeros(())
    loss = torch.zeros((), dtype=torch.float64)
    for values, weight, ours in zip(
        (logp, entropy, kl), weights, (scores.logp, scores.entropy, scores.kl), strict=True
    ):
        values = torch.where(mask, values, zero)
        assert ours.reshape(rows, -1) == pytest.approx(values.detach().numpy(), abs=1e-12)
        loss = loss + (torch.from_numpy(weight.reshape(rows, -1)) * values).sum()
    loss.backward()
    expected = network.flat_gradient(policy.size.hidden)
    assert np.abs(expected).max() > 0.1
    assert policy.gradient == pytest.approx(expected, rel=1e-9, abs=1e-10)


def test_adam_with_clipping_walks_as_torchs(policy):
    generator = np.random.default_rng(2)
    mirror = torch.nn.Parameter(torch.from_numpy(policy.vector.copy()))
    optimiser = torch.optim.Adam([mirror], lr=3e-3)
    for _ in range(20):
        gradient = generator.standard_normal(policy.vector.shape)
        norm = np.sqrt(gradient @ gradient)
        policy.gradient[:] = gradient
        policy.step(3e-3, 1.0)
        mirror.grad = torch.from_numpy(gradient * min(1.0, 1.0 / norm))
        optimiser.step()
    assert policy.vector == pytest.approx(mirror.detach().numpy(), rel=1e-9, abs=1e-12)
