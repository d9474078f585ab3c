"""Oracles: central differences for the gradient, one update worked out from it, and the protocol on fresh responses."""

import numpy as np
import pytest

from pycore.domain import DomainError
from pycore.drift import GROUP, PROMPTS, TOKENS, Reuse, drift, log_policy, weight_gradient
from pycore.protocol import Protocol

CLIPPED, FREE = Protocol(clip="symmetric"), Protocol(clip="none")


def run(protocols, seed=3, **settings):
    return list(drift(protocols, Reuse(**settings), np.random.default_rng(seed)))


def deviation(found):
    return float(np.abs(found.ratio - 1).max())


def test_the_gradient_by_the_weights_is_that_of_central_differences():
    rng = np.random.default_rng(5)
    features, weights = rng.standard_normal((2, 3, 4)), rng.standard_normal((4, 5))
    tokens, slope = rng.integers(0, 5, (2, 6, 3)), rng.standard_normal((2, 6, 3))

    def value(table):
        logp = np.take_along_axis(log_policy(features, table), tokens.transpose(0, 2, 1), axis=2)
        return float(np.sum(slope * logp.transpose(0, 2, 1)))

    found = weight_gradient(features, log_policy(features, weights), tokens, slope)
    for place in np.ndindex(4, 5):
        step = np.zeros((4, 5))
        step[place] = 1e-6
        assert found[place] == pytest.approx((value(weights + step) - value(weights - step)) / 2e-6, abs=1e-7)


def test_probabilities_of_a_place_sum_to_one_and_huge_logits_do_not_overflow():
    log_probs = log_policy([[[1.0], [-1.0]]], [[1000.0, 0.0, -1000.0]])
    assert np.exp(log_probs).sum(axis=2) == pytest.approx(1)
    assert np.isfinite(log_probs).all()


def test_fresh_responses_have_ratio_one_at_the_first_update_and_at_no_later_one():
    log = run([CLIPPED], passes=2, minibatches=4)
    assert [number for number, _ in log] == list(range(1, 9))
    assert deviation(log[0][1][0]) < 1e-12
    assert all(deviation(found) > 0.01 for _, (found,) in log[1:])
    assert log[0][1][0].ratio.shape == (PROMPTS // 4, GROUP, TOKENS)
    assert log[0][1][0].loss == pytest.approx(0)


def test_a_policy_that_does_not_learn_does_not_drift():
    assert all(deviation(found) < 1e-12 for _, (found,) in run([CLIPPED], rate=0, passes=2, lag=2))


def test_until_a_bound_holds_a_token_clipped_and_free_updates_are_the_same():
    apart = False
    for _, (clipped, free) in run([CLIPPED, FREE], rate=0.03, passes=3):
        if not apart:
            assert np.array_equal(clipped.ratio, free.ratio)
        apart |= clipped.clip_share_positive > 0 or clipped.clip_share_negative > 0
    assert apart
    assert deviation(clipped) < deviation(free)


def test_the_batch_waits_while_the_policy_learns_elsewhere():
    log = run([CLIPPED, FREE], lag=3, minibatches=1)
    assert [number for number, _ in log] == [-2, -1, 0, 1]
    spread = [deviation(found) for _, (found, _) in log]
    assert spread[0] < 1e-12
    assert np.all(np.diff(spread) > 0)
    assert np.array_equal(log[-1][1][0].ratio, log[-1][1][1].ratio)


def test_another_engine_moves_the_log_ratio_by_its_own_noise_before_any_update():
    ((_, (found,)),) = run([CLIPPED], minibatches=1, noise=0.05)
    log_ratio = np.log(found.ratio)
    # The log-prob of a token moves by its own logit less the mean over the others: a little under the noise itself.
    assert 0.035 < log_ratio.std() < 0.055
    # Under the policy that wrote the responses the ratio has mean 1.
    assert found.ratio.mean() == pytest.approx(1, abs=4 * found.ratio.std() / np.sqrt(TOKENS * PROMPTS))


def test_the_same_seed_gives_the_same_log():
    first, second = run([CLIPPED]), run([CLIPPED])
    assert all(np.array_equal(one[0].ratio, other[0].ratio) for (_, one), (_, other) in zip(first, second, strict=True))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Reuse(rate=-1), "rate = -1"),
        (lambda: Reuse(passes=0), "passes = 0"),
        (lambda: Reuse(minibatches=PROMPTS + 1), "minibatches = 33"),
        (lambda: Reuse(lag=-1), "lag = -1"),
        (lambda: Reuse(noise=np.nan), "noise = nan"),
        (lambda: next(drift([], Reuse(), np.random.default_rng(0))), "protocols"),
        (lambda: log_policy(np.zeros((1, 1, 2)), np.zeros((3, 4))), "weights.shape"),
        (lambda: weight_gradient([[[1.0]]], [[[0.0]]], [[[1]]], [[[1.0]]]), "tokens = 1"),
        (lambda: weight_gradient([[[1.0]]], [[[0.0]]], [[[0]]], [[[1.0, 1.0]]]), "slope.shape"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
