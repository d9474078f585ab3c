"""Oracle: the numbers of step 4.3, an enumeration of lengths for the gradient, and the contracts' own code."""

import numpy as np
import pytest

from pycore.batch import Batch
from pycore.length import overlong_penalty
from pycore.protocol import Protocol
from pycore.selection import select
from web.labs.engine import frame
from web.labs.truncation import lab

CONTRACTS = pytest.mark.parametrize("contract", lab.CONTRACTS)


@pytest.mark.parametrize(("end", "cut"), [(0.01, 0.076), (0.005, 0.277), (0.0025, 0.527)])
def test_the_share_that_meets_the_limit(end: float, cut: float) -> None:
    # step 4.3
    assert frame("truncation", end=end).values["cut_before"] == pytest.approx(cut, abs=5e-4)


@pytest.mark.parametrize("contract", ["keep", "drop", "silence"])
def test_four_responses_get_what_the_selection_gives_them(contract: str) -> None:
    same = np.full((1, 4, 1), -1.0)
    cut = np.array([[False, False, False, True]])
    batch = Batch(same, same, np.ones((1, 4, 1)) > 0, [[1, 1, 0, 0]], truncated=cut)
    expected = select(Protocol(eps=0, truncation=contract), batch).advantages[0]
    rows = frame("truncation").rows
    place = list(lab.CONTRACTS).index("wrong" if contract == "keep" else contract)
    assert rows["first"][place] == pytest.approx(expected[1])
    assert rows["error"][place] == pytest.approx(expected[2])
    if contract == "drop":
        assert np.isnan(rows["cut"][place])
    else:
        assert rows["cut"][place] == pytest.approx(expected[3])


def test_the_soft_penalty_of_two_hundred_tokens_is_an_eighth() -> None:
    # step 4.3
    assert frame("truncation").values["penalty"] == pytest.approx(-0.125)


@CONTRACTS
def test_the_first_step_follows_the_gradient_over_all_lengths(contract: str) -> None:
    controls = {control.name: control.default for control in lab.CONTROLS} | {"limit": 64, "need": 10, "steps": 5}
    start, after = lab._trained(controls)[:2, lab.CONTRACTS.index(contract)]
    length = np.arange(1, 65)
    h = float(controls["end"])  # type: ignore[arg-type]
    chance = np.append(h * (1 - h) ** (length - 1), (1 - h) ** 64)
    score = np.append(1 - length * h, -64 * h)
    reward = np.array([np.append(q * (length > 10), 0.0) for q in lab.RIGHT])
    if contract == "soft":
        reward = reward + overlong_penalty(np.append(length, 64), 64, 16)
    done = np.append(np.ones(64), 0.0)
    mean = float(np.mean(reward @ chance))
    if contract == "drop":
        advantage = (reward - mean / (done @ chance)) * done
    elif contract == "silence":
        advantage = (reward - mean) * done
    else:
        advantage = reward - mean
    expected = lab.RATE * 0.5 * (advantage @ (chance * score))
    moved = np.log(after / (1 - after)) - np.log(start / (1 - start))
    assert moved == pytest.approx(expected, rel=1e-9)


def test_what_is_left_out_unlearns_to_stop_and_what_counts_as_wrong_does_not() -> None:
    left = frame("truncation", contract="drop").values
    assert left["finished_after"] < 0.4 < 0.9 < left["finished_before"]
    assert left["doubting_after"] < 0.05
    assert frame("truncation").values["finished_after"] > frame("truncation").values["finished_before"]
    silent = frame("truncation", contract="silence").values["finished_after"]
    assert left["finished_after"] < silent < 0.6


def test_a_higher_limit_only_puts_it_off() -> None:
    far = frame("truncation", contract="drop", limit=512).values
    assert far["cut_before"] < 0.01
    assert far["finished_after"] < 0.5


def test_a_soft_penalty_under_a_tight_limit_forbids_solving() -> None:
    tight = frame("truncation", contract="soft", limit=64, need=40).values
    assert tight["finished_after"] > 0.95
    assert tight["right_after"] < tight["right_before"] / 2
