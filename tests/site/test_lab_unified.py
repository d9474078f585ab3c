"""Oracles: the curriculum's coefficients (2.5), worked by hand there, and DPO's closed form beta sigmoid(-margin)."""

from typing import Any

import numpy as np
import pytest

from pycore.unified import METHODS
from web.labs.engine import frame, lab_of

PRESETS = lab_of("unified").presets


def column(name: str, **controls: Any) -> list[float]:
    """The finite cells of one method: the answers that are its data."""
    cells = np.asarray(frame("unified", **controls).rows[name])
    return [float(cell) for cell in cells if np.isfinite(cell)]


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("sft", [1]),
        ("rft", [1, 0]),
        ("online_rft", [1, 0, 0, 0]),
        ("ppo", [0.6, -0.4, -0.4, -0.4]),
        ("grpo", [1.73, -0.58, -0.58, -0.58]),
        ("dpo", [0.05, -0.05]),
        ("online_dpo", [0.05, -0.05, 0, 0]),
    ],
)
def test_step_2_5_the_coefficients_of_one_right_and_three_wrong_answers(method: str, wanted: list[float]) -> None:
    assert column(method) == pytest.approx(wanted, abs=0.005)


def test_an_answer_is_data_of_the_methods_of_its_writer_only() -> None:
    rows = frame("unified").rows
    for name, method in METHODS.items():
        filled = np.isfinite(np.asarray(rows[name.replace(" ", "_")], float))
        writer = {"demonstrations": "people", "base policy": "initial", "current policy": "current"}[method.source]
        assert (filled == (np.asarray(rows["writer"]) == writer)).all()


def test_a_token_gets_its_share_of_the_answer() -> None:
    shown = frame("unified")
    assert shown.values["largest"] == pytest.approx(3**0.5 / 3)
    assert frame("unified", by_length=False).values["largest"] == pytest.approx(3**0.5)


def test_when_all_are_wrong_only_the_critic_is_disappointed() -> None:
    shown = frame("unified", **PRESETS["wrong"])
    rows = {name: np.nan_to_num(np.asarray(shown.rows[name], float)) for name in ("online_rft", "online_dpo", "grpo")}
    assert not any(np.any(cells[3:]) for cells in rows.values())
    assert (shown.case, shown.values["ppo"]) == ("signed", -0.4)


def test_when_all_are_right_rft_goes_on_and_grpo_is_silent() -> None:
    shown = frame("unified", **PRESETS["right"])
    assert (shown.case, shown.values["raised"], shown.values["grpo"]) == ("praise", 4, 0)


def test_a_wrong_answer_with_a_little_reward_is_praised_like_a_right_one() -> None:
    shown = frame("unified", **PRESETS["surprise"])
    assert shown.values["grpo"] == pytest.approx(frame("unified").values["grpo"])
    assert shown.values["rft"] == 0


def test_a_critic_that_foresees_the_outcome_has_nothing_left_for_the_last_token() -> None:
    shown = frame("unified", **PRESETS["critic"])
    praised = np.asarray(shown.sources["tokens_raised"]["coefficient"])
    assert praised * 3 == pytest.approx([0.6, 0.3])  # the third is an exact zero
    assert shown.values["expected"] == pytest.approx(0.7)


def test_a_learned_pair_pulls_with_what_dpos_sigmoid_leaves() -> None:
    margin = 0.5 * ((-2 + 12) - (-30 + 12))
    assert column("dpo", **PRESETS["learned"])[0] == pytest.approx(0.5 / (1 + np.exp(margin)))


def test_the_anchor_pulls_a_flat_group_too() -> None:
    apart = (("current", 1, 2, -6, -4), ("current", 1, 2, -6, -4))
    assert column("grpo", answers=apart, anchor=0.1) == pytest.approx([0.1 * (np.e - 1)] * 2)


def test_the_map_and_the_table_show_the_same_cells() -> None:
    shown = frame("unified")
    drawn = np.concatenate([shown.sources[f"cells_{kind}"]["value"] for kind in ("raised", "lowered", "silent")])
    cells = np.concatenate([np.asarray(shown.rows[name.replace(" ", "_")], float) for name in METHODS])
    np.testing.assert_allclose(np.sort(drawn), np.sort(cells[np.isfinite(cells)]))
