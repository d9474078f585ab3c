"""Oracles: min and clip token by token in plain Python, torch's gradient of the same, and step 2.3's two signs."""

from math import exp
from typing import Any

import numpy as np
import pytest
import torch

from web.labs.engine import frame, lab_of

# Both signs on either side of the corridor and in it, far out, advantages of different sizes, and one of none.
OWN = [
    *([-1.0, -0.5, 2.0], [-1.0, -1.5, 0.5], [-0.4, -0.35, 1.0], [-0.7, -0.2, -0.25], [-0.9, -1.6, -3.0]),
    *([-3.0, -1.2, -0.5], [-2.0, -2.1, -1.0], [-1.3, -0.3, 0.0]),
]
SETTINGS: list[dict[str, Any]] = [{}, {"low": 0.3, "high": 0.7}, {"dual": True, "cap": 1.5}]
settings = pytest.mark.parametrize("setting", SETTINGS)


def objective(rho: float, advantage: float, low: float, high: float, cap: float) -> float:
    plain = min(rho * advantage, min(max(rho, 1 - low), 1 + high) * advantage)
    return max(plain, cap * advantage) if advantage < 0 else plain


def bounds(setting: dict[str, Any]) -> tuple[float, float, float]:
    return setting.get("low", 0.2), setting.get("high", 0.2), setting.get("cap", float("inf"))


@settings
def test_ones_own_tokens_have_the_objective_that_its_definition_gives(setting: dict[str, Any]) -> None:
    shown = frame("clip", source="own", own=OWN, **setting)
    wanted = [objective(exp(new) / exp(old), advantage, *bounds(setting)) for old, new, advantage in OWN]
    assert shown.values["mean"] == pytest.approx(np.mean(wanted))
    for (_, _, advantage), value, row in zip(OWN, wanted, range(len(OWN)), strict=True):
        for name, sign in (("positive", 1), ("negative", -1)):
            cell = shown.rows[f"{name}_value"][row]
            assert np.isnan(cell) if np.sign(advantage) != sign else cell == pytest.approx(value)


@settings
def test_their_gradients_are_those_of_torch(setting: dict[str, Any]) -> None:
    shown = frame("clip", source="own", own=OWN, **setting)
    low, high, cap = bounds(setting)
    old, new, advantage = torch.tensor(OWN, dtype=torch.float64).T
    new = new.clone().requires_grad_()
    rho = torch.exp(new - old)
    value = torch.minimum(rho * advantage, rho.clamp(1 - low, 1 + high) * advantage)
    value = torch.where(advantage < 0, torch.maximum(value, cap * advantage), value)
    (gradient,) = torch.autograd.grad(value.sum(), new)
    found = np.nansum([shown.rows["positive_gradient"], shown.rows["negative_gradient"]], axis=0)
    assert found == pytest.approx(gradient.numpy())
    silent = (gradient == 0) & (advantage != 0)
    assert shown.values["held"] == pytest.approx(silent.double().mean().item())
    assert shown.values["above"] == (silent & (advantage > 0)).sum().item()
    assert shown.values["below"] == (silent & (advantage < 0) & (rho < 1)).sum().item()
    assert shown.values["capped"] == (silent & (advantage < 0) & (rho > 1)).sum().item()
    assert shown.values["pull"] == pytest.approx((gradient.abs().max() / gradient.abs().sum()).item())
    for name, mine in (("positive", advantage > 0), ("negative", advantage < 0)):
        assert shown.values[f"{name}_gradient"] == pytest.approx(gradient[mine].mean().item())


@settings
def test_their_points_lie_on_the_curve_of_their_sign_and_the_silent_ones_on_hatched_ground(
    setting: dict[str, Any],
) -> None:
    shown = frame("clip", source="own", own=OWN, **setting)
    drawn = 0
    for name in ("positive", "negative"):
        curve, dead = shown.sources[name], shown.sources[f"{name}_dead"]
        for kind in ("alive", "held"):
            points = shown.sources[f"{name}_{kind}"]
            ratio, value = np.asarray(points["ratio"]), np.asarray(points["value"])
            # Between its grid points a piecewise linear curve is straight.
            assert value == pytest.approx(np.interp(ratio, np.asarray(curve["ratio"]), np.asarray(curve["value"])))
            for one in ratio:
                hatched = any(left < one < right for left, right in zip(dead["left"], dead["right"], strict=True))
                assert hatched == (kind == "held")
            drawn += ratio.size
    assert drawn == sum(advantage != 0 for _, _, advantage in OWN)


def test_what_is_drawn_reaches_as_far_as_the_tokens_do() -> None:
    far = frame("clip", source="own", own=[[-5, -2, -1]])
    assert max(far.sources["negative"]["ratio"]) > exp(3)
    assert max(far.sources["positive"]["ratio"]) == pytest.approx(2)
    assert max(frame("clip", source="own", own=[[-1, -1, 1]]).sources["positive"]["ratio"]) == pytest.approx(2)
    assert max(frame("clip", source="own", own=[[-1, -1, 1]], dual=True, cap=4).sources["positive"]["ratio"]) > 4
    assert max(frame("clip").sources["positive"]["ratio"]) == pytest.approx(4)


def test_tokens_that_are_all_silent_are_said_to_be() -> None:
    shown = frame("clip", source="own", own=[[-1, -0.5, 1], [-1, -1.5, -1], [-1, -2, 0]])
    assert shown.case == "own_none"
    assert (shown.values["above"], shown.values["beyond"]) == (1, 1)
    assert np.isnan(shown.values["pull"])


def test_the_prepared_tokens_hold_what_their_preset_asks_for() -> None:
    """One small advantage out of ten, and the strongest pull: the side on which nothing is bounded."""
    shown = frame("clip", **lab_of("clip").presets["own"]).values
    assert (shown["above"], shown["below"], shown["count"]) == (2, 2, 10)
    assert shown["advantage"] == -0.58
    assert shown["ratio"] == pytest.approx(3.32, abs=0.005)
    assert shown["pull"] > 0.25
    assert frame("clip", **lab_of("clip").presets["own"], dual=True).values["advantage"] == 1.73
