"""Oracles: the numbers of step 0.4, worked by hand there; for many pairs, autograd of the mean of the losses."""

from math import log

import numpy as np
import pytest
import torch
from torch.nn.functional import logsigmoid

from web.labs.engine import frame


def test_the_pair_of_the_step() -> None:
    values = frame("dpo").values
    assert values["margin"] == pytest.approx(0.3)
    assert values["loss_value"] == pytest.approx(0.5544, abs=5e-5)
    assert values["weight"] == pytest.approx(0.4256, abs=5e-5)


def test_the_control_value_does_not_depend_on_beta() -> None:
    for beta in (0.01, 0.1, 1.0):
        shown = frame("dpo", chosen=-22, rejected=-24, beta=beta)
        assert shown.case == "start"
        assert shown.values["loss_value"] == pytest.approx(log(2))


def test_two_pairs_with_one_loss() -> None:
    apart = frame("dpo", chosen=-20, rejected=-27)
    falling = frame("dpo", chosen=-23, rejected=-30)
    for shown in (apart, falling):
        assert shown.values["margin"] == pytest.approx(0.5)
        assert shown.values["loss_value"] == pytest.approx(0.474, abs=5e-4)
    assert apart.values["moved_chosen"] > 0 > falling.values["moved_chosen"]
    assert falling.case == "fell"


def test_the_pulls_are_opposite_where_lengths_agree() -> None:
    rows = frame("dpo").rows
    assert rows["up"][0] == pytest.approx(0.1 * frame("dpo").values["weight"])
    for up, down in zip(rows["up"], rows["down"], strict=True):
        assert up == pytest.approx(-down)


METHODS = ("dpo", "normalised", "simpo")


def by_torch(rows: list[list[float]], beta: float, gamma: float) -> dict[str, tuple[torch.Tensor, ...]]:
    """Margin, loss, and minus the gradient of the summed loss by the two log-probs, of every pair under each method."""
    *logs, long_won, long_lost = torch.tensor(rows, dtype=torch.float64).T
    won, lost, ref_won, ref_lost = (one.clone().requires_grad_() for one in logs)
    margins = {
        "dpo": beta * (won - ref_won - lost + ref_lost),
        "normalised": 10 * beta * ((won - ref_won) / long_won - (lost - ref_lost) / long_lost),
        "simpo": 10 * beta * (won / long_won - lost / long_lost) - gamma,
    }
    found = {}
    for name, margin in margins.items():
        loss = -logsigmoid(margin)
        up, down = torch.autograd.grad(loss.sum(), (won, lost))
        found[name] = (margin.detach(), loss.detach(), -up, -down)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_ones_own_pairs_have_the_losses_and_pulls_of_autograd(seed: int) -> None:
    rng, count = np.random.default_rng(seed), 3 + 4 * seed
    logs, lengths = -rng.uniform(1, 60, (count, 4)), rng.integers(1, 80, (count, 2))
    rows = np.column_stack([logs, lengths]).tolist()
    shown = frame("dpo", source="own", own=rows, beta=0.2, gamma=0.7)
    found = by_torch(rows, beta=0.2, gamma=0.7)
    for place, name in enumerate(METHODS):
        # The means come first, then the methods of every pair.
        for key, expected in zip(("margin", "loss", "up", "down"), found[name], strict=True):
            column = np.asarray(shown.rows[key])
            np.testing.assert_allclose(column[3 + place :: 3], expected, rtol=1e-9, atol=1e-12)
            assert column[place] == pytest.approx(float(expected.mean()), rel=1e-9)
        drawn = [f"pairs_{name}", *(["fell"] if name == "dpo" else [])]  # the fallen have a mark of their own
        for column, expected in zip(("margin", "loss"), found[name], strict=False):
            points = np.concatenate([np.asarray(shown.sources[source][column]) for source in drawn])
            np.testing.assert_allclose(np.sort(points), np.sort(expected.numpy()), rtol=1e-9, atol=1e-12)
        rewards = found[name][0] + (0.7 if name == "simpo" else 0)
        assert shown.values[f"ahead_{name}"] == pytest.approx(float((rewards > 0).double().mean()))
    rarer = [row[0] < row[2] and row[0] - row[2] > row[1] - row[3] for row in rows]
    assert shown.values["fell"] == pytest.approx(np.mean(rarer))
    assert len(np.asarray(shown.sources["fell"]["margin"])) == sum(rarer)


def test_the_prepared_pairs_hide_falling_answers_behind_a_good_loss() -> None:
    shown = frame("dpo", source="own")
    assert shown.case == "own_fell"
    assert 12 * shown.values["ahead_dpo"] == pytest.approx(10)
    assert 12 * shown.values["fell"] == pytest.approx(6)
    assert shown.values["loss_value"] < 0.5 < log(2)
    assert shown.values["moved_chosen"] < 0
    # Each method puts other pairs ahead.
    assert len({shown.values[f"ahead_{name}"] for name in METHODS}) == 3


def test_pairs_that_have_not_moved_stand_at_ln_2() -> None:
    shown = frame("dpo", source="own", own=[[-9, -8, -9, -8, 4, 5], [-30, -40, -30, -40, 20, 30]], beta=0.7)
    assert shown.case == "own_start"
    assert shown.values["loss_value"] == pytest.approx(log(2))
    assert shown.values["fell"] == shown.values["ahead_dpo"] == 0


def test_a_single_pair_beyond_the_window_is_told_with_its_own_loss() -> None:
    shown = frame("dpo", chosen=-60, rejected=0, ref_chosen=0, ref_rejected=-60, beta=1)
    assert shown.sources["here_dpo"]["margin"] == -4
    assert shown.sources["said_dpo"]["exact"] == pytest.approx(120)
    assert frame("dpo", source="own", own=[[-10, -12, -11, -12, 4, 5]]).case == "own"
    wide = frame("dpo", source="own", own=[[-60, 0, 0, -60, 10, 10]], beta=1)
    assert np.min(np.asarray(wide.sources["curve"]["margin"])) == -120


def test_a_margin_that_is_rounding_is_no_margin() -> None:
    """Both answers fall by 0.1 in the first pair and by 2 in the second, where the difference is exactly zero."""
    for row in ([-4.1, -1.1, -4, -1, 1, 1], [-5, -5, -3, -3, 1, 1]):
        shown = frame("dpo", source="own", own=[row])
        assert shown.case == "own"
        assert shown.values["fell"] == shown.values["ahead_dpo"] == shown.values["ahead_normalised"] == 0
