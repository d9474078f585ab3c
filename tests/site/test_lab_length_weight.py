"""Oracle: the numbers of step 3.2, worked by hand there; sums over pieces done again by hand."""

import numpy as np
import pytest

from pycore.micro_batch import micro_batches
from pycore.objective import Batch, evaluate
from pycore.protocol import Protocol
from web.labs.engine import frame


def test_a_token_of_a_short_wrong_answer_is_pushed_eight_times_as_hard() -> None:
    push = np.asarray(frame("length_weight").rows["response_mean"])
    assert push[1] == pytest.approx(-1 / 16)
    assert push[3] == pytest.approx(-1 / 2)
    assert push[3] / push[1] == pytest.approx(8)


def test_equal_weight_for_all_tokens_without_the_mean_inside_a_response() -> None:
    rows = frame("length_weight").rows
    assert np.allclose(np.abs(rows["token_mean"]), 4 / 30)
    assert np.allclose(np.abs(rows["constant"]), 1 / 16)


def test_only_the_mean_over_tokens_depends_on_the_split() -> None:
    shown = frame("length_weight", pieces=2)
    # Halves of 20 and 10 tokens: each half is averaged by itself and then counts for one half.
    expected = np.array([1, -1, 1, -1]) * 4 * np.array([1 / 40, 1 / 40, 1 / 20, 1 / 20])
    assert np.allclose(shown.rows["token_mean_split"], expected)
    assert shown.values["response_mean_error"] == pytest.approx(0, abs=1e-12)
    assert shown.values["constant_error"] == pytest.approx(0, abs=1e-12)
    assert frame("length_weight", pieces=2, rule="global").values["worst"] == pytest.approx(0, abs=1e-12)


def test_unequal_pieces_move_the_mean_inside_responses_as_well() -> None:
    three = ((1, 4), (0, 16), (1, 8))
    assert frame("length_weight", responses=three, pieces=2).values["response_mean_error"] > 0.1


@pytest.mark.parametrize("scheme", ["response_mean", "token_mean", "constant"])
def test_the_pushes_are_the_gradients_of_the_objective_whole_and_in_pieces(scheme: str) -> None:
    answers = ((1, 4), (0, 16), (1, 8), (0, 2), (1, 3))
    rows = frame("length_weight", responses=answers, L=20, pieces=3).rows
    rewards, lengths = np.array(answers).T
    mask = (np.arange(16) < lengths[:, None])[None]
    logp = np.full(mask.shape, -1.0)
    protocol = Protocol(aggregation=scheme, accumulation="mean", max_tokens=20, eps=0.0)
    batch = Batch(logp, logp, mask, rewards[None])
    assert np.allclose(rows[scheme], -5 * evaluate(protocol, batch).grad[0, :, 0])
    parts = [evaluate(protocol, part).grad[0, :, 0] for part in micro_batches(protocol, batch, 3)]
    assert np.allclose(rows[f"{scheme}_split"], -5 * np.concatenate(parts))
