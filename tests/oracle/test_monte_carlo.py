"""Oracle: sampled groups against exact expectations, with tolerances from the samples' own standard errors."""

from math import comb, sqrt

import numpy as np
import pytest

from pycore.kl import categorical_kl, estimator_moments, kl_estimate
from pycore.objective import Batch, evaluate
from pycore.protocol import Protocol
from tests.oracle.tiny_policy import CORRECT, MASK, TinyPolicy

GROUP, GROUPS = 8, 40_000
POLICY = TinyPolicy(np.random.default_rng(5).standard_normal((3, 3)))


def sampled_updates(protocol, seed):
    """-d loss / d logits of each sampled group alone, shape (groups, 9)."""
    rng = np.random.default_rng(seed)
    groups = rng.choice(len(CORRECT), size=(GROUPS, GROUP), p=POLICY.probability)
    logp = POLICY.logp[groups]
    grad = evaluate(protocol, Batch(logp, logp, MASK[groups], CORRECT[groups])).grad * GROUPS
    return -np.einsum("git,gitsv->gsv", grad, POLICY.score[groups]).reshape(GROUPS, 9)


@pytest.mark.parametrize(("baseline", "factor"), [("leave_one_out", 1.0), ("mean", 1 - 1 / GROUP), ("none", 1.0)])
def test_sampled_policy_gradients_average_to_the_exact_one(baseline, factor):
    axes = {"ratio": "none", "clip": "none", "scale": "none", "aggregation": "sequence_sum"}
    updates = sampled_updates(Protocol(baseline=baseline, **axes), seed=1)
    error = np.abs(updates.mean(0) - factor * POLICY.reward_gradient(CORRECT).ravel())
    assert np.all(error <= 4.5 * updates.std(0) / sqrt(GROUPS) + 1e-15)


def test_sampled_grpo_updates_average_to_the_reweighted_gradient():
    updates = sampled_updates(Protocol(eps=0, aggregation="sequence_sum"), seed=2)
    p = float(POLICY.probability @ CORRECT)
    weight = sum(
        comb(GROUP, k) * p**k * (1 - p) ** (GROUP - k) * sqrt(k * (GROUP - k)) / (GROUP * p * (1 - p))
        for k in range(1, GROUP)
    )
    error = np.abs(updates.mean(0) - weight * POLICY.reward_gradient(CORRECT).ravel())
    assert np.all(error <= 4.5 * updates.std(0) / sqrt(GROUPS) + 1e-15)


def test_a_baseline_lowers_the_variance():
    axes = {"ratio": "none", "clip": "none", "scale": "none", "aggregation": "sequence_sum"}
    spread = {b: sampled_updates(Protocol(baseline=b, **axes), seed=3).var(0).sum() for b in ("none", "leave_one_out")}
    assert spread["leave_one_out"] < 0.95 * spread["none"]


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3"])
def test_sampled_kl_estimates_average_to_their_exact_moments(estimator):
    pi, reference = np.log([0.6, 0.3, 0.1]), np.log([0.3, 0.4, 0.3])
    tokens = np.random.default_rng(4).choice(3, size=200_000, p=np.exp(pi))
    values = kl_estimate(pi[tokens], reference[tokens], estimator).value
    moments = estimator_moments(pi, reference, estimator)
    error = moments.deviation / sqrt(len(tokens))
    assert abs(values.mean() - moments.mean) < 4.5 * error
    assert abs((values < 0).mean() - moments.negative) < 4.5 * sqrt(0.25 / len(tokens))
    if estimator != "k2":
        assert abs(values.mean() - categorical_kl(pi, reference)[0]) < 4.5 * error
