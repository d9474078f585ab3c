"""Oracle: central differences of the loss, and the derivatives that the definitions give by hand."""

from dataclasses import replace

import numpy as np
import pytest

from pycore.objective import evaluate
from pycore.protocol import PRESETS, Protocol
from tests.unit.batches import TOKEN_PRESETS, random_batch


def slopes(protocol, batch, step=1e-6):
    """Central differences with respect to every active log-prob."""
    gradient = np.zeros(batch.shape)
    for index in zip(*np.nonzero(batch.mask), strict=True):
        losses = []
        for side in (step, -step):
            logp = batch.logp.copy()
            logp[index] += side
            losses.append(evaluate(protocol, replace(batch, logp=logp)).loss)
        gradient[index] = (losses[0] - losses[1]) / (2 * step)
    return gradient


# A constant weight is held while logp moves, and k2's gradient stands under another value: no slope of the loss there.
DIFFERENTIABLE = [name for name in TOKEN_PRESETS if PRESETS[name].clip not in ("weight", "gamma")]


@pytest.mark.parametrize("name", [*DIFFERENTIABLE, "ppo_clip"])
def test_the_gradient_is_the_slope_of_the_loss(name):
    batch = random_batch(1, shape=(2, 4, 3))
    # Log-probs of zero cannot be moved up; ratios at a bound have no slope.
    batch = replace(batch, logp=np.minimum(batch.logp, -1e-3))
    if name == "ppo_clip":
        batch = replace(batch, advantages=np.random.default_rng(2).standard_normal(batch.shape))
    protocol = PRESETS[name]
    assert evaluate(protocol, batch).grad == pytest.approx(slopes(protocol, batch), abs=1e-8)


@pytest.mark.parametrize("ratio", ["token", "sequence_mean", "sequence_product"])
@pytest.mark.parametrize("kl", ["k1", "k2", "k3"])
def test_the_gradient_flows_through_the_ratio_of_a_corrected_kl(ratio, kl):
    protocol = Protocol(ratio=ratio, kl=kl, kl_coefficient=0.7, kl_ratio=True)
    batch = random_batch(3, shape=(2, 3, 3), drift=0.2)
    batch = replace(batch, logp=np.minimum(batch.logp, -1e-3))
    assert evaluate(protocol, batch).grad == pytest.approx(slopes(protocol, batch), abs=1e-8)


def test_a_constant_weight_has_the_gradient_of_its_log_prob_alone():
    batch = random_batch(4)
    found = evaluate(PRESETS["cispo"], batch)
    weight = np.minimum(np.exp(batch.logp - batch.logp_old), 5.0)
    expected = -weight * found.advantages[..., None] / batch.mask.sum()
    assert found.grad == pytest.approx(np.where(batch.mask, expected, 0), abs=1e-14)


def test_straight_through_keeps_the_value_and_takes_the_gradient_of_k2():
    batch = random_batch(5)
    own, through, k2 = (
        evaluate(Protocol(kl=kl, kl_coefficient=1.0, kl_gradient=gradient), batch)
        for kl, gradient in (("k3", "own"), ("k3", "k2"), ("k2", "own"))
    )
    assert through.loss == own.loss
    assert np.array_equal(through.grad, k2.grad)


def test_the_exact_kl_and_the_entropy_bonus_hand_back_constant_gradients():
    batch = random_batch(6)
    protocol = Protocol(kl="exact", kl_coefficient=0.5, entropy_coefficient=0.1)
    found, plain = evaluate(protocol, batch), evaluate(Protocol(), batch)
    tokens = batch.mask.sum()
    kl_loss = 0.5 * np.sum(np.where(batch.mask, batch.kl * found.weights[..., None], 0))
    entropy_loss = -0.1 * np.sum(batch.entropy[batch.mask]) / tokens
    assert found.kl_loss == pytest.approx(kl_loss, rel=1e-13)
    assert found.entropy_loss == pytest.approx(entropy_loss, rel=1e-13)
    assert found.loss == pytest.approx(plain.loss + kl_loss + entropy_loss, rel=1e-13)
    assert found.grad_kl == pytest.approx(0.5 * found.weights, rel=1e-14)
    assert found.grad_entropy == pytest.approx(np.full((3, 4), -0.1 / tokens), rel=1e-14)
    assert np.array_equal(found.grad, plain.grad)


def test_entropy_may_take_the_weights_of_the_loss():
    batch = random_batch(6)
    found = evaluate(Protocol(entropy_coefficient=0.1, entropy_aggregation="loss"), batch)
    assert found.grad_entropy == pytest.approx(-0.1 * found.weights, rel=1e-14)
