"""Oracle: the whole batch, whose loss and gradient the pieces must add up to; where they do not, by how much."""

from dataclasses import replace

import numpy as np
import pytest

from pycore.aggregate import AGGREGATIONS
from pycore.domain import DomainError
from pycore.micro_batch import micro_batches
from pycore.objective import Batch, evaluate
from pycore.protocol import PRESETS, Protocol


def batch_of(lengths, rewards, **changes):
    rng = np.random.default_rng(0)
    lengths = np.array(lengths)
    mask = np.arange(lengths.max()) < lengths[..., None]
    logp_old = -rng.exponential(1.0, mask.shape) - 0.01
    logp = np.minimum(logp_old + 0.3 * rng.standard_normal(mask.shape), 0)
    return Batch(logp, logp_old, mask, rewards, entropy=rng.exponential(1.0, mask.shape), **changes)


RAGGED = batch_of([[1, 2, 3, 9], [5, 5, 2, 8]], [[1, 0, 0, 1], [0, 0, 1, 0]])
EVEN = batch_of([[4, 4, 4, 4], [4, 4, 4, 4]], [[1, 0, 0, 1], [0, 0, 1, 0]])


def added(protocol, batch, count):
    parts = [evaluate(protocol, part) for part in micro_batches(protocol, batch, count)]
    gradient = np.concatenate([part.grad[0] for part in parts]).reshape(batch.shape)
    return sum(part.loss for part in parts), gradient


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_the_global_rule_reproduces_the_whole_batch_for_any_split(aggregation, count):
    protocol = Protocol(aggregation=aggregation, accumulation="global")
    whole = evaluate(protocol, RAGGED)
    loss, gradient = added(protocol, RAGGED, count)
    assert loss == pytest.approx(whole.loss, rel=1e-12)
    assert gradient == pytest.approx(whole.grad, rel=1e-12)


@pytest.mark.parametrize("aggregation", ["response_mean", "constant", "sequence_sum"])
def test_the_mean_rule_reproduces_it_when_every_part_has_as_many_responses(aggregation):
    protocol = Protocol(aggregation=aggregation)
    whole = evaluate(protocol, RAGGED)
    for count in (2, 4, 8):
        loss, gradient = added(protocol, RAGGED, count)
        assert loss == pytest.approx(whole.loss, rel=1e-12)
        assert gradient == pytest.approx(whole.grad, rel=1e-12)


def test_the_mean_rule_over_tokens_depends_on_the_split_by_the_ratio_of_the_parts_lengths():
    protocol = Protocol(aggregation="token_mean", clip="none")
    whole, (_, gradient) = evaluate(protocol, RAGGED), added(protocol, RAGGED, 8)
    # Every response is a part of its own: weights 1 / (8 length) instead of 1 / 35.
    moved = gradient[whole.grad != 0] / whole.grad[whole.grad != 0]
    lengths = np.broadcast_to(RAGGED.mask.sum(2, keepdims=True), RAGGED.shape)[whole.grad != 0]
    assert moved == pytest.approx(35 / (8 * lengths), rel=1e-12)
    assert moved.max() / moved.min() == pytest.approx(9, rel=1e-12)


def test_the_mean_rule_over_tokens_is_right_when_all_parts_have_as_many_tokens():
    protocol = Protocol(aggregation="token_mean")
    assert added(protocol, EVEN, 4)[1] == pytest.approx(evaluate(protocol, EVEN).grad, rel=1e-12)


@pytest.mark.parametrize("count", [2, 4])
def test_the_sum_rule_is_as_many_times_too_large_as_there_are_parts(count):
    protocol = Protocol(aggregation="constant", accumulation="sum")
    assert added(protocol, EVEN, count)[1] == pytest.approx(count * evaluate(protocol, EVEN).grad, rel=1e-12)
    summed = Protocol(aggregation="token_sum", accumulation="sum")
    assert added(summed, EVEN, count)[1] == pytest.approx(evaluate(summed, EVEN).grad, rel=1e-12)


@pytest.mark.parametrize("name", [name for name in PRESETS if PRESETS[name].accumulation == "global"])
def test_every_preset_that_promises_it_keeps_its_promise(name):
    protocol, batch = replace(PRESETS[name], dynamic_sampling=False), RAGGED
    if name == "ppo_clip":
        batch = replace(batch, advantages=np.random.default_rng(1).standard_normal(batch.shape))
    assert added(protocol, batch, 3)[1] == pytest.approx(evaluate(protocol, batch).grad, rel=1e-12, abs=1e-18)


def test_a_group_may_be_cut_in_two_because_advantages_are_those_of_the_whole():
    parts = micro_batches(Protocol(), RAGGED, 4)
    advantages = np.concatenate([part.advantages[0] for part in parts])
    assert np.array_equal(advantages, evaluate(Protocol(), RAGGED).advantages.ravel())


def test_what_is_left_out_of_the_whole_is_in_no_part():
    flat = replace(RAGGED, rewards=[[1, 1, 1, 1], [0, 0, 1, 0]])
    protocol = Protocol(aggregation="token_mean", accumulation="global", dynamic_sampling=True)
    parts = micro_batches(protocol, flat, 2)
    assert sum(part.shape[1] for part in parts) == 4
    total = sum(evaluate(protocol, part).loss for part in parts)
    assert total == pytest.approx(evaluate(protocol, flat).loss, rel=1e-12)


def test_a_truncated_response_stays_masked_in_its_part():
    truncated = np.array([[True, False, False, False], [False] * 4])
    protocol = Protocol(aggregation="token_mean", accumulation="global", truncation="mask")
    batch = replace(RAGGED, truncated=truncated)
    assert added(protocol, batch, 3)[1] == pytest.approx(evaluate(protocol, batch).grad, rel=1e-12)


def test_the_scale_of_the_batch_carries_over():
    parts = micro_batches(Protocol(), replace(RAGGED, loss_scale=3.0), 2)
    assert [part.loss_scale for part in parts] == [1.5, 1.5]


@pytest.mark.parametrize("count", [0, 9, 1.5])
def test_the_number_of_parts_is_bounded_by_the_responses(count):
    with pytest.raises(DomainError, match="count"):
        micro_batches(Protocol(), RAGGED, count)
