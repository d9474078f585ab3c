"""What a figure is made of, as data: the page draws it with Bokeh, the notebook with matplotlib, both from this.

A mark takes its columns from one source of the lab's Frame and its colour from a `role` of palette.toml. `key` names
the mark's word in the figure's words. Colour is never the only sign: give two curves two dashes, two kinds of points
two markers, and a hatch to what is clipped or pushed down.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

DASHES = ("solid", "dashed", "dotted", "dotdash")
MARKERS = ("circle", "square", "diamond", "triangle", "cross")
# How an axis writes numbers: at its ticks and under the pointer (numeral.js), and in Python.
FORMS = {
    "number": ("0.[00]", "0.[0000]", "g"),
    "fine": ("0.[000000]", "0.[000000]", "g"),
    "percent": ("0%", "0.0%", ".0%"),
    "count": ("0,0", "0,0.[0]", ",.0f"),
    "small": ("0.0e+0", "0.00e+0", ".1e"),
}


@dataclass(frozen=True)
class Axis:
    """One axis. Without bounds it follows the data; `low` above `high` turns it round.

    Attributes:
        low: where it begins.
        high: where it ends.
        form: how numbers are written: number, fine (down to a millionth), percent, count or small.
        ticks: fixed ticks with their own names, which are numbers or words that need no translation.
        log: logarithmic.
        shown: False hides ticks and line, as below bars that carry their own labels.
        room: how much wider than the data it is, as a share of their range: half of that at either end.
    """

    low: float | None = None
    high: float | None = None
    form: str = "number"
    ticks: Mapping[float, str] = field(default_factory=dict)
    log: bool = False
    shown: bool = True
    room: float = 0.1


@dataclass(frozen=True)
class Line:
    """A curve. `direct` writes its key at its right end instead of in the figure's key."""

    source: str
    x: str
    y: str
    role: str
    dash: str = "solid"
    width: float = 2.5
    key: str = ""
    direct: bool = False
    tip: bool = True


@dataclass(frozen=True)
class Points:
    """Points. `here` is the learner's own: larger, with a rim. `told` is a column of names for the tooltip."""

    source: str
    x: str
    y: str
    role: str
    marker: str = "circle"
    size: float = 7
    key: str = ""
    here: bool = False
    tip: bool = True
    told: str = ""


@dataclass(frozen=True)
class Bars:
    """Bars from zero, or from the column `base`; `across` lays them: `y` is then the place and `x` the length."""

    source: str
    x: str
    y: str
    role: str
    base: str = ""
    width: float = 0.8
    across: bool = False
    hatch: bool = False
    key: str = ""
    tip: bool = True


@dataclass(frozen=True)
class Band:
    """An uncertainty around a curve, between the columns `low` and `high`."""

    source: str
    x: str
    low: str
    high: str
    role: str
    key: str = ""


@dataclass(frozen=True)
class Whiskers:
    """An uncertainty around points: from `low` to `high` at every x."""

    source: str
    x: str
    low: str
    high: str
    role: str


@dataclass(frozen=True)
class Strips:
    """Ground hatched from `left` to `right`: where something is clipped or impossible."""

    source: str
    left: str
    right: str
    key: str = ""


@dataclass(frozen=True)
class Rules:
    """Lines across the whole figure, at every `x` or at every `y`."""

    source: str
    role: str
    x: str = ""
    y: str = ""
    dash: str = "dotted"
    key: str = ""


@dataclass(frozen=True)
class Labels:
    """Words beside points, from the source's template in `[labels]` of the words.

    `align` (left, center, right) and the shifts `dx`, `dy` (CSS pixels, down is positive) may be names of columns.
    """

    source: str
    x: str
    y: str
    role: str = "ink"
    bold: bool = False
    align: str = "left"
    dx: float | str = 0
    dy: float | str = 0


@dataclass(frozen=True)
class Arrows:
    """Edges of a graph, from (x0, y0) to (x1, y1), as columns."""

    source: str
    role: str
    x0: str = "x0"
    y0: str = "y0"
    x1: str = "x1"
    y1: str = "y1"
    width: float = 2
    dash: str = "solid"
    key: str = ""


@dataclass(frozen=True)
class Cells:
    """A heat map: one cell a row, as opaque as the column `strength` says, 0 to 1."""

    source: str
    x: str
    y: str
    strength: str
    role: str
    width: float = 1
    height: float = 1
    hatch: bool = False
    key: str = ""
    tip: bool = True


@dataclass(frozen=True)
class Curves:
    """Curves of several runs, one a row: `x` and `y` hold an array each, `slot` (A to D, "" for none) the colour."""

    source: str
    x: str = "x"
    y: str = "y"
    slot: str = "slot"
    dash: str = "solid"
    width: float = 2
    key: str = ""


@dataclass(frozen=True)
class Letters:
    """The letters of several runs, in their colours, right of a point: the column `text`."""

    source: str
    x: str = "x"
    y: str = "y"
    slot: str = "slot"


SLOTS = ("A", "B", "C", "D")
Mark = Line | Points | Bars | Band | Whiskers | Strips | Rules | Labels | Arrows | Cells | Curves | Letters


@dataclass(frozen=True)
class Figure:
    """Marks in the order of drawing.

    Attributes:
        marks: what is drawn.
        x: the horizontal axis.
        y: the vertical axis.
        height: in CSS pixels.
        zero: draws the line y = 0, where the sign matters.
        equal: one unit is as long across as up, as in a graph.
        group: among a lab's small figures, the group that it stands in.
    """

    marks: tuple[Mark, ...]
    x: Axis = Axis()
    y: Axis = Axis()
    height: int = 300
    zero: bool = False
    equal: bool = False
    group: str = ""


def signed(name: str, x: str, y: str, **options: float | bool) -> tuple[Mark, ...]:
    """Bars by sign, the family's way: A > 0 raised (blue), A < 0 lowered (orange, hatched), 0 silent (grey square).

    Args:
        name: the sources are `name_raised`, `name_lowered` and `name_silent`, as `frame.by_sign` makes them; the keys
            `raised`, `lowered`, `silent`.
        x: column of the place (of the length with `across`).
        y: column of the length (of the place with `across`).
        options: of `Bars`.
    """
    return (
        Bars(f"{name}_raised", x, y, "positive", key="raised", **options),  # type: ignore[arg-type]
        Bars(f"{name}_lowered", x, y, "negative", hatch=True, key="lowered", **options),  # type: ignore[arg-type]
        Points(f"{name}_silent", x, y, "silent", "square", size=9, key="silent"),
    )


def words_of(text: Mapping[str, Mapping[str, Mapping[str, str]]], name: str) -> dict[str, str]:
    """A figure's words: those that the lab's figures share, under `all`, and its own."""
    return {**text["figures"].get("all", {}), **text["figures"][name]}


def expanded(figure: Figure) -> Figure:
    """The figure with a mark of its own for every direct label."""
    marks: list[Mark] = []
    for mark in figure.marks:
        if isinstance(mark, Line) and mark.direct:
            end = Labels(_end(mark), "x", "y", mark.role, align="right", dx=-2, dy=-11)
            marks += [mark, end]
        else:
            marks.append(mark)
    return replace(figure, marks=tuple(marks))


def ends(name: str, figure: Figure, sources: Mapping[str, Any], text: Mapping[str, Any]) -> dict[str, Any]:
    """The sources of a figure's direct labels: the last finite point of every curve that has one, and its key."""
    made = {}
    for mark in figure.marks:
        if isinstance(mark, Line) and mark.direct:
            x, y = (np.asarray(sources[mark.source][column], float) for column in (mark.x, mark.y))
            last = np.flatnonzero(np.isfinite(y))[-1:]
            words = [words_of(text, name)[mark.key]] * len(last)
            made[_end(mark)] = {"x": x[last], "y": y[last], "text": words}
    return made


def _end(mark: Line) -> str:
    return f"{mark.source}/{mark.y}"
