"""Oracle: the lab's own columns. A still shows every row where the axis says, and nothing broken."""

import math
import re
from xml.etree import ElementTree

import pytest

from web import labs
from web.builder.still import draw, stills
from web.labs import engine
from web.labs.figure import Axis, Bars, Figure, Labels, Line, Points
from web.labs.texts import LANGUAGES


@pytest.mark.parametrize("name", labs.names())
def test_every_figure_of_a_lab_is_drawn_whole(name: str) -> None:
    for language in LANGUAGES:
        summary, found = stills(name, language)
        assert summary
        assert set(found) == set(engine.lab_of(name).figures)
        for still in found.values():
            drawn = ElementTree.fromstring(still.svg)
            height = float(drawn.attrib["viewBox"].split()[3])
            words = [float(text.attrib["y"]) for text in drawn.iter("text") if "y" in text.attrib]
            assert all(0 < place < height for place in words), still.title
            assert not re.search(r"\b(nan|inf|None)\b", still.svg), still.title


def test_a_point_stands_where_its_axis_says_and_one_without_a_place_is_left_out() -> None:
    described = Figure(
        (Points("rows", "x", "y", "signal"), Line("rows", "x", "y", "ink"), Labels("rows", "x", "y")),
        x=Axis(0, 10),
        y=Axis(0, 1),
        height=256,
    )
    rows = {"x": [0.0, 5.0, 10.0], "y": [0.0, math.nan, 1.0], "text": ["a<b", "c", "d"]}
    svg = draw(described, {"rows": rows}, {"x": "across", "y": "up"}, "ru", width=566)
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)]
    assert places == [(52, 210), (552, 10)]
    assert "a&lt;b" in svg
    assert ">c<" not in svg
    assert ">2,5<" in svg


def test_an_axis_is_as_much_wider_than_its_data_as_in_the_live_figure() -> None:
    """Bokeh's `range_padding` widens the whole range by its share; an end that is fixed stays."""
    rows = {"x": [0.0, 10.0], "y": [0.0, 1.0]}
    for low, first, last in ((None, 52 + 500 / 12, 52 + 500 * 11 / 12), (0, 52, 52 + 500 / 1.1)):
        described = Figure((Points("rows", "x", "y", "signal"),), x=Axis(low, room=0.2), y=Axis(0, 1), height=256)
        svg = draw(described, {"rows": rows}, {}, "en", width=566)
        places = [float(x) for x in re.findall(r'cx="([\d.]+)"', svg)]
        assert places == pytest.approx([first, last], abs=0.1)


def test_bars_begin_at_zero_or_at_their_base() -> None:
    described = Figure((Bars("rows", "x", "y", "signal", width=1.0),), x=Axis(-0.5, 1.5), y=Axis(-1, 1), height=256)
    svg = draw(described, {"rows": {"x": [0, 1], "y": [1.0, -1.0]}}, {}, "en", width=266)
    boxes = re.findall(r'<rect class="[^"]*" x="([\d.]+)" width="([\d.]+)" y="([\d.]+)" height="([\d.]+)"', svg)
    assert [tuple(map(float, box)) for box in boxes] == [(52, 100, 10, 100), (152, 100, 110, 100)]
