"""Oracle: small batches worked out by hand, contract by contract."""

from dataclasses import replace

import numpy as np
import pytest

from pycore.batch import Batch
from pycore.domain import DomainError
from pycore.protocol import Protocol
from pycore.selection import select, shaped_rewards

PLAIN = Protocol(scale="none")


def batch_of(rewards, lengths, **changes):
    rewards, lengths = np.array(rewards, dtype=float), np.array(lengths)
    mask = np.arange(max(lengths.max(), 1)) < lengths[..., None]
    return Batch(np.full(mask.shape, -1.0), np.full(mask.shape, -1.0), mask, rewards, **changes)


TRUNCATED = np.array([[False, False, True]])
ONE_CUT = batch_of([[1, 0, 0.5]], [[2, 3, 4]], truncated=TRUNCATED)


@pytest.mark.parametrize(
    ("contract", "lengths", "counted", "advantages"),
    [
        ("keep", [2, 3, 4], [True, True, True], [0.5, -0.5, 0]),
        ("mask", [2, 3, 0], [True, True, True], [0.5, -0.5, 0]),
        ("drop", [2, 3, 0], [True, True, False], [0.5, -0.5, 0]),
        ("silence", [2, 3, 4], [True, True, True], [0.5, -0.5, 0]),
    ],
)
def test_each_truncation_contract_by_hand(contract, lengths, counted, advantages):
    chosen = select(replace(PLAIN, truncation=contract), ONE_CUT)
    assert chosen.lengths.tolist() == [lengths]
    assert chosen.counted.tolist() == [counted]
    assert chosen.advantages.tolist() == [advantages]


def test_a_masked_truncated_response_still_moves_the_baseline_a_dropped_one_does_not():
    batch = replace(ONE_CUT, rewards=[[1, 0, 0]])
    masked, dropped = (select(replace(PLAIN, truncation=c), batch).advantages[0] for c in ("mask", "drop"))
    assert masked[:2] == pytest.approx([2 / 3, -1 / 3])
    assert dropped.tolist() == [0.5, -0.5, 0]


def test_a_silent_response_has_no_advantage_but_the_others_keep_theirs():
    chosen = select(replace(PLAIN, truncation="silence"), replace(ONE_CUT, rewards=[[1, 0, 5]]))
    assert chosen.advantages.tolist() == [[-1, -2, 0]]


def test_dynamic_sampling_leaves_flat_groups_out_of_every_statistic():
    batch = batch_of([[1, 1], [1, 0]], [[2, 2], [2, 2]])
    chosen = select(Protocol(baseline="batch", scale="none", dynamic_sampling=True), batch)
    assert chosen.counted.tolist() == [[False, False], [True, True]]
    assert chosen.lengths.tolist() == [[0, 0], [2, 2]]
    assert chosen.advantages.tolist() == [[0, 0], [0.5, -0.5]]


def test_empty_responses_count_unless_the_protocol_says_otherwise():
    batch = batch_of([[1, 0]], [[0, 3]])
    assert select(PLAIN, batch).counted.tolist() == [[True, True]]
    assert select(replace(PLAIN, count_empty=False), batch).counted.tolist() == [[False, True]]


def test_given_advantages_are_used_as_they_are():
    given = np.array([[3.0, -1.0]])
    batch = batch_of([[1, 1]], [[1, 1]], advantages=given)
    chosen = select(Protocol(dynamic_sampling=True), batch)
    assert chosen.advantages is given
    assert chosen.counted.all()


def test_the_overlong_penalty_is_part_of_the_reward():
    protocol = Protocol(max_tokens=4, overlong_cache=2)
    assert shaped_rewards(protocol, batch_of([[1, 1, np.nan]], [[2, 3, 4]]))[0, :2].tolist() == [1, 0.5]


def test_the_kl_of_the_sampling_policy_is_charged_to_the_reward():
    batch = batch_of([[1, 0]], [[2, 1]])
    batch = replace(batch, logp_ref=np.full(batch.shape, -1.5))
    rewards = shaped_rewards(Protocol(kl="k1", kl_coefficient=0.1, kl_placement="reward"), batch)
    assert rewards == pytest.approx(np.array([[1 - 0.1 * 2 * 0.5, 0 - 0.1 * 0.5]]), rel=1e-14)
    exact = replace(batch, kl=np.full(batch.shape, 2.0))
    rewards = shaped_rewards(Protocol(kl="exact", kl_coefficient=0.1, kl_placement="reward"), exact)
    assert rewards == pytest.approx(np.array([[1 - 0.1 * 4, -0.1 * 2]]), rel=1e-14)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"kl_coefficient": 0.1, "kl_placement": "reward"}, r"batch\.logp_ref = None"),
        ({"kl_coefficient": 0.1, "kl_placement": "reward", "kl": "exact"}, r"batch\.kl = None"),
        ({"baseline": "critic", "scale": "none"}, r"batch\.advantages = None"),
    ],
)
def test_a_missing_array_is_asked_for_by_name(axes, message):
    with pytest.raises(DomainError, match=message):
        select(Protocol(**axes), batch_of([[1, 0]], [[1, 1]]))
