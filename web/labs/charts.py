"""Still figures for a lab's notebook, with matplotlib: the site's colours, few ticks, a quiet grid, direct labels."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MaxNLocator

from web.labs.texts import Writer

COLOUR: dict[str, str] = tomllib.loads(
    (Path(__file__).parents[1] / "shell" / "palette.toml").read_text(encoding="utf-8")
)["light"]
HATCH = "///"
Sources = Mapping[str, Mapping[str, Any]]


def chart(text: Mapping[str, str], language: str, *, height: float = 3.6, x: str = "g", y: str = "g") -> Axes:
    """An empty figure in the house style; its title stands in the notebook's text.

    Args:
        text: the figure's words: `x` and `y` name the axes.
        language: how the ticks write numbers.
        height: in inches; the width is the text's.
        x: format of the ticks.
        y: format of the ticks.
    """
    axes = plt.figure(figsize=(7.2, height), layout="constrained", facecolor=COLOUR["paper"]).add_subplot()
    axes.set_facecolor(COLOUR["paper"])
    writer = Writer(language)
    for axis, label, spec in ((axes.xaxis, text.get("x", ""), x), (axes.yaxis, text.get("y", ""), y)):
        axis.set_label_text(label, color=COLOUR["muted"])
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _, spec=spec: writer.format_field(value, spec)))
        axis.set_tick_params(colors=COLOUR["muted"], length=4)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(COLOUR["line-strong"])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color=COLOUR["line"], linewidth=0.8)
    axes.set_axisbelow(True)
    return axes


def zero(axes: Axes) -> None:
    """The line at zero, where the sign of what is drawn matters."""
    axes.axhline(0, color=COLOUR["line-strong"], linewidth=1)


def label(axes: Axes, x: float, y: float, text: str, role: str, *, dx: float = 0, dy: float = 0, **font: Any) -> None:
    """Words beside a point, moved by `dx` and `dy` points."""
    rim = withStroke(linewidth=3, foreground=COLOUR["paper"])  # readable on hatching too
    style = {"va": "center", "color": COLOUR[role], "path_effects": [rim]} | font
    axes.annotate(text, (x, y), (dx, dy), textcoords="offset points", **style)


def key(axes: Axes) -> None:
    """The key below the plot, where it hides nothing; entries in the order of drawing."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.legend(loc="outside lower center", ncols=4, frameon=False, labelcolor=COLOUR["ink"], fontsize="small")
