"""The same figures drawn still, with matplotlib, for a lab's notebook."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from web.labs.figure import (
    FORMS,
    Arrows,
    Axis,
    Band,
    Bars,
    Cells,
    Curves,
    Figure,
    Labels,
    Letters,
    Line,
    Points,
    Rules,
    Strips,
    Whiskers,
)
from web.labs.texts import Writer

COLOUR: dict[str, str] = tomllib.loads(
    (Path(__file__).parents[1] / "shell" / "palette.toml").read_text(encoding="utf-8")
)["light"]
HATCH = "///"
DASH = {"solid": "-", "dashed": "--", "dotted": ":", "dotdash": "-."}
MARKER = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^", "cross": "x"}
POINTS = 0.72  # of an inch's 72 points, a CSS pixel has three quarters
Columns = Mapping[str, Any]


def draw(described: Figure, sources: Mapping[str, Columns], text: Mapping[str, str], language: str) -> Axes:
    """The figure as a still; its title stands in the notebook's text.

    Args:
        described: what to draw.
        sources: the Frame's sources with their labels' texts, as `engine.show` returns them.
        text: the figure's words.
        language: how the ticks write numbers.
    """
    axes = _chart(described, text, language)
    if described.zero:
        axes.axhline(0, color=COLOUR["line-strong"], linewidth=1)
    for mark in described.marks:
        # A direct label is the notebook's key: matplotlib lists what has a name.
        _DRAW[type(mark)](axes, mark, sources[mark.source], text.get(getattr(mark, "key", "") or "-"))
    _bounds(axes, described)
    handles, names = axes.get_legend_handles_labels()
    figure = axes.get_figure(root=True)
    if names and figure is not None:
        place: dict[str, Any] = {"loc": "outside lower center", "ncols": 3, "frameon": False, "fontsize": "small"}
        figure.legend(handles, names, labelcolor=COLOUR["ink"], **place)
    return axes


def _chart(described: Figure, text: Mapping[str, str], language: str) -> Axes:
    size = (7.2, described.height / 92)
    axes = plt.figure(figsize=size, layout="constrained", facecolor=COLOUR["paper"]).add_subplot()
    axes.set_facecolor(COLOUR["paper"])
    writer = Writer(language)
    for axis, name, asked in ((axes.xaxis, "x", described.x), (axes.yaxis, "y", described.y)):
        axis.set_label_text(text.get(name, ""), color=COLOUR["muted"])
        if asked.log:
            getattr(axes, f"set_{name}scale")("log")
        axis.set_major_locator(LogLocator() if asked.log else MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        spec = FORMS[asked.form][2]
        axis.set_major_formatter(FuncFormatter(lambda value, _, spec=spec: writer.format_field(value, spec)))
        axis.set_tick_params(colors=COLOUR["muted"], length=4)
        if asked.ticks:
            axis.set_ticks(list(asked.ticks), list(asked.ticks.values()))
        if not asked.shown:
            axis.set_ticks([])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_visible(described.x.shown)
    axes.spines["bottom"].set_color(COLOUR["line-strong"])
    axes.tick_params(axis="y", length=0)
    if described.y.shown and not described.y.ticks:
        axes.grid(axis="y", color=COLOUR["line"], linewidth=0.8)
    axes.set_axisbelow(True)
    if described.equal:
        axes.set_aspect("equal", adjustable="datalim")
    return axes


def _bounds(axes: Axes, described: Figure) -> None:
    axes.margins(x=described.x.room / 2, y=described.y.room / 2)
    for axis, limit in ((described.x, axes.set_xlim), (described.y, axes.set_ylim)):
        if _fixed(axis):
            limit(axis.low, axis.high)


def _fixed(axis: Axis) -> bool:
    return axis.low is not None or axis.high is not None


def _line(axes: Axes, mark: Line, rows: Columns, name: str | None) -> None:
    style = {"color": COLOUR[mark.role], "linestyle": DASH[mark.dash], "linewidth": mark.width}
    axes.plot(rows[mark.x], rows[mark.y], label=name, **style)  # type: ignore[arg-type]


def _points(axes: Axes, mark: Points, rows: Columns, name: str | None) -> None:
    rim = COLOUR["paper"] if mark.here else COLOUR[mark.role]
    size = POINTS * (max(mark.size, 12) if mark.here else mark.size)
    style = {"color": COLOUR[mark.role], "markersize": size, "markeredgecolor": rim, "linestyle": ""}
    axes.plot(rows[mark.x], rows[mark.y], marker=MARKER[mark.marker], label=name, **style)  # type: ignore[arg-type]


def _bars(axes: Axes, mark: Bars, rows: Columns, name: str | None) -> None:
    base = np.asarray(rows[mark.base]) if mark.base else 0.0
    style: dict[str, Any] = {"color": COLOUR[mark.role], "label": name}
    if mark.hatch:
        style |= {"hatch": HATCH, "edgecolor": COLOUR["paper"]}
    if mark.across:
        axes.barh(rows[mark.y], np.asarray(rows[mark.x]) - base, height=mark.width, left=base, **style)
    else:
        axes.bar(rows[mark.x], np.asarray(rows[mark.y]) - base, width=mark.width, bottom=base, **style)


def _band(axes: Axes, mark: Band, rows: Columns, name: str | None) -> None:
    style = {"color": COLOUR[mark.role], "alpha": 0.18, "linewidth": 0, "label": name}
    axes.fill_between(rows[mark.x], rows[mark.low], rows[mark.high], **style)  # type: ignore[arg-type]


def _whiskers(axes: Axes, mark: Whiskers, rows: Columns, name: str | None) -> None:
    axes.vlines(rows[mark.x], rows[mark.low], rows[mark.high], color=COLOUR[mark.role], linewidth=1)


def _strips(axes: Axes, mark: Strips, rows: Columns, name: str | None) -> None:
    style: dict[str, Any] = {"facecolor": COLOUR["wash"], "edgecolor": COLOUR["line-strong"]}
    style |= {"hatch": HATCH, "linewidth": 0}
    for left, right in zip(rows[mark.left], rows[mark.right], strict=True):
        axes.axvspan(left, right, **style)
    axes.fill_between([], [], label=name, **style)


def _rules(axes: Axes, mark: Rules, rows: Columns, name: str | None) -> None:
    across = axes.axvline if mark.x else axes.axhline
    for at in rows[mark.x or mark.y]:
        across(at, color=COLOUR[mark.role], linestyle=DASH[mark.dash], linewidth=1, label=name)
        name = None


def _labels(axes: Axes, mark: Labels, rows: Columns, name: str | None) -> None:
    rim = withStroke(linewidth=3, foreground=COLOUR["paper"])  # readable on hatching too
    font: dict[str, Any] = {"va": "center", "color": COLOUR[mark.role], "path_effects": [rim]}
    font["weight"] = "bold" if mark.bold else "normal"
    axes.update_datalim(np.column_stack([rows[mark.x], rows[mark.y]]))
    for index, words in enumerate(rows["text"]):
        dx, dy = (float(rows[shift][index]) if isinstance(shift, str) else shift for shift in (mark.dx, mark.dy))
        side = mark.align if mark.align in ("left", "center", "right") else str(rows[mark.align][index])
        place, shift = (rows[mark.x][index], rows[mark.y][index]), (POINTS * dx, -POINTS * dy)
        axes.annotate(words, place, shift, textcoords="offset points", ha=side, **font)


def _arrows(axes: Axes, mark: Arrows, rows: Columns, name: str | None) -> None:
    style = {"color": COLOUR[mark.role], "lw": mark.width, "ls": DASH[mark.dash], "arrowstyle": "-|>"}
    ends = [rows[column] for column in (mark.x0, mark.y0, mark.x1, mark.y1)]
    for x0, y0, x1, y1 in zip(*ends, strict=True):
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=style | {"shrinkA": 0, "shrinkB": 0})
    axes.plot([], [], color=COLOUR[mark.role], linestyle=DASH[mark.dash], label=name)


def _cells(axes: Axes, mark: Cells, rows: Columns, name: str | None) -> None:
    half = (mark.width / 2, mark.height / 2)
    style: dict[str, Any] = {"facecolor": COLOUR[mark.role], "edgecolor": COLOUR["paper"]}
    for x, y, strength in zip(rows[mark.x], rows[mark.y], rows[mark.strength], strict=True):
        place = {"x": [x - half[0], x + half[0]], "y1": y - half[1], "y2": y + half[1]}
        axes.fill_between(**place, alpha=float(strength), hatch=HATCH if mark.hatch else None, label=name, **style)
        name = None


def _curves(axes: Axes, mark: Curves, rows: Columns, name: str | None) -> None:
    for slot, x, y in zip(rows[mark.slot], rows[mark.x], rows[mark.y], strict=True):
        if not slot:
            continue
        style = {"color": COLOUR[f"run-{slot.lower()}"], "linestyle": DASH[mark.dash], "linewidth": mark.width}
        axes.plot(x, y, label=f"{slot}: {name}", **style)  # type: ignore[arg-type]


def _letters(axes: Axes, mark: Letters, rows: Columns, name: str | None) -> None:
    axes.update_datalim(np.column_stack([rows[mark.x], rows[mark.y]]))
    for slot, x, y, words in zip(rows[mark.slot], rows[mark.x], rows[mark.y], rows["text"], strict=True):
        style: dict[str, Any] = {"color": COLOUR[f"run-{slot.lower()}"], "weight": "bold", "va": "center"}
        axes.annotate(words, (x, y), (4, 0), textcoords="offset points", **style)


_DRAW: dict[type, Any] = {
    Curves: _curves,
    Letters: _letters,
    Line: _line,
    Points: _points,
    Bars: _bars,
    Band: _band,
    Whiskers: _whiskers,
    Strips: _strips,
    Rules: _rules,
    Labels: _labels,
    Arrows: _arrows,
    Cells: _cells,
}
