"""Oracle: transformers reading each row from its first token, torch autograd, `pycore.decoding` for the filters."""

import io
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

from colab.model import load
from colab.optimiser import Optimiser
from colab.plan import Plan
from colab.policy import Rows
from colab.practice import Practice
from colab.prefix import attended, common
from colab.record import changed, prepare
from colab.writing import behaviour, drawn
from pycore import journal
from pycore.decoding import Decoding, behaviour_log_probs
from pycore.domain import DomainError
from pycore.objective import Batch, evaluate
from pycore.protocol import Protocol
from pycore.train import Evaluating

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
PLAN = Plan(updates=4, evaluation=Evaluating(every=2, prompts=6, samples=2, chunk=4), checkpoint_every=1, show_every=2)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def fresh(plan=PLAN, **rows):
    with warnings.catch_warnings():  # other people's deprecations
        warnings.simplefilter("ignore")
        loaded = load(plan.model, rank=plan.rank, alpha=plan.alpha, seed=plan.seed)
    return *prepare(plan, loaded, rows=Rows(**rows)), loaded


def rolled(policy, task, prompts=3, group=4, seed=0):
    return policy.sample(task.prompts("train", np.arange(prompts)), group, np.random.default_rng(seed))


def read_plainly(model, rollout, pad, grad=False):
    """Log-probs of every response token, each row read by itself from its first token."""
    group = rollout.shape[1]
    ids = torch.from_numpy(rollout.prompts).repeat_interleave(group, 0)
    tokens = torch.from_numpy(rollout.tokens.reshape(len(ids), -1))
    mask = torch.cat([attended(ids, pad), torch.ones_like(tokens)], 1)
    with torch.set_grad_enabled(grad):
        logits = model(
            input_ids=torch.cat([ids, tokens], 1), attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0)
        ).logits[:, ids.shape[1] - 1 : -1]
        chosen = logits.log_softmax(2).gather(2, tokens[..., None])[..., 0].reshape(rollout.shape)
        return torch.where(torch.from_numpy(rollout.mask), chosen, 0.0)


def test_prompts_read_once_give_the_numbers_of_rows_read_one_by_one():
    policy, task, loaded = fresh()
    rollout = rolled(policy, task)
    prompts = torch.from_numpy(rollout.prompts)
    assert common(prompts, attended(prompts, loaded.pad)) > 30
    wanted = read_plainly(loaded.model, rollout, loaded.pad).numpy()
    assert np.abs(policy.logp(rollout).logp - wanted).max() < 1e-5


def test_the_first_ratio_is_exactly_one_and_what_the_writer_rounded_is_told():
    policy, task, _ = fresh()
    rollout = rolled(policy, task)
    assert np.array_equal(policy.logp(rollout).logp, rollout.logp)
    again = replace(rollout)  # another object: scored anew, in micro-batches
    policy.rows.score = 4
    assert np.abs(policy.logp(again).logp - rollout.logp).max() < 1e-5
    assert 0 <= policy.mismatch < 1e-4


def test_a_seed_gives_the_same_ids_whatever_the_blocks():
    policy, task, _ = fresh()
    whole = rolled(policy, task).tokens
    policy.rows.write = 3
    assert np.array_equal(rolled(policy, task).tokens, whole)


def test_the_mask_ends_with_the_end_and_reaches_the_limit_without_one():
    policy, task, loaded = fresh()
    rollout = rolled(policy, task, prompts=8, group=8)
    ended = ~rollout.truncated
    last = np.take_along_axis(rollout.tokens, rollout.lengths[..., None] - 1, axis=2)[..., 0]
    assert ended.any()
    assert rollout.truncated.any()
    assert np.all(last[ended] == loaded.ends[0])
    assert np.all(rollout.mask.sum(axis=2) == rollout.lengths)
    assert np.all(rollout.lengths[rollout.truncated] == PLAN.max_tokens)


def test_the_gradient_is_that_of_autograd_on_the_loss_written_in_torch():
    policy, task, loaded = fresh()
    rollout = rolled(policy, task)
    rewards = np.random.default_rng(1).random(rollout.shape[:2])
    for _ in range(2):  # the second time the ratio is no longer 1
        scores = policy.logp(rollout)
        found = evaluate(Protocol(aggregation="token_mean"), Batch(scores.logp, rollout.logp, rollout.mask, rewards))
        norm = policy.backward(found.grad)
        mine = [weight.grad.clone() for weight in policy.trained]
        for weight in policy.trained:
            weight.grad = None
        logp = read_plainly(loaded.model, rollout, loaded.pad, grad=True)
        advantage = torch.from_numpy(found.advantages)[..., None]
        ratio = (logp - torch.from_numpy(rollout.logp)).exp()
        active = torch.from_numpy(rollout.mask)
        surrogate = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        loss = -torch.where(active, surrogate, 0.0).sum() / active.sum()
        loss.backward()
        assert found.loss == pytest.approx(loss.item(), abs=1e-6)
        theirs = [weight.grad for weight in policy.trained]
        assert max(float((a - b).abs().max()) for a, b in zip(mine, theirs, strict=True)) < 1e-5
        assert norm == pytest.approx(float(torch.cat([grad.flatten() for grad in theirs]).norm()), rel=1e-4)
        policy.backward(found.grad)
        policy.step(3e-2, 1.0)


def test_micro_batches_change_neither_gradient_nor_denominator():
    policy, task, _ = fresh()
    rollout = rolled(policy, task)
    generator = np.random.default_rng(2)
    slope = np.where(rollout.mask, generator.normal(size=rollout.shape), 0.0)
    entropy, kl = generator.normal(size=(2, *rollout.shape[:2]))
    norms = []
    for rows in (12, 5, 3):
        policy.rows.score = rows
        policy.logp(replace(rollout), policy.copy())
        norms.append(policy.backward(slope, entropy, kl))
    assert norms == pytest.approx([norms[0]] * 3, rel=1e-5)


def test_the_base_is_the_model_before_training_and_the_kl_to_it_is_exact():
    policy, task, _ = fresh()
    rollout = rolled(policy, task)
    before, base = policy.logp(rollout).logp, policy.copy()
    assert np.abs(policy.logp(replace(rollout), base).kl).max() < 1e-6
    for _ in range(3):
        policy.logp(rollout)
        policy.backward(np.where(rollout.mask, -0.1, 0.0))
        policy.step(1e-2, 1.0)
    moved = policy.logp(rollout, base)
    assert np.abs(moved.logp - before).max() > 1e-3
    assert np.abs(base.logp(rollout).logp - before).max() < 1e-6
    assert moved.kl[rollout.mask].min() > 0
    # Pinsker's inequality bounds it from below by the probability that moved.
    shift = np.abs(np.exp(moved.logp) - np.exp(before))[rollout.mask]
    assert np.all(moved.kl[rollout.mask] >= 2 * shift**2 - 1e-6)


@pytest.mark.parametrize("decoding", [Decoding(0.7, top_k=3), Decoding(top_p=0.6), Decoding(2.0, top_k=5, top_p=0.9)])
def test_the_behaviour_policy_is_that_of_the_core(decoding):
    logits = np.random.default_rng(3).normal(size=(50, 12)) * 2
    found = behaviour(torch.from_numpy(logits), decoding).numpy()
    assert np.allclose(np.exp(found), np.exp(behaviour_log_probs(logits, decoding)), atol=1e-9)


def test_draws_follow_the_distribution_and_never_take_what_has_no_chance():
    table = torch.tensor([0.0, 0.2, 0.0, 0.5, 0.3, 0.0]).log().repeat(20_000, 1)
    counts = torch.bincount(drawn(table, torch.rand(20_000, generator=torch.Generator().manual_seed(0))), minlength=6)
    assert counts[[0, 2, 5]].tolist() == [0, 0, 0]
    # Four standard errors of a share near one half.
    assert torch.allclose(counts[[1, 3, 4]] / 20_000, torch.tensor([0.2, 0.5, 0.3]), atol=4 * 0.5 / 20_000**0.5)


def test_out_of_memory_halves_the_rows_says_so_and_changes_no_number(monkeypatch):
    policy, task, _ = fresh(score=16, write=16)
    rollout = rolled(policy, task)
    slope = np.where(rollout.mask, 0.1, 0.0)
    policy.logp(replace(rollout))
    wanted, said = policy.backward(slope), []
    policy.say = said.append
    block = policy._block

    def small(rollout, where, **settings):
        if rollout.mask[where].shape[0] * rollout.mask[where].shape[1] > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return block(rollout, where, **settings)

    monkeypatch.setattr(policy, "_block", small)
    policy.logp(replace(rollout))
    assert policy.backward(slope) == pytest.approx(wanted, rel=1e-5)
    assert policy.rows.score == 2
    assert [sentence.split("going on with ")[1] for sentence in said] == ["8.", "4.", "2."]
    monkeypatch.setattr(policy, "_block", lambda *_, **__: (_ for _ in ()).throw(torch.OutOfMemoryError("")))
    with pytest.raises(DomainError, match="max_tokens"):
        policy.logp(replace(rollout))


def test_an_overflow_in_half_precision_leaves_the_step_out_and_halves_the_scale():
    weight = torch.ones(2, requires_grad=True)
    optimiser = Optimiser([weight], half=True)
    scale = optimiser.scale
    weight.grad = torch.tensor([torch.inf, 1.0])
    optimiser.step(0.1, 1.0)
    assert (weight.tolist(), optimiser.scale) == ([1.0, 1.0], scale / 2)
    weight.grad = torch.tensor([0.3, -0.4]) * optimiser.scale
    assert optimiser.norm() == pytest.approx(0.5)
    optimiser.step(0.1, 1.0)
    assert weight.tolist() == pytest.approx([0.9, 1.1])


def test_an_interrupted_run_goes_on_with_the_very_same_journal(tmp_path):
    def practice(folder, updates):
        policy, task, _ = fresh()
        plan = replace(PLAN, updates=updates)
        return Practice(plan, policy, task, journal.Header("run", plan.to_dict()), folder, say=lambda _: None)

    def lines(folder):
        found = journal.read((folder / "journal.jsonl").read_text())
        return [journal.record_line(record) for record in found.records if record.kind != "timing"]

    practice(tmp_path / "whole", 4).train()
    broken = practice(tmp_path / "broken", 4)
    step = broken.policy.step
    calls = iter(range(10))

    def fail(*given):
        if next(calls) == 3:
            raise KeyboardInterrupt
        step(*given)

    broken.policy.step = fail
    with pytest.raises(KeyboardInterrupt):
        broken.train()
    with (tmp_path / "broken" / "journal.jsonl").open("a") as file:
        file.write('{"kind": "upd')  # the line that a disconnect cuts off
    practice(tmp_path / "broken", 4).train()
    assert lines(tmp_path / "broken") == lines(tmp_path / "whole")
    other = practice(tmp_path / "broken", 4)
    other.plan = replace(PLAN, seed=5)
    with pytest.raises(DomainError, match="another folder"):
        other.train()


def test_a_cell_that_was_interrupted_before_any_checkpoint_may_be_run_again(tmp_path):
    policy, task, _ = fresh()
    plan = replace(PLAN, updates=2, checkpoint_every=9)
    run = Practice(plan, policy, task, journal.Header("run", plan.to_dict()), tmp_path, say=lambda _: None)
    step, calls = policy.step, iter(range(10))

    def fail(*given):
        step(*given)
        if next(calls) == 0:
            raise KeyboardInterrupt

    policy.step = fail
    with pytest.raises(KeyboardInterrupt):
        run.train()
    again = [journal.record_line(record) for record in run.train() if record.kind != "timing"]
    policy, task, _ = fresh()
    straight = Practice(plan, policy, task, run.header, None, say=lambda _: None).train()
    assert again == [journal.record_line(record) for record in straight if record.kind != "timing"]


def test_a_saved_policy_is_numbers_only_and_fits_no_other_rank():
    policy, _, _ = fresh()
    saved = np.load(io.BytesIO(policy.save()), allow_pickle=False)
    assert all(saved[name].dtype.kind == "f" for name in saved.files)
    other, _, _ = fresh(replace(PLAN, rank=4))
    with pytest.raises(DomainError, match="weight_0"):
        other.restore(policy.save())


def test_a_plan_survives_json_and_names_what_it_refuses():
    plan = changed(Plan(), ["seed=7", "protocol.kl_coefficient=0.1", "problems.operation=product"])
    assert Plan.from_dict(plan.to_dict()) == plan
    for change, name in (
        ("seed=-1", "seed"),
        ("wording=poem", "wording"),
        ("nonsense=1", "nonsense"),
        ("batch=99", "batch"),
    ):
        with pytest.raises(DomainError, match=name):
            changed(Plan(), [change])


def test_no_pair_stands_on_two_sides_and_no_example_is_asked():
    for seed in range(20):
        sides = replace(PLAN, seed=seed).sides()
        pairs = {side: {tuple(sorted(map(int, pair))) for pair in found} for side, found in sides.items()}
        assert not pairs["train"] & pairs["held_out"]
        assert not (pairs["train"] | pairs["held_out"]) & {(2, 3), (4, 7)}
        assert [len(sides[side]) for side in ("train", "held_out")] == [32, 64]
