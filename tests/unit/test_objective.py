"""Oracle: loops over single tokens in plain Python, central differences for every preset, and the course's numbers."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.objective import Batch, evaluate
from pycore.protocol import CLIPS, PRESETS, RATIOS, Protocol
from tests.unit.batches import TOKEN_PRESETS, random_batch


def lessons_batch(dtype=np.float64):
    lengths = np.array([[3, 6, 3, 6]])
    mask = np.arange(6) < lengths[..., None]
    logp = np.log(np.full(mask.shape, 0.5, dtype=dtype))
    return Batch(logp, logp, mask, [[1, 1, 0, 0]])


def test_a_loss_of_zero_still_teaches():
    found = evaluate(Protocol(), lessons_batch())
    assert found.loss == pytest.approx(0, abs=1e-12)
    assert np.unique(np.abs(found.grad).round(4)).tolist() == [0, 0.0417, 0.0833]
    assert found.grad[0, :, 0].round(4).tolist() == [-0.0833, -0.0417, 0.0833, 0.0417]
    assert np.all(found.ratio == 1)
    assert found.clip_share_positive == found.clip_share_negative == 0


def test_grpo_token_by_token_in_plain_python():
    batch = random_batch(0)
    found = evaluate(PRESETS["grpo"], batch)
    loss, count = 0.0, batch.shape[0] * batch.shape[1]
    for prompt in range(batch.shape[0]):
        rewards = [float(r) for r in np.asarray(batch.rewards)[prompt]]
        mean = sum(rewards) / 4
        std = (sum((r - mean) ** 2 for r in rewards) / 4) ** 0.5
        for response in range(4):
            advantage = (rewards[response] - mean) / (std + 1e-6)
            tokens = [t for t in range(6) if batch.mask[prompt, response, t]]
            for t in tokens:
                now, before, reference = (
                    float(a[prompt, response, t]) for a in (batch.logp, batch.logp_old, batch.logp_ref)
                )
                rho, r = exp(now - before), exp(reference - now)
                surrogate = min(rho * advantage, min(max(rho, 0.8), 1.2) * advantage)
                loss -= (surrogate - 0.04 * (r - (reference - now) - 1)) / len(tokens) / count
    assert found.loss == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize("spoiler", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("name", TOKEN_PRESETS)
def test_inactive_entries_never_leak(name, spoiler):
    protocol = replace(PRESETS[name], kl_coefficient=0.1, entropy_coefficient=0.1)
    clean = random_batch(7)
    names = ("logp", "logp_old", "logp_ref", "entropy", "kl")
    spoiled = {n: np.where(clean.mask, getattr(clean, n), spoiler) for n in names}
    first, second = evaluate(protocol, clean), evaluate(protocol, replace(clean, **spoiled))
    assert first.loss == second.loss
    assert np.array_equal(first.grad, second.grad)
    assert np.all(second.grad[~clean.mask] == 0)


@pytest.mark.parametrize("name", [n for n in TOKEN_PRESETS if PRESETS[n].baseline in ("mean", "leave_one_out")])
def test_flat_groups_teach_nothing_without_a_kl_term(name):
    batch = random_batch(8, rewards=np.full((3, 4), 1.2))
    found = evaluate(replace(PRESETS[name], kl_coefficient=0.0), batch)
    assert found.loss == 0
    assert np.all(found.grad == 0)
    assert found.informative_share == 0


def test_flat_groups_still_have_a_kl_gradient():
    found = evaluate(PRESETS["grpo"], random_batch(8, rewards=np.ones((3, 4))))
    assert found.policy_loss == 0
    assert np.any(found.grad != 0)
    assert found.loss == found.kl_loss > 0


@pytest.mark.parametrize("name", TOKEN_PRESETS)
def test_a_batch_without_active_tokens_has_a_loss_of_zero(name):
    batch = random_batch(9, mask=np.zeros((3, 4, 6), dtype=bool))
    found = evaluate(replace(PRESETS[name], kl_coefficient=0.1, entropy_coefficient=0.1), batch)
    assert found.loss == 0
    assert np.all(found.grad == 0)
    assert np.isnan(found.clip_share_positive)


@pytest.mark.parametrize("name", TOKEN_PRESETS)
def test_missing_rewards_and_single_responses_do_not_poison_the_rest(name):
    rewards = [[1, None, 0, float("nan")], [None, 1, None, None], [None] * 4]
    found = evaluate(replace(PRESETS[name], kl_coefficient=0.0), random_batch(10, rewards=rewards))
    assert np.isfinite(found.loss)
    assert np.all(np.isfinite(found.grad))
    assert np.all(found.grad[2] == 0)
    assert np.all(found.grad[0, [1, 3]] == 0)


@pytest.mark.parametrize("name", TOKEN_PRESETS)
def test_float32_stays_float32_and_agrees_with_float64(name):
    protocol = replace(PRESETS[name], kl_coefficient=0.0)
    wide = random_batch(11)
    narrow = replace(wide, logp=wide.logp.astype(np.float32), logp_old=wide.logp_old.astype(np.float32))
    first, second = evaluate(protocol, wide), evaluate(protocol, narrow)
    assert second.grad.dtype == second.ratio.dtype == np.float32
    assert second.loss == pytest.approx(first.loss, abs=1e-5)
    assert second.grad == pytest.approx(first.grad, abs=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [n for n in TOKEN_PRESETS if PRESETS[n].kl_placement == "loss"])
def test_log_ratios_of_a_thousand_stay_finite(name, dtype):
    batch = random_batch(12)
    far = {"logp": np.where(batch.logp < -1, batch.logp * 1000, -1e-3).astype(dtype)}
    far["logp_old"] = np.where(batch.logp < -1, -1e-3, batch.logp_old * 1000).astype(dtype)
    found = evaluate(PRESETS[name], replace(batch, **far, logp_ref=far["logp_old"]))
    assert np.isfinite(found.loss)
    assert np.isfinite(found.grad).all()


def test_clip_shares_are_counted_for_each_sign_apart():
    mask = np.ones((1, 2, 4), dtype=bool)
    logp_old = np.full(mask.shape, -2.0)
    logp = logp_old + np.log([[[1.5, 1.5, 1.0, 0.5], [1.5, 1.0, 0.5, 1.0]]])
    found = evaluate(Protocol(), Batch(logp, logp_old, mask, [[1, 0]]))
    assert (found.clip_share_positive, found.clip_share_negative) == (0.5, 0.25)
    assert found.ratio == pytest.approx(np.exp(logp - logp_old))


def test_the_sequence_ratio_is_one_number_per_response():
    batch = random_batch(13)
    found = evaluate(PRESETS["gspo"], batch)
    log_ratio = np.where(batch.mask, batch.logp - batch.logp_old, 0)
    assert found.ratio == pytest.approx(np.exp(log_ratio.sum(2) / batch.mask.sum(2)), rel=1e-13)
    product = evaluate(Protocol(ratio="sequence_product"), batch)
    assert product.ratio == pytest.approx(np.exp(log_ratio.sum(2)), rel=1e-13)


def test_one_range_means_different_things_at_the_two_levels():
    log_ratio = np.array([[[0.5, -0.5, 0.5, -0.5], [0.5, -0.5, 0.5, -0.5]]])
    batch = Batch(log_ratio - 1, np.full((1, 2, 4), -1.0), np.ones((1, 2, 4), dtype=bool), [[1, 0]])
    token, sequence = evaluate(Protocol(), batch), evaluate(Protocol(ratio="sequence_mean"), batch)
    assert (token.clip_share_positive, sequence.clip_share_positive) == (0.5, 0)
    assert sequence.ratio.tolist() == [[1, 1]]


def test_a_truncated_answer_left_in_the_denominator_shrinks_everyone_elses_gradient():
    truncated = np.zeros((3, 4), dtype=bool)
    truncated[1, 2] = True
    batch = random_batch(14, truncated=truncated)
    token_mean = Protocol(aggregation="token_mean")
    masked, silent = (evaluate(replace(token_mean, truncation=c), batch) for c in ("mask", "silence"))
    others = batch.mask & ~truncated[..., None]
    moving = others & (masked.grad != 0)
    shrink = 1 - batch.mask[1, 2].sum() / batch.mask.sum()
    assert silent.grad[moving] / masked.grad[moving] == pytest.approx(shrink, rel=1e-12)
    assert np.all(silent.grad[1, 2] == masked.grad[1, 2])


def test_dynamic_sampling_makes_the_loss_that_of_the_informative_groups_alone():
    batch = random_batch(15)
    found = evaluate(Protocol(dynamic_sampling=True), batch)
    arrays = ("logp", "logp_old", "mask", "logp_ref", "entropy", "kl")
    kept = replace(batch, rewards=np.asarray(batch.rewards)[:2], **{n: getattr(batch, n)[:2] for n in arrays})
    assert found.loss == pytest.approx(evaluate(Protocol(), kept).loss, rel=1e-13)
    assert np.all(found.grad[2] == 0)


@given(st.integers(0, 1000), st.sampled_from(TOKEN_PRESETS))
def test_the_order_of_prompts_and_responses_does_not_matter(seed, name):
    batch, rng = random_batch(seed), np.random.default_rng(seed)
    prompts, group = rng.permutation(3), rng.permutation(4)
    arrays = {n: getattr(batch, n)[prompts][:, group] for n in ("logp", "logp_old", "mask", "logp_ref", "entropy")}
    shuffled = replace(batch, kl=None, rewards=np.asarray(batch.rewards)[prompts][:, group], **arrays)
    first, second = evaluate(PRESETS[name], batch), evaluate(PRESETS[name], shuffled)
    assert second.loss == pytest.approx(first.loss, abs=1e-12)
    assert second.grad == pytest.approx(first.grad[prompts][:, group], abs=1e-12)


@given(st.integers(0, 1000), st.sampled_from(TOKEN_PRESETS), st.integers(1, 5))
def test_padding_does_not_matter(seed, name, more):
    batch = random_batch(seed)
    padding = ((0, 0), (0, 0), (0, more))
    arrays = {n: np.pad(getattr(batch, n), padding) for n in ("logp", "logp_old", "mask", "logp_ref", "entropy", "kl")}
    first, second = evaluate(PRESETS[name], batch), evaluate(PRESETS[name], replace(batch, **arrays))
    assert second.loss == pytest.approx(first.loss, abs=1e-12)
    assert second.grad[..., :6] == pytest.approx(first.grad, abs=1e-12)


def test_many_blocks_give_the_same_result_as_one(monkeypatch):
    batch = random_batch(16)
    for name in ("grpo", "gspo", "cispo", "gmpo"):
        whole = evaluate(PRESETS[name], batch)
        monkeypatch.setattr("pycore.objective.BLOCK", 7)
        pieces = evaluate(PRESETS[name], batch)
        monkeypatch.undo()
        assert pieces.loss == pytest.approx(whole.loss, rel=1e-14)
        assert np.array_equal(pieces.grad, whole.grad)
        assert np.array_equal(pieces.ratio, whole.ratio)


def test_the_loss_scale_scales_everything_that_is_a_loss_or_a_gradient():
    batch = random_batch(17)
    protocol = Protocol(kl_coefficient=0.1, entropy_coefficient=0.1)
    once, twice = evaluate(protocol, batch), evaluate(protocol, replace(batch, loss_scale=2.0))
    for name in ("loss", "policy_loss", "kl_loss", "entropy_loss", "grad", "grad_entropy", "grad_kl"):
        assert getattr(twice, name) == pytest.approx(2 * np.asarray(getattr(once, name)), rel=1e-12)
    assert np.array_equal(once.advantages, twice.advantages)


def test_the_batch_is_not_changed():
    batch = random_batch(18)
    names = ("logp", "logp_old", "mask", "logp_ref", "entropy", "kl")
    before = {n: getattr(batch, n).copy() for n in names}
    evaluate(PRESETS["grpo"], batch)
    assert all(np.array_equal(before[n], getattr(batch, n)) for n in names)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("clip", CLIPS)
def test_every_allowed_pair_of_ratio_level_and_clip_runs(ratio, clip):
    cap = {"dual": 3.0, "delta": 3.0}.get(clip)
    try:
        protocol = Protocol(ratio=ratio, clip=clip, clip_cap=cap)
    except DomainError:
        return
    found = evaluate(protocol, random_batch(19))
    assert np.any(found.grad != 0)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"kl_coefficient": 0.1}, r"batch\.logp_ref = None"),
        ({"kl_coefficient": 0.1, "kl": "exact"}, r"batch\.kl = None"),
        ({"entropy_coefficient": 0.1}, r"batch\.entropy = None"),
        ({"baseline": "critic", "scale": "none"}, r"batch\.advantages = None"),
    ],
)
def test_a_missing_array_is_asked_for_by_name(axes, message):
    with pytest.raises(DomainError, match=message):
        evaluate(Protocol(**axes), lessons_batch())


def test_the_informative_share_is_that_of_the_rewards_in_use():
    logp, mask = np.full((2, 2, 8), -1.0), np.ones((2, 2, 8), bool)
    mask[0, 0, 4:] = False
    dapo = replace(PRESETS["dapo"], max_tokens=8, overlong_cache=4)
    # Equal rewards, unequal lengths: the soft length penalty makes the group informative, and it is used.
    evaluation = evaluate(dapo, Batch(logp, logp, mask, [[1, 1], [1, 1]]))
    assert np.count_nonzero(evaluation.weights.sum(axis=1)) == 1
    assert evaluation.informative_share == 0.5
    truncated = np.array([[False, True], [False, False]])
    drop = replace(dapo, overlong_cache=0, truncation="drop")
    evaluation = evaluate(drop, Batch(logp, logp, mask, [[1, 0], [1, 0]], truncated=truncated))
    assert np.count_nonzero(evaluation.weights.sum(axis=1)) == 1
    assert evaluation.informative_share == 0.5


@pytest.mark.parametrize(("ratio", "clip"), [("token", "symmetric"), ("none", "none")])
def test_an_advantage_of_an_inactive_token_does_not_leak(ratio: str, clip: str) -> None:
    mask, logp = np.array([[[True, False], [True, True]]]), np.full((1, 2, 2), -1.0)
    protocol = Protocol(ratio=ratio, clip=clip, baseline="none", scale="none")
    with_nan, with_zero = (
        evaluate(protocol, Batch(logp, logp, mask, [[1, 0]], advantages=np.array([[[1.0, unused], [1.0, 1.0]]])))
        for unused in (np.nan, 0.0)
    )
    assert with_nan.loss == with_zero.loss
    assert with_nan.grad.tolist() == with_zero.grad.tolist()


def test_moderate_and_wild_inactive_entries_give_the_same_update() -> None:
    rng = np.random.default_rng(3)
    shape = (3, 4, 6)
    mask = np.arange(6) < rng.integers(1, 7, shape[:2])[..., None]
    arrays = [np.where(mask, -rng.exponential(1.0, shape), -1.0) for _ in range(3)]
    rewards = rng.integers(0, 2, shape[:2])
    for protocol in PRESETS.values():
        if protocol.baseline == "critic" or protocol.kl == "exact" or protocol.entropy_coefficient > 0:
            continue
        tame, wild = (
            evaluate(protocol, Batch(a, b, mask, rewards, logp_ref=c))
            for a, b, c in (arrays, [np.where(mask, values, np.inf) for values in arrays])
        )
        assert np.allclose(tame.grad, wild.grad, rtol=1e-13, atol=1e-15)
        assert tame.loss == pytest.approx(wild.loss, abs=1e-14)
        assert np.array_equal(tame.ratio, wild.ratio)
