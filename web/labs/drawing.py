"""Figures drawn with Bokeh: fonts, few ticks, quiet grid, direct labels, colours by meaning. Build time only."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.core.properties import value
from bokeh.models import (
    Arrow,
    CategoricalColorMapper,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    NoOverlap,
    NormalHead,
    NumeralTickFormatter,
    Range1d,
    Whisker,
)
from bokeh.plotting import figure

from web.labs.figure import (
    FORMS,
    SLOTS,
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
    Mark,
    Points,
    Rules,
    Strips,
    Whiskers,
)

PALETTE: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parents[1] / "shell" / "palette.toml").read_text(encoding="utf-8")
)
SANS = "Golos Text, system-ui, sans-serif"
NOBODY = "#00000000"  # a line of no run
CROWDED = 16  # so many names of fixed ticks stand side by side on a phone
HATCH = {"hatch_pattern": "right_diagonal_line", "hatch_scale": 12}
Sources = Mapping[str, ColumnDataSource]


class Key(NamedTuple):
    """One entry of a figure's key, which the page draws: `mark` is a dash, a marker, bar, band, hatch or arrow."""

    mark: str
    role: str
    text: str


class Drawing(NamedTuple):
    """A figure, its key, and the group among the lab's small figures that it belongs to, if any."""

    figure: Any
    key: tuple[Key, ...] = ()
    group: str = ""


def colour(role: str) -> str:
    """The light theme's colour of a role; the page swaps it for the dark one, so no two roles share a value."""
    return PALETTE["light"][role]


def draw(described: Figure, sources: Sources, text: Mapping[str, str]) -> Drawing:
    """The figure in Bokeh, bound to its sources.

    Args:
        described: what to draw.
        sources: the Frame's sources by name.
        text: the figure's words; `x` and `y` name the axes.
    """
    fig = _plot(described, text)
    if described.zero:
        fig.hspan(y=0, line_color=colour("line-strong"), line_width=1)
    for mark in described.marks:
        drawn = _DRAW[type(mark)](fig, mark, sources[mark.source], text)
        if getattr(mark, "tip", False):
            # Two curves of a figure share the axes' words; the page's reading by keys says which one it is on.
            drawn.name = _said(mark, text)
            fig.add_tools(HoverTool(tooltips=_tips(described, mark, text), renderers=[drawn], mode="mouse"))
    told = [mark for mark in described.marks if _in_key(mark)]
    alone = len(told) == 1 and isinstance(told[0], Curves)  # the title says what they are
    return Drawing(fig, () if alone else tuple(_key(mark, text) for mark in told), described.group)


def _plot(described: Figure, text: Mapping[str, str]) -> Any:
    axes = (described.x, described.y)
    kinds = {f"{name}_axis_type": "log" for name, axis in zip("xy", axes, strict=True) if axis.log}
    fig = figure(
        height=described.height, sizing_mode="stretch_width", min_width=180, toolbar_location=None, tools="", **kinds
    )
    fig.match_aspect = described.equal
    fig.background_fill_color = fig.border_fill_color = fig.outline_line_color = None
    fig.min_border_right, fig.min_border_top = 16, 8
    fig.xgrid.visible = False
    fig.ygrid.grid_line_color = colour("line")
    fig.ygrid.visible = described.y.shown and not described.y.ticks
    for name, drawn, asked in (("x", fig.xaxis, axes[0]), ("y", fig.yaxis, axes[1])):
        _range(fig, name, asked)
        drawn.axis_label = text.get(name)
        drawn.axis_label_text_font = drawn.major_label_text_font = SANS
        drawn.axis_label_text_font_size = drawn.major_label_text_font_size = "13px"
        drawn.axis_label_text_font_style = "normal"
        drawn.axis_label_text_color = drawn.major_label_text_color = colour("muted")
        drawn.axis_line_color = drawn.major_tick_line_color = colour("line-strong")
        drawn.minor_tick_line_color = None
        drawn.major_tick_in, drawn.major_tick_out = 0, 4
        drawn.ticker.desired_num_ticks = 5
        drawn.formatter = NumeralTickFormatter(format=FORMS[asked.form][0])
        if asked.ticks:
            drawn.ticker = FixedTicker(ticks=list(asked.ticks))
            drawn.major_label_overrides = dict(asked.ticks)
        if len(asked.ticks) > CROWDED or (name == "x" and not asked.ticks):
            drawn.major_label_policy = NoOverlap(min_distance=3)
        if not asked.shown:
            drawn.axis_line_color = drawn.major_tick_line_color = drawn.major_label_text_color = None
    fig.yaxis.axis_line_color = fig.yaxis.major_tick_line_color = None
    return fig


def _range(fig: Any, name: str, axis: Axis) -> None:
    if axis.low is not None and axis.high is not None:
        setattr(fig, f"{name}_range", Range1d(axis.low, axis.high))
        return
    follows = getattr(fig, f"{name}_range")
    follows.range_padding = axis.room
    if axis.low is not None:
        follows.start = axis.low
    if axis.high is not None:
        follows.end = axis.high


def _tips(described: Figure, mark: Any, text: Mapping[str, str]) -> list[tuple[str, str]]:
    tips = [(text[mark.key], f"@{{{mark.told}}}")] if getattr(mark, "told", "") else []
    for name, axis in (("x", described.x), ("y", described.y)):
        if text.get(name) and axis.shown:
            tips.append((text[name], f"@{{{getattr(mark, name)}}}{{{FORMS[axis.form][1]}}}"))
    if isinstance(mark, Cells):
        tips.append((text[mark.key], f"@{{{mark.strength}}}{{0.000}}"))
    return tips


def _said(mark: Any, text: Mapping[str, str]) -> str:
    own = isinstance(mark, Cells) or (isinstance(mark, Points) and mark.told != "")
    return "" if own or not mark.key else text[mark.key]


def _line(fig: Any, mark: Line, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    style = {"color": colour(mark.role), "line_width": mark.width, "line_dash": mark.dash}
    return fig.line(mark.x, mark.y, source=source, **style)


def _points(fig: Any, mark: Points, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    rim = {"line_color": colour("paper"), "line_width": 2} if mark.here else {"line_color": colour(mark.role)}
    size = max(mark.size, 12) if mark.here else mark.size
    style = {"marker": mark.marker, "size": size, "fill_color": colour(mark.role), **rim}
    return fig.scatter(mark.x, mark.y, source=source, **style)


def _bars(fig: Any, mark: Bars, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    style: dict[str, Any] = {"color": colour(mark.role), "source": source}
    if mark.hatch:
        style |= {**HATCH, "hatch_color": colour("paper")}
    if mark.across:
        return fig.hbar(y=mark.y, right=mark.x, left=mark.base or 0, height=mark.width, **style)
    return fig.vbar(x=mark.x, top=mark.y, bottom=mark.base or 0, width=mark.width, **style)


def _band(fig: Any, mark: Band, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    return fig.varea(mark.x, mark.low, mark.high, source=source, fill_color=colour(mark.role), fill_alpha=0.18)


def _whiskers(fig: Any, mark: Whiskers, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    bounds = {"base": mark.x, "lower": mark.low, "upper": mark.high}
    whisker = Whisker(source=source, line_color=colour(mark.role), level="glyph", **bounds)
    whisker.lower_head.size = whisker.upper_head.size = 0
    fig.add_layout(whisker)


def _strips(fig: Any, mark: Strips, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    hatch = {**HATCH, "hatch_color": colour("line-strong"), "hatch_weight": 0.5, "hatch_scale": 16}
    style = {"fill_color": colour("wash"), "line_color": None}
    return fig.vstrip(x0=mark.left, x1=mark.right, source=source, **style, **hatch)


def _rules(fig: Any, mark: Rules, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    style = {"source": source, "line_color": colour(mark.role), "line_dash": mark.dash}
    return fig.vspan(x=mark.x, **style) if mark.x else fig.hspan(y=mark.y, **style)


def _labels(fig: Any, mark: Labels, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    return fig.text(
        x=mark.x,
        y=mark.y,
        text="text",
        source=source,
        x_offset=mark.dx,
        y_offset=mark.dy,
        text_align=mark.align,
        text_color=colour(mark.role),
        text_font=value(SANS),
        text_font_size="13px",
        text_font_style="bold" if mark.bold else "normal",
        text_baseline="middle",
    )


def _arrows(fig: Any, mark: Arrows, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    paint = {"line_color": colour(mark.role)}
    head = NormalHead(size=12, fill_color=colour(mark.role), **paint)
    ends = {"x_start": mark.x0, "y_start": mark.y0, "x_end": mark.x1, "y_end": mark.y1}
    fig.add_layout(Arrow(source=source, end=head, line_width=mark.width, line_dash=mark.dash, **ends, **paint))


def _cells(fig: Any, mark: Cells, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    shape = {"x": mark.x, "y": mark.y, "width": mark.width, "height": mark.height, "source": source}
    style: dict[str, Any] = {"fill_color": colour(mark.role), "line_color": colour("paper")}
    if mark.hatch:
        style |= {**HATCH, "hatch_color": colour("paper"), "hatch_alpha": mark.strength}
    return fig.rect(fill_alpha=mark.strength, **shape, **style)


def _curves(fig: Any, mark: Curves, source: ColumnDataSource, text: Mapping[str, str]) -> Any:
    style = {"line_width": mark.width, "line_dash": mark.dash}
    drawn = fig.multi_line(mark.x, mark.y, source=source, line_color=_by_slot(mark.slot), **style)
    tips = [(text.get("x", ""), "$data_x{0,0}"), (f"@{mark.slot} · {text[mark.key]}", "$data_y{0.000}")]
    fig.add_tools(HoverTool(renderers=[drawn], tooltips=tips, line_policy="nearest", mode="mouse"))
    return drawn


def _letters(fig: Any, mark: Letters, source: ColumnDataSource, _: Mapping[str, str]) -> Any:
    fig.min_border_right = 22
    style = {"text_font": value(SANS), "text_font_size": "13px", "text_font_style": "bold", "text_baseline": "middle"}
    paint = _by_slot(mark.slot)
    return fig.text(mark.x, mark.y, text="text", source=source, x_offset=5, text_color=paint, **style)


def _by_slot(column: str) -> dict[str, Any]:
    palette = [colour(f"run-{slot.lower()}") for slot in SLOTS]
    return {
        "field": column,
        "transform": CategoricalColorMapper(factors=list(SLOTS), palette=palette, nan_color=NOBODY),
    }


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


def _in_key(mark: Mark) -> bool:
    return bool(getattr(mark, "key", "")) and not getattr(mark, "direct", False)


def _key(mark: Any, text: Mapping[str, str]) -> Key:
    # Curves of runs have their runs' colours: the key tells the dashes apart.
    role = "line-strong" if isinstance(mark, Strips) else "ink" if isinstance(mark, Curves) else mark.role
    if isinstance(mark, Points):
        sign = mark.marker
    elif isinstance(mark, Strips) or getattr(mark, "hatch", False):
        sign = "hatch"
    elif isinstance(mark, Bars | Cells):
        sign = "bar"
    elif isinstance(mark, Band | Arrows):
        sign = type(mark).__name__.lower().removesuffix("s")
    else:
        sign = mark.dash
    return Key(sign, role, text[mark.key])
