"""Oracles: step 3.3's rules worked by hand on the lab's own twelve responses, and the objective token by token."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pycore.objective import Batch, Evaluation, evaluate
from pycore.protocol import Protocol
from pycore.rows import EntryError
from web.labs import engine, refusal
from web.labs.engine import frame

EDITED = {"higher": True, "sampling": True, "tokens": True, "overlong": True}


def test_clip_higher_wakes_the_two_tokens_beyond_the_lower_bound() -> None:
    plain, higher = frame("dapo"), frame("dapo", higher=True)
    push = np.asarray(plain.rows["push"])
    # exp(0.23) and exp(0.22) lie between 1.2 and 1.28.
    assert push[0] == push[9] == 0
    woken = np.asarray(higher.rows["push"])
    assert woken[0] > 0
    assert woken[9] > 0
    assert higher.values["moved"] == 2


def test_dynamic_sampling_drops_the_solved_group_and_asks_half_again_as_many() -> None:
    shown = frame("dapo", sampling=True)
    assert shown.values["kept"] == 2
    assert shown.values["asked"] == pytest.approx(4.5)
    assert np.allclose(np.asarray(shown.rows["push"])[:4], 1.5 * np.asarray(shown.rows["plain"])[:4])


def test_the_token_level_mean_lifts_the_long_answer() -> None:
    shown = frame("dapo", tokens=True)
    lengths = np.asarray(shown.rows["length"])
    ratio = np.asarray(shown.rows["push"])[8] / np.asarray(shown.rows["plain"])[8]
    assert ratio == pytest.approx(12 * lengths[8] / lengths.sum())


def test_the_penalty_takes_but_drops_nobody() -> None:
    shown = frame("dapo", overlong=True)
    assert shown.values["long_reward"] == pytest.approx(1 - (95 - 60) / 40)
    assert shown.values["kept"] == 3
    assert shown.values["long_push"] != 0


def by_evaluate(protocol: Protocol, rows: list[list[float]], size: int) -> Evaluation:
    """Every token of the batch written out and given to the objective itself; rows in groups one after another."""
    _, rewards, lengths, ratios = np.array(rows, dtype=float).T.reshape(4, -1, size)
    mask = np.arange(lengths.max()) < lengths[..., None]
    old = np.full(mask.shape, -6.0)
    return evaluate(protocol, Batch(old + ratios[..., None], old, mask, rewards))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("changes", [{name: True} for name in EDITED] + [EDITED, {}], ids="+".join)
def test_ones_own_batch_is_pushed_as_the_objective_pushes_its_tokens(changes: dict[str, bool], seed: int) -> None:
    rng, size = np.random.default_rng(seed), 2 + seed
    rows = [
        [prompt, float(rng.choice([0, 0.5, 1])), int(rng.integers(1, 150)), float(rng.normal(0, 0.3))]
        for prompt in (5, 9, 2)
        for _ in range(size)
    ]
    shown = frame("dapo", source="own", own=rows, limit=120, cache=50, **changes)
    axes: dict[str, Any] = {
        "higher": {"clip": "asymmetric", "clip_high": 0.28},
        "sampling": {"dynamic_sampling": True},
        "tokens": {"aggregation": "token_mean"},
        "overlong": {"overlong_cache": 50, "max_tokens": 120},
    }
    chosen = {axis: value for name in changes for axis, value in axes[name].items()}
    found = by_evaluate(replace(Protocol(eps=1e-6), **chosen), rows, size)
    np.testing.assert_allclose(shown.rows["push"], -len(rows) * found.grad[:, :, 0].ravel(), atol=1e-12)
    assert shown.values["clipped"] == pytest.approx(found.clip_share_positive, nan_ok=True)
    assert shown.values["kept"] == np.sum(found.lengths.sum(axis=1) > 0)


def test_rows_of_one_prompt_come_together_wherever_they_stand() -> None:
    mixed = frame("dapo", source="own", own=[[7, 1, 10, 0], [3, 0, 20, 0], [3, 1, 30, 0], [7, 0, 40, 0]])
    assert list(mixed.rows["prompt"]) == [7, 7, 3, 3]
    assert list(mixed.rows["length"]) == [10, 40, 20, 30]
    assert list(mixed.sources["groups"]["group"]) == [7, 3]
    # Of two answers to a prompt the better one has A = 1, the other -1: pushed by 1 / |o|.
    np.testing.assert_allclose(mixed.rows["push"], [1 / 10, -1 / 40, -1 / 20, 1 / 30], rtol=1e-5)


def test_the_prepared_own_batch_does_what_its_preset_says() -> None:
    assert frame("dapo", source="own", higher=True).case == "own_same"
    shown = frame("dapo", source="own", **EDITED)
    assert shown.rows["reward"][8] == 1
    assert shown.rows["length"][8] < 100
    assert shown.rows["push"][8] < 0 < shown.rows["plain"][8]
    assert np.max(np.asarray(shown.sources["curve"]["length"])) >= 100


def test_groups_of_different_sizes_are_refused_by_the_row_that_breaks_them() -> None:
    with pytest.raises(EntryError, match="groups of one size") as caught:
        frame("dapo", source="own", own=[[1, 1, 9, 0], [1, 0, 9, 0], [2, 1, 9, 0], [2, 0, 9, 0], [2, 0, 9, 0]])
    assert (caught.value.row, caught.value.column) == (3, "prompt")
    assert refusal.sentence(caught.value, "ru", "«Ваш пакет»") == (
        "«Ваш пакет»: строка 3, столбец prompt: «2» не подходит. "
        "Допустимо: группы одного размера, от 2 строк в каждой; строк в этой: 3, в первой: 2."
    )


def test_a_batch_without_a_difference_has_nothing_to_say_of_good_answers() -> None:
    shown = frame("dapo", source="own", sampling=True, own=[[1, 1, 9, 0], [1, 1, 30, 0.5]])
    assert shown.values["kept"] == 0
    assert np.isnan([shown.values[name] for name in ("asked", "clipped", "long", "long_push", "most")]).all()


def test_rounding_in_the_advantages_is_not_told_as_a_change() -> None:
    """Two answers stand one standard deviation from their mean whatever the penalty; only the small eps moves."""
    rows = [[1, 1, 30, 0], [1, 0, 80, 0]]
    shown = frame("dapo", source="own", own=rows, overlong=True, limit=60, cache=8000)
    assert shown.values["charged"] == 2
    assert shown.values["moved"] == 0
    assert shown.case == "own_same"
    assert frame("dapo", source="own", own=rows, overlong=True, limit=60, cache=8000, tokens=True).values["moved"] == 2


def test_a_batch_without_positive_tokens_is_told_without_a_broken_sentence() -> None:
    state = {control.name: control.default for control in engine.lab_of("dapo").controls}
    state |= {"source": "own", "own": [[1, 1, 9, 0], [1, 1, 30, 0]]}
    for changes, case in (({}, "own_plain"), ({"sampling": True}, "own_same")):
        assert frame("dapo", **{**state, **changes}).case == case
        said = engine.respond("dapo", "ru", {**state, **changes})["summary"]
        assert ": —" in said
        assert "— положительных" not in said
