"""Figures of the lab `signal`: the curve over p with the simulated groups, and the prompts to look at by group size."""

from collections.abc import Mapping
from typing import Any

from bokeh.models import Whisker

from web.labs.drawing import Drawing, Key, Sources, colour, hover, labels, plot, ticks
from web.labs.signal.lab import SIZES


def figures(sources: Sources, text: Mapping[str, Any]) -> dict[str, Drawing]:
    """The lab's figures by name."""
    return {
        "curve": _curve(sources, text["figures"]["curve"]),
        "sizes": _sizes(sources, text["figures"]["sizes"]),
    }


def _curve(sources: Sources, text: Mapping[str, str]) -> Drawing:
    tips = {"p": "@p{0.00}", text["y"]: "@informative{0.0%}"}
    fig = plot(text, x=(0, 1), y=(0, 1.08), height=330, y_format="0%")
    x, y = "p", "informative"
    fig.line(x, y, source=sources["alike"], color=colour("silent"), line_dash="dashed", line_width=1.5)
    fig.line(x, y, source=sources["curve"], color=colour("signal"), line_width=2.5, name="hover")
    simulated = sources["simulated"]
    whisker = Whisker(source=simulated, base=x, lower="low", upper="high", line_color=colour("ink"), level="glyph")
    whisker.lower_head.size = whisker.upper_head.size = 0
    fig.add_layout(whisker)
    fig.scatter(x, y, source=simulated, size=5, color=colour("ink"), name="hover")
    here = sources["here"]
    fig.vspan(x=x, source=here, line_color=colour("signal"), line_dash="dotted")
    fig.scatter(x, y, source=here, size=12, line_color=colour("paper"), line_width=2, fill_color=colour("signal"))
    labels(fig, here, "signal", x=x, y=y, weight="bold", x_offset="dx", y_offset="dy", align="align")
    hover(fig, tips)
    return Drawing(
        fig,
        (
            Key("line", "signal", text["line"]),
            Key("dot", "ink", text["points"]),
            Key("dashed", "silent", text["alike"]),
        ),
    )


def _sizes(sources: Sources, text: Mapping[str, str]) -> Drawing:
    fig = plot(text, height=230, x_format="0,0", y=(len(SIZES) - 0.5, -0.5))
    fig.x_range.start = 0
    fig.x_range.range_padding = 0.35
    fig.x_range.min_interval = 10
    fig.hbar(y="row", right="length", height=0.6, source=sources["sizes"], color=colour("signal"))
    labels(fig, sources["sizes"], "ink", x="length", y="row", x_offset=6)
    ticks(fig.yaxis, dict(enumerate(map(str, SIZES.tolist()))))
    fig.ygrid.visible = False
    return Drawing(fig)
