"""Oracles: the curriculum's numbers, worked by hand there; the figures' own sources."""

import re
from typing import Any

import numpy as np
import pytest

from web.labs import engine
from web.labs.frame import Frame

frame = engine.frame


def column(frame: Frame, name: str) -> np.ndarray[Any, Any]:
    return np.asarray(frame.rows[name])


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        *(("signal", "p", value) for value in (2, "0.5", None, float("nan"))),
        *(("advantage", "rewards", value) for value in ("1", [])),
        ("clip", "ratio", True),
    ],
)
def test_a_wrong_value_is_named_and_nothing_is_computed(name: str, field: str, value: Any) -> None:
    controls = {control.name: control.default for control in engine.lab_of(name).controls}
    shown = engine.respond(name, "en", {**controls, field: value})
    assert engine.words(name, "en")["controls"][field]["label"] in shown["fault"]
    assert "summary" not in shown


# ---- what is drawn is what is computed


def test_the_table_of_the_signal_lab_is_what_its_bars_show() -> None:
    shown = frame("signal", p=0.3, spread=0.2)
    for name in ("prompts", "responses"):
        np.testing.assert_array_equal(column(shown, name), shown.sources["sizes"][name])


def test_the_table_of_the_advantage_lab_is_what_its_bars_show() -> None:
    for ddof, name in (("0", "population"), ("1", "sample")):
        shown = frame("advantage", ddof=ddof, rewards=(1.0, 0.5, 0.0), other=(2.0, 2.0))
        np.testing.assert_array_equal(column(shown, name), shown.sources["bars"]["y"])
        bars = {
            float(x): float(y)
            for key in ("bars_raised", "bars_lowered", "bars_silent")
            for x, y in zip(shown.sources[key]["x"], shown.sources[key]["y"], strict=True)
        }
        places = np.asarray(shown.sources["bars"]["x"], float).tolist()
        assert [bars[x] for x in places] == column(shown, name).tolist()


def test_the_table_of_the_clip_lab_lies_on_its_curves() -> None:
    shown = frame("clip", low=0.15, high=0.3, dual=True, cap=2.5)
    for sign in ("positive", "negative"):
        curve = shown.sources[sign]
        for part in ("value", "gradient"):
            for ratio, cell in zip(column(shown, "ratio"), column(shown, f"{sign}_{part}"), strict=True):
                near = np.argmin(np.abs(np.asarray(curve["ratio"]) - ratio))
                assert np.asarray(curve[part])[near] == pytest.approx(cell, abs=0.03)


# ---- the curriculum's numbers


@pytest.mark.parametrize(("p", "wanted"), [(0.01, 0.0773), (0.1, 0.5695), (0.5, 0.9922), (0.9, 0.5695), (0.99, 0.0773)])
def test_step_1_5_the_share_at_eight_responses(p: float, wanted: float) -> None:
    shown = frame("signal", p=p, G=8)
    assert shown.values["informative"] == pytest.approx(wanted, abs=5e-5)
    assert shown.values["prompts"] == pytest.approx(64 / shown.values["informative"])


@pytest.mark.parametrize(
    ("p", "wanted"),
    [
        (0.02, {2: 0.04, 4: 0.08, 8: 0.15, 16: 0.28, 64: 0.73}),
        (0.1, {2: 0.18, 4: 0.34, 8: 0.57, 16: 0.81, 64: 0.999}),
        (0.5, {2: 0.5, 4: 0.88, 8: 0.99, 16: 1, 64: 1}),
    ],
)
def test_step_1_5_the_share_by_group_size(p: float, wanted: dict[int, float]) -> None:
    shown = frame("signal", p=p)
    found = dict(zip(column(shown, "G").tolist(), column(shown, "informative"), strict=True))
    for size, share in wanted.items():
        assert found[size] == pytest.approx(share, abs=0.0051)


@pytest.mark.parametrize(
    ("p", "size", "wanted"), [(0.5, 4, 0.125), (0.9, 4, 0.66), (0.97, 4, 0.89), (0.9, 8, 0.43), (0.9, 16, 0.185)]
)
def test_step_1_5_the_share_of_empty_groups(p: float, size: int, wanted: float) -> None:
    assert frame("signal", p=p, G=size).values["empty"] == pytest.approx(wanted, abs=0.006)


def test_step_1_5_the_mean_p_promises_too_much() -> None:
    shown = frame("signal", p=0.5, spread=0.6)
    assert shown.values["informative"] < shown.values["alike"]
    assert abs(shown.values["counted"] - shown.values["informative"]) < 2 * shown.values["error"]


@pytest.mark.parametrize(
    ("rewards", "wanted"),
    [
        ((1, 0, 0, 0), (1.73, -0.58, -0.58, -0.58)),
        ((1, 1, 0, 0), (1, 1, -1, -1)),
        ((1, 1, 1, 0), (0.58, 0.58, 0.58, -1.73)),
        ((1, 1, 0, 0, 0), (1.22, 1.22, -0.82, -0.82, -0.82)),
        ((1, 1, 1, 1), (0, 0, 0, 0)),
    ],
)
def test_step_2_2_the_advantages_of_small_groups(rewards: tuple[float, ...], wanted: tuple[float, ...]) -> None:
    shown = frame("advantage", rewards=rewards)
    assert column(shown, "population")[: len(rewards)] == pytest.approx(wanted, abs=0.006)


def test_step_2_2_dividing_by_one_less_gives_one_and_a_half() -> None:
    assert column(frame("advantage", rewards=(1, 0, 0, 0)), "sample")[:4] == pytest.approx(
        (1.5, -0.5, -0.5, -0.5), abs=1e-5
    )


@pytest.mark.parametrize("size", [2, 4, 9, 16])
def test_step_2_2_one_success_earns_the_root_of_the_others(size: int) -> None:
    shown = frame("advantage", rewards=(1,) + (0,) * (size - 1))
    assert shown.values["largest"] == pytest.approx(np.sqrt(size - 1), abs=1e-4)
    assert np.asarray(shown.sources["success"]["advantage"])[0] == pytest.approx(np.sqrt(size - 1), abs=1e-4)


def test_step_3_1_normalisation_wipes_out_the_scale() -> None:
    shown = frame("advantage", rewards=(-0.75, 0.25, 0.25, 0.25), other=(-0.075, 0.025, 0.025, 0.025))
    found = column(shown, "population")
    assert found[:4] == pytest.approx(found[4:], abs=1e-3)
    assert shown.case == "same"


def test_step_3_1_the_division_makes_rare_luck_loud() -> None:
    groups = {"rewards": (1,) + (0,) * 15, "other": (1,) * 8 + (0,) * 8}
    plain, divided = (
        column(frame("advantage", scale=scale, **groups), "population") for scale in ("none", "group_std")
    )
    assert (plain[0], plain[16]) == pytest.approx((0.9375, 0.5))
    assert (divided[0], divided[16]) == pytest.approx((3.87, 1), abs=0.005)
    assert (divided[0] / plain[0], divided[16] / plain[16]) == pytest.approx((4.1, 2), abs=0.05)


@pytest.mark.parametrize(
    ("values", "positive", "negative"),
    [
        ({"ratio": 1.0}, (1, 1), (-1, -1)),
        ({"ratio": 1.4}, (1.2, 0), (-1.4, -1.4)),
        ({"ratio": 0.5}, (0.5, 0.5), (-0.8, 0)),
        ({"ratio": 1.25, "high": 0.28}, (1.25, 1.25), (-1.25, -1.25)),
        ({"ratio": 3.0}, (1.2, 0), (-3, -3)),
        ({"ratio": 3.0, "dual": True, "cap": 2.5}, (1.2, 0), (-2.5, 0)),
        ({"ratio": 2.0, "dual": True, "cap": 2.5}, (1.2, 0), (-2, -2)),
    ],
)
def test_step_2_3_value_and_gradient_of_the_clipped_objective(
    values: dict[str, Any], positive: tuple[float, float], negative: tuple[float, float]
) -> None:
    shown = frame("clip", **values)
    for sign, wanted in (("positive", positive), ("negative", negative)):
        assert (shown.values[f"{sign}_value"], shown.values[f"{sign}_gradient"]) == pytest.approx(wanted)


def test_step_2_3_the_gradient_is_zero_exactly_where_the_ground_is_hatched() -> None:
    shown = frame("clip", low=0.15, high=0.3, dual=True, cap=2.5)
    for sign in ("positive", "negative"):
        curve, dead = shown.sources[sign], shown.sources[f"{sign}_dead"]
        ratio = np.asarray(curve["ratio"])
        hatched = np.zeros(ratio.shape, bool)
        for left, right in zip(dead["left"], dead["right"], strict=True):
            hatched |= (ratio > left + 1e-8) & (ratio < right - 1e-8)
        inner = np.min(np.abs(ratio[:, None] - np.concatenate([dead["left"], dead["right"]])), axis=1) > 1e-8
        np.testing.assert_array_equal((np.asarray(curve["gradient"]) == 0)[inner], hatched[inner])


EXTREMES = (
    ("signal", "1e-300\n1e-300"),
    ("signal", "5e-324\n1e-307"),
    ("dynamic_sampling", "1e-300\n0"),
    ("gspo", "2;-50;0"),
    ("gspo", "2;0;-50"),
    ("clip", "-50;0;-10"),
    ("clip", "-1;-1;0"),
    ("dpo", "-20000;0;0;-20000;1;1\n0;-20000;-20000;0;1;1"),
)


@pytest.mark.parametrize("language", ["ru", "en"])
@pytest.mark.parametrize(("lab", "own"), EXTREMES)
def test_values_at_the_bounds_of_a_column_are_told_in_numbers_of_readable_length(
    lab: str, own: str, language: str
) -> None:
    values = {control.name: control.default for control in engine.lab_of(lab).controls}
    shown = engine.respond(lab, language, {**values, "source": "own", "own": own})
    assert shown["fault"] == ""
    labels = [text for source in shown["sources"].values() for text in source.get("text", ())]
    cells = [cell for row in shown["table"] for cell in row]
    for text in (shown["summary"], shown["substituted"], *shown["readouts"], *labels, *cells):
        assert not re.search(r"[\d.,\u00a0]{16}", text), text
        assert not re.search(r"[−+]0(?![\d.,])", text), text
