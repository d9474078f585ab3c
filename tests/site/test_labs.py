"""Oracles: the curriculum's numbers, worked by hand there; the figures' own sources; random settings."""

from typing import Any

import numpy as np
import pytest

from pycore.control import Choice, Control, Number, Numbers, Switch
from web import labs
from web.labs import engine
from web.labs.figure import Labels, expanded
from web.labs.frame import Frame
from web.labs.texts import LANGUAGES

each_lab = pytest.mark.parametrize("name", labs.names())


def frame(name: str, **values: Any) -> Frame:
    """The lab at its defaults but for these controls."""
    controls = engine.lab_of(name).controls
    assert set(values) <= {control.name for control in controls}
    return engine.lab_of(name).frame({**{control.name: control.default for control in controls}, **values})


def column(frame: Frame, name: str) -> np.ndarray[Any, Any]:
    return np.asarray(frame.rows[name])


# ---- any setting


def drawn(control: Control, rng: np.random.Generator) -> Any:
    """A random allowed value, the ends among them."""
    if isinstance(control, Number):
        if rng.random() < 0.3:
            return [control.low, control.high, control.default][rng.integers(3)]
        value = rng.uniform(control.low, control.high)
        if control.logarithmic:
            value = float(np.exp(rng.uniform(np.log(control.low), np.log(control.high))))
        return int(value) if control.integer else float(value)
    if isinstance(control, Choice):
        return str(rng.choice(control.options))
    if isinstance(control, Switch):
        return bool(rng.integers(2))
    assert isinstance(control, Numbers)
    size = int(rng.integers(control.fewest, control.most + 1))
    kind = rng.integers(3)
    if kind == 0:
        return tuple([float(rng.integers(-1, 2))] * size)
    return tuple(
        float(x) for x in (rng.integers(0, 2, size) if kind == 1 else rng.uniform(control.low, control.high, size))
    )


def columns_of(mark: Any) -> set[str]:
    """The columns that a mark reads."""
    places = ("x", "y", "x0", "y0", "x1", "y1", "low", "high", "left", "right", "base", "strength")
    named = {getattr(mark, place, "") for place in places}
    if isinstance(mark, Labels):
        named |= {one for one in (mark.dx, mark.dy, mark.align) if isinstance(one, str)} - {"left", "center", "right"}
    return named - {""}


@each_lab
def test_no_setting_of_the_controls_breaks_a_lab(name: str) -> None:
    rng = np.random.default_rng(20)
    lab = engine.lab_of(name)
    marks = [mark for figure in lab.figures.values() for mark in expanded(figure).marks]
    for _ in range(200):
        values = {control.name: drawn(control, rng) for control in lab.controls}
        for language in LANGUAGES:
            shown = engine.respond(name, language, values)
            assert shown["fault"] == "", values
            words = [shown["summary"], *shown["readouts"], *(cell for row in shown["table"] for cell in row)]
            assert not any(bad in text for text in words for bad in ("nan", "inf", "None", "{", "}")), values
            assert all(words), values
        for source, columns in shown["sources"].items():
            lengths = {len(column) for column in columns.values()}
            assert len(lengths) == 1, (source, values)
            drawn_columns = {column for mark in marks if mark.source == source for column in columns_of(mark)}
            for key, column in columns.items():
                if isinstance(column, np.ndarray) and key in drawn_columns:
                    assert np.all(np.isfinite(column)), (source, key, values)


@each_lab
def test_the_permalink_of_any_setting_leads_back_to_it(name: str) -> None:
    rng = np.random.default_rng(21)
    lab = engine.lab_of(name)
    for _ in range(100):
        values = {control.name: drawn(control, rng) for control in lab.controls}
        shown = engine.respond(name, "en", values)
        again = engine.answer(name, "en", shown["query"])
        assert again["problems"] == []
        assert again["controls"] == shown["controls"] == values
        assert (again["summary"], again["table"]) == (shown["summary"], shown["table"])


@each_lab
def test_every_case_has_its_summary_and_every_summary_its_case(name: str) -> None:
    rng = np.random.default_rng(22)
    lab = engine.lab_of(name)
    met = set()
    for _ in range(400):
        values = {control.name: drawn(control, rng) for control in lab.controls}
        if name == "signal":
            values["groups"] = 50
        met.add(lab.frame(values).case)
    met |= {
        engine.lab_of(name).frame({**{c.name: c.default for c in lab.controls}, **state}).case
        for state in lab.presets.values()
    }
    met |= {lab.frame({control.name: control.default for control in lab.controls}).case}
    if name == "signal":
        met |= {frame("signal", spread=0.0, correlation=0.0).case, frame("signal", p=0.0).case}
    if name == "clip":
        met |= {frame("clip", ratio=1.0).case, frame("clip", low=0.0, high=0.0, ratio=2.0, dual=True, cap=1.5).case}
    for language in LANGUAGES:
        assert met == set(engine.words(name, language)["summary"])


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


@each_lab
def test_every_drawn_source_and_column_comes_from_the_frame(name: str) -> None:
    sources = engine.answer(name, "ru", "")["sources"]
    drawn = set()
    for figure in engine.lab_of(name).figures.values():
        for mark in expanded(figure).marks:
            assert mark.source in sources, mark
            drawn.add(mark.source)
            for column in columns_of(mark):
                assert column in sources[mark.source], (mark, column)
            assert not isinstance(mark, Labels) or "text" in sources[mark.source], mark
    assert drawn == set(sources), "a source that no figure draws, or a figure that nothing feeds"


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
