"""Oracle: finite differences of each method's own loss on a softmax over answers, and exact expectations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.enumeration import response_tree, score_vectors, tree_log_probs
from pycore.estimator import exact_gradient
from pycore.ppo import generalised_advantages
from pycore.unified import METHODS, SOURCES, Answers, anchor_coefficient, coefficients, token_coefficients, update

TREE = response_tree(4, 1)
REWARDS, CORRECT = np.array([1.0, 0.0, 0.5, -0.2]), np.array([True, False, True, False])
VALUES, ADVANTAGES = np.array([0.4, 0.4, 0.1, 0.3]), np.array([1.5, -0.7, 0.2, -1.0])
REFERENCE, BETA = np.log([0.1, 0.2, 0.3, 0.4]), 0.3


def log_probs(logits):
    return tree_log_probs(TREE, logits).sum(axis=1)


def losses(logits, start):
    """Each method's loss as it is usually written; `start` is where the data were sampled."""
    logp, old = log_probs(logits), log_probs(start)
    ratio = np.exp(logp - old)
    margin = BETA * ((logp[0] - REFERENCE[0]) - (logp[3] - REFERENCE[3]))
    return {
        "sft": -logp.mean(),
        "rft": -(CORRECT * logp).mean(),
        "online rft": -(CORRECT * logp).mean(),
        "dpo": np.log1p(np.exp(-margin)),
        "online dpo": np.log1p(np.exp(-margin)),
        "ppo": -(ratio * (REWARDS - VALUES)).mean(),
        "grpo": -(ratio * ADVANTAGES).mean(),
    }


@pytest.mark.parametrize("method", METHODS)
@given(st.integers(0, 10**6))
def test_the_update_is_the_descent_direction_of_the_methods_own_loss(method, seed):
    logits = np.random.default_rng(seed).normal(size=(1, 4))
    answers = Answers(REWARDS, CORRECT, VALUES, ADVANTAGES, log_probs(logits), REFERENCE, BETA)
    found = update(method, answers, score_vectors(TREE, logits).sum(axis=1))
    for token in range(4):
        shift = 1e-6 * np.eye(4)[[token]]
        up, down = (losses(logits + sign * shift, logits)[method] for sign in (1, -1))
        assert found[0, token] == pytest.approx(-(up - down) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_only_signed_methods_push_an_answer_down(method):
    weight = coefficients(method, Answers(REWARDS, CORRECT, VALUES, ADVANTAGES, REFERENCE, REFERENCE, BETA))
    assert METHODS[method].signed == bool((weight < 0).any())
    assert METHODS[method].source in SOURCES


def test_online_rft_is_reinforce_with_a_binary_reward_and_no_baseline():
    logits = np.random.default_rng(0).normal(size=(1, 4))
    p, scores = np.exp(log_probs(logits)), score_vectors(TREE, logits).sum(axis=1)
    weight = coefficients("online rft", Answers(REWARDS, CORRECT))
    expected = np.tensordot(p * weight, scores, axes=1)
    assert expected == pytest.approx(exact_gradient(p, scores, CORRECT * 1.0))
    assert (coefficients("rft", Answers(REWARDS, CORRECT)) == weight).all()


def test_dpo_at_the_reference_pulls_with_half_of_beta():
    weight = coefficients("dpo", Answers(REWARDS, CORRECT, logp=REFERENCE, logp_ref=REFERENCE, beta=0.4))
    assert weight == pytest.approx([0.2, 0, 0, -0.2])


def test_equal_rewards_give_dpo_no_pair():
    flat = Answers([1, 1], [True, True], logp=[-1, -2], logp_ref=[-1, -1])
    assert coefficients("dpo", flat).tolist() == [0, 0]


@pytest.mark.parametrize("method", METHODS)
def test_the_tokens_of_an_answer_share_its_coefficient(method):
    answers = Answers(REWARDS, CORRECT, VALUES, ADVANTAGES, REFERENCE, REFERENCE, BETA)
    lengths = np.array([2, 5, 1, 3])
    tokens = token_coefficients(method, answers, lengths)
    assert tokens.shape == (4, 5)
    assert tokens.sum(axis=1) == pytest.approx(coefficients(method, answers))
    assert (tokens[np.arange(5) >= lengths[:, None]] == 0).all()
    whole = token_coefficients(method, answers, lengths, by_length=False)
    assert whole == pytest.approx(tokens * lengths[:, None])


@given(st.integers(0, 10**6))
def test_a_critic_of_tokens_gives_the_advantages_of_a_whole_return(seed):
    draw = np.random.default_rng(seed)
    lengths = draw.integers(1, 6, size=3)
    mask = np.arange(lengths.max()) < lengths[:, None]
    rewards, values = draw.normal(size=3), draw.normal(size=mask.shape)
    paid = np.zeros(mask.shape)
    paid[np.arange(3), lengths - 1] = rewards
    found = token_coefficients("ppo", Answers(rewards, rewards > 0), lengths, values=values, by_length=False)
    assert found == pytest.approx(generalised_advantages(paid, values, mask, 1, 1).advantages)


@given(st.lists(st.tuples(st.floats(-5, -0.01), st.floats(-5, 0)), min_size=1, max_size=5), st.floats(0, 2))
def test_the_anchor_is_the_slope_of_the_k3_penalty(pairs, beta):
    logp, reference = map(np.array, zip(*pairs, strict=True))

    def penalty(x):
        return beta * (np.exp(reference - x) - (reference - x) - 1)

    slope = (penalty(logp + 1e-6) - penalty(logp - 1e-6)) / 2e-6
    assert anchor_coefficient(logp, reference, beta) == pytest.approx(-slope, rel=1e-5, abs=1e-6)


def test_the_coefficients_are_not_a_view_of_the_callers_array():
    own = ADVANTAGES.copy()
    coefficients("grpo", Answers(REWARDS, CORRECT, advantages=own))[0] = 99
    assert own[0] == ADVANTAGES[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: coefficients("rlhf", Answers(REWARDS, CORRECT)), "one of sft, rft, online rft, dpo, online dpo"),
        (lambda: coefficients("ppo", Answers(REWARDS, CORRECT)), "values = None"),
        (lambda: coefficients("grpo", Answers(REWARDS, CORRECT)), "advantages = None"),
        (lambda: coefficients("dpo", Answers(REWARDS, CORRECT, logp=REFERENCE)), "logp_ref = None"),
        (lambda: Answers([], np.zeros(0, bool)), r"rewards\.shape"),
        (lambda: Answers(REWARDS, CORRECT[:2]), r"correct\.shape"),
        (lambda: Answers(REWARDS, [1, 0, 1, 0]), "True and False"),
        (lambda: Answers(REWARDS, CORRECT, values=[0.0]), r"values\.shape"),
        (lambda: Answers(REWARDS, CORRECT, logp=[0.5, 0, 0, 0]), "logp = 0.5"),
        (lambda: Answers(REWARDS, CORRECT, beta=0), "beta = 0.0"),
        (lambda: update("sft", Answers(REWARDS, CORRECT), np.eye(3)), r"scores\.shape"),
        (lambda: anchor_coefficient([-1.0], [-1.0, -2.0], 0.1), r"logp_ref\.shape"),
        (lambda: token_coefficients("sft", Answers(REWARDS, CORRECT), [1, 2, 0, 1]), "lengths = 0"),
        (lambda: token_coefficients("sft", Answers(REWARDS, CORRECT), [1, 2]), r"lengths\.shape"),
        (lambda: token_coefficients("rft", Answers(REWARDS, CORRECT), [1] * 4, values=np.ones((4, 1))), "no critic"),
        (lambda: token_coefficients("ppo", Answers(REWARDS, CORRECT), [2] * 4, values=np.ones((4, 1))), r"values\.sh"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(DomainError, match=words):
        call()
