"""Figures of the lab `clip`: the surrogate and its gradient against the ratio, one figure for each sign of A."""

from collections.abc import Mapping
from typing import Any

from web.labs.clip.lab import LARGEST
from web.labs.drawing import Drawing, Key, Sources, colour, hover, labels, plot, zero


def figures(sources: Sources, text: Mapping[str, Any]) -> dict[str, Drawing]:
    """The lab's figures by name."""
    return {
        name: _side(name, sources, {**text["figures"]["both"], **text["figures"][name]})
        for name in ("positive", "negative")
    }


def _side(name: str, sources: Sources, text: Mapping[str, str]) -> Drawing:
    tips = {"ρ": "@ratio{0.00}", text["value"]: "@value{0.000}", text["gradient"]: "@gradient{0.000}"}
    fig = plot(text, x=(0, LARGEST), height=330)
    hatch = {"hatch_pattern": "right_diagonal_line", "hatch_color": colour("line-strong"), "hatch_weight": 0.5}
    dead = sources[f"{name}_dead"]
    fig.vstrip(x0="left", x1="right", source=dead, fill_color=colour("wash"), line_color=None, hatch_scale=16, **hatch)
    zero(fig)
    curve, here = sources[name], sources[f"{name}_here"]
    fig.line("ratio", "free", source=curve, color=colour("silent"), line_width=1.5, line_dash="dotted")
    fig.line("ratio", "gradient", source=curve, color=colour("current"), line_width=2, line_dash="dashed")
    fig.line("ratio", "value", source=curve, color=colour(name), line_width=2.5, name="hover")
    fig.vspan(x="ratio", source=here, line_color=colour("current"), line_dash="dotted")
    fig.scatter("ratio", "gradient", source=here, size=10, marker="diamond", color=colour("current"))
    mark = {"line_color": colour("paper"), "line_width": 2, "fill_color": colour(name)}
    fig.scatter("ratio", "value", source=here, size=12, **mark)
    labels(fig, here, name, x="ratio", y="value", weight="bold", x_offset="dx", y_offset="dy", align="align")
    hover(fig, tips)
    return Drawing(
        fig,
        (
            Key("line", name, text["value"]),
            Key("dashed", "current", text["gradient"]),
            Key("dotted", "silent", text["free"]),
            Key("hatch", "line-strong", text["dead"]),
        ),
    )
