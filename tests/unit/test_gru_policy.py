"""Oracle: central differences, the decoding module's behaviour policy, and counted samples."""

import numpy as np
import pytest

from pycore import arithmetic
from pycore.decoding import Decoding, behaviour_log_probs
from pycore.domain import DomainError
from pycore.gru import Size
from pycore.gru_policy import GruPolicy
from pycore.policy import Grammar, written

SMALL = Size(embedding=3, hidden=5)
PROMPTS = arithmetic.encode_prompts([[27, 58], [67, 58], [12, 34]])


def fresh(seed=0, decoding=None, limit=6):
    return GruPolicy.new(SMALL, arithmetic.grammar(limit), np.random.default_rng(seed), decoding)


def test_samples_obey_the_grammar_and_end_once():
    policy = fresh()
    rollout = policy.sample(PROMPTS, 40, np.random.default_rng(1))
    inside = np.arange(6) < rollout.lengths[..., None]
    assert policy.grammar.allowed[np.arange(6), np.where(inside, rollout.tokens, arithmetic.END)][inside].all()
    assert (rollout.tokens[~inside] == arithmetic.PAD).all()
    assert ((rollout.tokens == arithmetic.END).sum(axis=2) == 1).all()
    assert not rollout.truncated.any()
    # The forced end is no action; the free one is.
    assert np.array_equal(rollout.mask, inside & (np.arange(6) < 5))
    assert (rollout.logp[~rollout.mask] == 0).all()


def test_a_shorter_limit_truncates():
    rollout = fresh(limit=3).sample(PROMPTS, 50, np.random.default_rng(1))
    unended = ~(rollout.tokens == arithmetic.END).any(axis=2)
    assert unended.any()
    assert np.array_equal(rollout.truncated, unended)
    assert (rollout.lengths[unended] == 3).all()


@pytest.mark.parametrize(
    "decoding", [Decoding(), Decoding(temperature=0.6), Decoding(top_k=3), Decoding(temperature=1.5, top_p=0.7)]
)
def test_the_stored_log_probs_are_those_of_the_policy_that_sampled(decoding):
    policy = fresh(decoding=decoding)
    rollout = policy.sample(PROMPTS, 30, np.random.default_rng(2))
    plain = GruPolicy(SMALL, policy.grammar, policy.vector, policy.adam)
    for prompt in range(len(PROMPTS)):
        for tokens, mask, logp, entropy in zip(
            rollout.tokens[prompt], rollout.mask[prompt], rollout.logp[prompt], rollout.entropy[prompt], strict=True
        ):
            for position in np.flatnonzero(mask)[:2]:
                # Scores of every allowed token after this prefix, up to a constant: log-probs at temperature 1.
                options = np.flatnonzero(policy.grammar.allowed[position])
                rows = np.repeat(tokens[None, : position + 1], len(options), axis=0)
                rows[:, position] = options
                forced = written(PROMPTS[prompt][None], rows[None], policy.grammar)
                scores = plain.logp(forced).logp[0, :, position]
                expected = behaviour_log_probs(scores, decoding)
                chosen = int(np.flatnonzero(options == tokens[position])[0])
                assert logp[position] == pytest.approx(expected[chosen], abs=1e-10)
                kept = expected[np.isfinite(expected)]
                assert entropy[position] == pytest.approx(-np.sum(np.exp(kept) * kept), abs=1e-10)


def test_first_tokens_come_as_often_as_they_are_likely():
    policy = fresh(seed=3)
    count = 20_000
    rollout = policy.sample(PROMPTS[:1], count, np.random.default_rng(4))
    options = np.arange(10)
    forced = written(PROMPTS[:1], np.stack([options, np.full(10, 12)], axis=1)[None], policy.grammar)
    chance = np.exp(policy.logp(forced).logp[0, :, 0])
    assert chance.sum() == pytest.approx(1, rel=1e-12)
    share = np.bincount(rollout.tokens[0, :, 0], minlength=10)[:10] / count
    assert np.abs(share - chance).max() < 4 * np.sqrt(0.25 / count)


def test_before_any_update_every_ratio_is_one_to_the_last_bit():
    policy = fresh()
    rollout = policy.sample(PROMPTS, 8, np.random.default_rng(5))
    assert np.array_equal(policy.logp(rollout).logp, rollout.logp)
    again = policy.copy().logp(rollout)
    assert again.logp == pytest.approx(rollout.logp, abs=1e-13)
    assert again.entropy == pytest.approx(rollout.entropy, abs=1e-13)


def test_the_gradient_of_log_probs_entropy_and_kl_is_the_slope():
    policy, base = fresh(1, Decoding(temperature=0.8)), fresh(2)
    generator = np.random.default_rng(6)
    rollout = policy.sample(PROMPTS, 4, generator)
    weights = [generator.standard_normal(shape) for shape in (rollout.shape, rollout.shape[:2], rollout.shape[:2])]

    def loss():
        scores = policy.copy().logp(rollout, base)
        assert scores.kl is not None
        parts = (weights[0] * scores.logp, weights[1][..., None] * scores.entropy, weights[2][..., None] * scores.kl)
        return sum(float(np.sum(np.where(rollout.mask, part, 0))) for part in parts)

    policy.logp(rollout, base)
    norm = policy.backward(*weights)
    gradient = policy.gradient.copy()
    assert norm == pytest.approx(np.linalg.norm(gradient), rel=1e-12)
    step = 1e-5
    for place in np.random.default_rng(7).choice(SMALL.parameters, 60, replace=False):
        old = policy.vector[place]
        sides = []
        for side in (step, -step):
            policy.vector[place] = old + side
            sides.append(loss())
        policy.vector[place] = old
        assert gradient[place] == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=1e-5, abs=1e-8)


def test_the_kl_to_itself_is_zero_and_never_negative_to_another():
    policy = fresh()
    rollout = policy.sample(PROMPTS, 8, np.random.default_rng(8))
    assert policy.logp(rollout, policy.copy()).kl == pytest.approx(np.zeros(rollout.shape), abs=1e-14)
    assert policy.logp(rollout, fresh(9)).kl[rollout.mask].min() > 0


def test_a_step_along_the_gradient_raises_what_was_asked_for():
    policy = fresh()
    rollout = policy.sample(PROMPTS, 4, np.random.default_rng(9))
    before = policy.logp(rollout).logp.sum()
    policy.backward(np.where(rollout.mask, -1.0, 0.0))
    policy.step(1e-3, 1.0)
    assert policy.logp(rollout).logp.sum() > before


def test_the_same_seed_gives_the_same_rollout_and_a_copy_is_independent():
    policy = fresh()
    one, two = (policy.sample(PROMPTS, 5, np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(one.tokens, two.tokens)
    twin = policy.copy()
    policy.vector += 1
    assert not np.array_equal(twin.vector, policy.vector)


def test_saving_and_loading_keeps_weights_and_optimiser():
    policy = fresh()
    rollout = policy.sample(PROMPTS, 4, np.random.default_rng(1))

    def learn(one):
        one.logp(rollout)
        one.backward(np.where(rollout.mask, -1.0, 0.0))
        one.step(1e-2, 1.0)

    learn(policy)
    loaded = GruPolicy.load(policy.save(), policy.grammar)
    learn(policy)
    learn(loaded)
    assert np.array_equal(loaded.vector, policy.vector)
    assert loaded.save() == policy.save()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fresh().sample([[16]], 1, np.random.default_rng(0)), "prompts = 16"),
        (lambda: fresh().sample([1, 2], 1, np.random.default_rng(0)), r"prompts\.shape"),
        (lambda: fresh().sample(PROMPTS, 0, np.random.default_rng(0)), "group = 0"),
        (lambda: fresh().backward(np.zeros((1, 1, 6))), "logp"),
        (lambda: GruPolicy.load(b"x", arithmetic.grammar()), "data"),
        (
            lambda: GruPolicy.new(SMALL, Grammar(np.ones((2, 3), bool), 1, 2), np.random.default_rng(0)),
            r"grammar\.allowed\.shape",
        ),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()


def test_a_gradient_of_another_shape_or_without_its_reference_is_refused():
    policy = fresh()
    rollout = policy.sample(PROMPTS, 2, np.random.default_rng(0))
    policy.logp(rollout)
    with pytest.raises(DomainError, match="grad_logp"):
        policy.backward(np.zeros((1, 2, 6)))
    with pytest.raises(DomainError, match="grad_kl"):
        policy.backward(np.zeros(rollout.shape), None, np.zeros(rollout.shape[:2]))
