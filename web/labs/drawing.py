"""One family of figures: fonts, few ticks, quiet grid, direct labels, colours by meaning. Build time only."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, NumeralTickFormatter, Range1d
from bokeh.plotting import figure

PALETTE: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parents[1] / "shell" / "palette.toml").read_text(encoding="utf-8")
)
SANS = "Golos Text, system-ui, sans-serif"
Sources = Mapping[str, ColumnDataSource]


class Key(NamedTuple):
    """One entry of a figure's key, which the page draws: `mark` is line, dashed, dotted, dot, square, bar or hatch."""

    mark: str
    role: str
    text: str


class Drawing(NamedTuple):
    """A figure and its key."""

    figure: Any
    key: tuple[Key, ...] = ()


def colour(role: str) -> str:
    """The light theme's colour of a role; the page swaps it for the dark one, so no two roles share a value."""
    return PALETTE["light"][role]


def plot(
    text: Mapping[str, str],
    *,
    x: tuple[float, float] | None = None,
    y: tuple[float, float] | None = None,
    height: int = 300,
    x_format: str = "0.[00]",
    y_format: str = "0.[00]",
) -> Any:
    """An empty figure in the house style; its title is the page's business.

    Args:
        text: the figure's words: `x` and `y` name the axes.
        x: fixed range, or None to follow the data.
        y: fixed range, or None to follow the data.
        height: in CSS pixels; the width is the column's.
        x_format: numeral.js pattern of the ticks.
        y_format: numeral.js pattern of the ticks.
    """
    fig = figure(height=height, sizing_mode="stretch_width", min_width=180, toolbar_location=None, tools="")
    if x is not None:
        fig.x_range = Range1d(*x)
    if y is not None:
        fig.y_range = Range1d(*y)
    fig.background_fill_color = fig.border_fill_color = None
    fig.outline_line_color = None
    fig.min_border_right = 16
    fig.min_border_top = 8
    fig.xgrid.visible = False
    fig.ygrid.grid_line_color = colour("line")
    for axis, label, pattern in ((fig.xaxis, text.get("x"), x_format), (fig.yaxis, text.get("y"), y_format)):
        axis.axis_label = label
        axis.axis_label_text_font = axis.major_label_text_font = SANS
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "13px"
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_color = axis.major_label_text_color = colour("muted")
        axis.axis_line_color = axis.major_tick_line_color = colour("line-strong")
        axis.minor_tick_line_color = None
        axis.major_tick_in = 0
        axis.major_tick_out = 4
        axis.ticker.desired_num_ticks = 5
        axis.formatter = NumeralTickFormatter(format=pattern)
    fig.yaxis.axis_line_color = None
    fig.yaxis.major_tick_line_color = None
    return fig


def hover(fig: Any, tips: Mapping[str, str]) -> None:
    """Exact values under the pointer, at the glyphs named `hover`: label to column pattern."""
    fig.add_tools(HoverTool(tooltips=list(tips.items()), renderers=list(fig.select(name="hover")), mode="mouse"))


def zero(fig: Any) -> None:
    """The line at zero, where the sign of what is drawn matters."""
    fig.hspan(y=0, line_color=colour("line-strong"), line_width=1)


def labels(
    fig: Any, source: ColumnDataSource, role: str, *, x: str, y: str, weight: str = "normal", **text: Any
) -> None:
    """Words beside the rows of a source, from its column `text`; `text` takes Bokeh's text properties without prefix.

    A string given for `x_offset`, `y_offset` or `align` names a column.
    """
    fig.text(
        x=x,
        y=y,
        text="text",
        source=source,
        x_offset=text.get("x_offset", 0),
        y_offset=text.get("y_offset", 0),
        text_align=text.get("align", "left"),
        text_color=colour(role),
        text_font=value(SANS),
        text_font_size="13px",
        text_font_style=weight,
        text_baseline="middle",
    )


def ticks(axis: Any, names: Mapping[float, str]) -> None:
    """Fixed ticks with their own names."""
    axis.ticker = FixedTicker(ticks=list(names))
    axis.major_label_overrides = dict(names)
