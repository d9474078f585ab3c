"""Figures of the lab `advantage`: every response's bar, and what a success earns by how rare it is."""

from collections.abc import Mapping
from typing import Any

from web.labs.drawing import Drawing, Key, Sources, colour, hover, labels, plot, zero


def figures(sources: Sources, text: Mapping[str, Any]) -> dict[str, Drawing]:
    """The lab's figures by name."""
    return {
        "bars": _bars(sources, text["figures"]["bars"]),
        "shares": _shares(sources, text["figures"]["shares"]),
    }


def _bars(sources: Sources, text: Mapping[str, str]) -> Drawing:
    fig = plot(text, height=330)
    fig.y_range.range_padding = 0.15
    zero(fig)
    hatched = {"hatch_pattern": "right_diagonal_line", "hatch_color": colour("paper"), "hatch_scale": 12}
    for name, role, hatch in (("raised", "positive", {}), ("lowered", "negative", hatched)):
        fig.vbar("x", top="y", width=0.8, source=sources[name], color=colour(role), name="hover", **hatch)
    fig.scatter("x", "y", source=sources["silent"], size=9, marker="square", color=colour("silent"))
    labels(fig, sources["rewards"], "muted", x="x", y="y", y_offset="dy", align="center")
    labels(fig, sources["groups"], "ink", x="x", y="y", align="center", weight="bold")
    fig.xaxis.major_label_text_color = None
    fig.xaxis.major_tick_line_color = None
    hover(fig, {text["y"]: "@y{0.000}"})
    return Drawing(
        fig,
        (
            Key("bar", "positive", text["raised"]),
            Key("hatch", "negative", text["lowered"]),
            Key("square", "silent", text["silent"]),
        ),
    )


def _shares(sources: Sources, text: Mapping[str, str]) -> Drawing:
    tips = {text["x"]: "@share{0%}", text["y"]: "@advantage{0.00}"}
    fig = plot(text, x=(0, 1), height=260, x_format="0%")
    fig.y_range.range_padding = 0.15
    zero(fig)
    for name, role, marker, dash in (
        ("success", "positive", "circle", "solid"),
        ("failure", "negative", "square", "dashed"),
    ):
        fig.line("share", "advantage", source=sources[name], color=colour(role), line_width=1.5, line_dash=dash)
        fig.scatter("share", "advantage", source=sources[name], size=7, marker=marker, color=colour(role), name="hover")
    hover(fig, tips)
    return Drawing(fig, (Key("dot", "positive", text["success"]), Key("square", "negative", text["failure"])))
