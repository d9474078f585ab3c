"""Oracle: the same run done twice, cut in two, or measured at other moments; and counts made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from pycore import arithmetic, journal
from pycore.curriculum import Curriculum
from pycore.decoding import Decoding
from pycore.domain import DomainError
from pycore.gru import Size
from pycore.gru_policy import GruPolicy
from pycore.protocol import PRESETS, Protocol
from pycore.split import Sizes
from pycore.train import (
    EVALUATION_METRICS,
    UPDATE_METRICS,
    Checkpoint,
    Evaluating,
    Progress,
    Recipe,
    Record,
    StopRule,
    measure,
    run,
    sums,
)
from pycore.train.passports import passports
from pycore.warm_start import WarmStart, exact_success, warm_start

TINY = Recipe(
    seed=5,
    updates=4,
    batch=4,
    group=4,
    learning_rate=1e-2,
    sizes=Sizes(prompts=12, held_out=8, demonstrations=60, probe=8),
    network=Size(embedding=6, hidden=12),
    warm_start=WarmStart(max_steps=40, learning_rate=1e-2, batch=16),
    evaluation=Evaluating(every=2, prompts=8, samples=4, chunk=4),
    show_every=2,
    checkpoint_every=2,
)


def warm(recipe: Recipe) -> bytes:
    """A base for the tiny recipe, without waiting for any accuracy."""
    policy = GruPolicy.new(recipe.network, arithmetic.grammar(), np.random.default_rng(1))
    for _ in warm_start(policy, sums(recipe).split, recipe.warm_start, np.random.default_rng(2)):
        pass
    return policy.copy().save()


BASE = warm(TINY)


def told(recipe, **more):
    """Every record of a run."""
    return [step for step in run(recipe, **{"base": BASE, **more}) if isinstance(step, Record)]


def lines(recipe, **more):
    return [journal.record_line(record) for record in told(recipe, **more)]


def test_the_same_seed_gives_the_same_journal_bit_for_bit():
    assert lines(TINY) == lines(TINY)
    assert lines(TINY) != lines(replace(TINY, seed=6))


def test_a_resumed_run_goes_on_as_if_nothing_had_happened():
    steps = list(run(TINY, base=BASE))
    saved = next(step for step in steps if isinstance(step, Checkpoint))
    assert saved.update == 2
    rest = steps[steps.index(saved) + 1 :]
    expected = [journal.record_line(step) for step in rest if isinstance(step, Record)]
    assert lines(TINY, base=None, checkpoint=saved.data) == expected
    again = [step for step in run(TINY, checkpoint=saved.data) if isinstance(step, Checkpoint)]
    assert again == [step for step in rest if isinstance(step, Checkpoint)]


def test_how_often_a_run_is_measured_does_not_change_how_it_trains():
    often = replace(TINY, evaluation=replace(TINY.evaluation, every=1, samples=2))
    one, two = ([line for line in lines(recipe) if '"kind": "update"' in line] for recipe in (TINY, often))
    assert one == two


def test_the_warm_start_belongs_to_the_run_and_a_base_only_saves_its_time():
    recipe = replace(TINY, updates=1, warm_start=replace(TINY.warm_start, max_steps=5))
    steps = list(run(recipe))
    stages = [step.stage for step in steps if isinstance(step, Progress)]
    assert stages[:5] == ["warm_start"] * 5
    assert stages.count("update") == recipe.protocol.iterations
    assert [journal.record_line(s) for s in steps if isinstance(s, Record)] == lines(recipe, base=None)


def test_a_run_tells_what_the_schema_names_and_its_journal_is_sound():
    records = told(replace(TINY, protocol=replace(TINY.protocol, kl_coefficient=0.01)))
    kinds = [record.kind for record in records]
    assert kinds[:2] == ["evaluation"] * 2
    assert kinds[-3:] == ["evaluation", "evaluation", "end"]
    assert kinds.count("update") == 4
    for record in records:
        known = {"update": UPDATE_METRICS, "evaluation": EVALUATION_METRICS}.get(record.kind, {})
        assert set(record.metrics) <= set(known)
    update = next(record for record in records if record.kind == "update")
    assert set(update.metrics) == set(UPDATE_METRICS)
    text = journal.write(journal.Header("tiny", TINY.to_dict(), passports(TINY)), records)
    found = journal.read(text)
    assert found.finished
    assert [journal.record_line(record) for record in found.records] == list(map(journal.record_line, records))


def test_nothing_has_moved_before_the_first_update():
    records = told(TINY)
    first = next(record for record in records if record.kind == "update")
    assert first.metrics["mismatch"] == 0
    for record in records[:2]:
        assert record.metrics["kl"] == pytest.approx(0, abs=1e-12)


def test_filters_that_the_trainer_does_not_know_show_up_as_a_mismatch():
    records = told(replace(TINY, decoding=Decoding(top_k=2), updates=1))
    first = next(record for record in records if record.kind == "update")
    assert first.metrics["mismatch"] > 0.05


def test_dynamic_sampling_keeps_only_groups_with_signal_and_counts_what_it_cost():
    plain = told(replace(TINY, updates=1))
    recipe = replace(TINY, updates=1, protocol=replace(TINY.protocol, dynamic_sampling=True), rounds=3)
    update = next(record for record in told(recipe) if record.kind == "update")
    assert update.metrics["informative"] == 1
    rejected = update.detail["rejected"]
    assert update.metrics["rejected"] == len(rejected)
    assert {one["reason"] for one in rejected} <= {"all right", "equal rewards", "batch full"}
    groups = update.metrics["sampled"] / recipe.group
    assert groups > len(rejected)
    # No prompt is asked twice for one batch, and there are twelve.
    assert groups <= 12
    assert len({one["prompt"] for one in rejected}) == len(rejected)
    assert next(r for r in plain if r.kind == "update").metrics["sampled"] == recipe.batch * recipe.group


def test_a_rule_ends_the_run_and_the_end_is_measured_afresh():
    recipe = replace(TINY, stop=(StopRule("train", "entropy", at_most=99.0),))
    records = told(recipe)
    assert records[-1].detail["reason"] == "train entropy <= 99.0"
    assert records[-1].update == 0
    before, after = (record for record in records if record.split == "train")
    assert after.detail == {"final": True}
    assert before.metrics["entropy"] != after.metrics["entropy"]


def test_a_truncated_answer_is_told_apart():
    update = next(r for r in told(replace(TINY, max_tokens=4, updates=1)) if r.kind == "update")
    assert update.metrics["truncated"] == 1 - update.metrics["ended"] > 0


def test_sample_responses_tell_each_token_and_can_be_recomputed():
    record = next(record for record in told(TINY) if record.kind == "samples")
    for group in record.detail["groups"]:
        assert len(group) == TINY.group
        assert sum(answer["advantage"] for answer in group) == pytest.approx(0, abs=1e-9)
        for answer in group:
            assert len(answer["logp"]) == len(answer["moved"]) == min(len(answer["response"]), 5)
    rewards = [answer["reward"] for answer in record.detail["best"]]
    assert rewards == sorted(rewards, reverse=True)
    passport = record.detail["passport"]
    assert len(passport["old_log_probs"]) == len(passport["response_tokens"])


# One of each family; every preset would only take longer.
NAMES = ("grpo", "dr_grpo", "dapo", "gspo", "rloo", "reinforce", "cispo", "sapo")


@pytest.mark.parametrize("name", [name for name in NAMES if name in PRESETS])
def test_any_protocol_without_a_critic_trains(name):
    recipe = replace(TINY, protocol=replace(PRESETS[name], iterations=2), updates=1)
    update = next(record for record in told(recipe) if record.kind == "update")
    assert np.isfinite(update.metrics["loss"])
    assert update.metrics["ratio_high"] != 1


@pytest.mark.parametrize(
    "axes",
    [
        {"kl": "exact", "kl_coefficient": 5.0},
        {"kl": "k3", "kl_coefficient": 5.0},
        {"kl": "exact", "kl_coefficient": 0.1, "kl_placement": "reward"},
        {"entropy_coefficient": 0.1},
    ],
)
def test_kl_and_entropy_terms_reach_the_policy(axes):
    recipe = replace(TINY, updates=3)
    plain = [r for r in told(recipe) if r.kind == "update"][-1]
    changed = [r for r in told(replace(recipe, protocol=Protocol(iterations=2, **axes))) if r.kind == "update"][-1]
    assert changed.metrics["entropy"] != plain.metrics["entropy"]
    if axes.get("kl_coefficient", 0) == 5.0:
        free = told(replace(recipe, protocol=Protocol(iterations=2, **{**axes, "kl_coefficient": 1e-9})))
        assert changed.metrics["kl"] < [r for r in free if r.kind == "update"][-1].metrics["kl"]


@pytest.mark.parametrize("kind", ["failure", "frontier"])
def test_the_curriculum_decides_which_prompts_come_back(kind):
    recipe = replace(TINY, updates=4, curriculum=Curriculum(kind))
    repeats = [record.metrics["repeats"] for record in told(recipe) if record.kind == "update"]
    assert repeats[0] == 0
    assert repeats[-1] > 0


def test_sampled_accuracy_agrees_with_the_exact_one():
    recipe = replace(TINY, updates=0, evaluation=Evaluating(prompts=8, samples=400))
    held_out = next(record for record in told(recipe) if record.split == "held_out")
    policy = GruPolicy.load(BASE, arithmetic.grammar())
    success = exact_success(policy, sums(recipe).split.held_out)
    spread = np.sqrt(np.sum(success * (1 - success)) / 400) / 8
    assert held_out.metrics["accuracy"] == pytest.approx(success.mean(), abs=5 * spread + 1e-12)
    assert held_out.metrics["pass_4"] == pytest.approx(np.mean(1 - (1 - success) ** 4), abs=20 * spread + 1e-12)


def test_a_checkpoint_can_be_measured_again():
    saved = next(step for step in run(TINY, base=BASE) if isinstance(step, Checkpoint))
    work, found = measure(TINY, saved.data, seed=3), []
    while not found:
        try:
            next(work)
        except StopIteration as done:
            found = done.value
    assert [record.split for record in found] == ["train", "held_out"]
    assert {record.update for record in found} == {2}


def test_a_checkpoint_or_a_base_of_something_else_is_refused():
    saved = next(step for step in run(TINY, base=BASE) if isinstance(step, Checkpoint))
    for recipe, message in (
        (replace(TINY, learning_rate=0.5), r"checkpoint\.learning_rate"),
        (replace(TINY, network=Size()), r"checkpoint\.network"),
    ):
        with pytest.raises(DomainError, match=message):
            next(run(recipe, checkpoint=saved.data))
    with pytest.raises(DomainError, match="checkpoint"):
        next(run(TINY, checkpoint=BASE))
    with pytest.raises(DomainError, match=r"base\.size"):
        next(run(replace(TINY, network=Size()), base=BASE))
    # Watching longer is allowed.
    assert told(replace(TINY, updates=6), base=None, checkpoint=saved.data)[-1].update == 6


def test_a_stop_rule_about_nothing_measured_is_refused():
    with pytest.raises(DomainError, match=r"stop\.metric"):
        told(replace(TINY, stop=(StopRule("train", "luck", at_least=1.0),)))
