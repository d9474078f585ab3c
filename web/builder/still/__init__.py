"""A lab's figure as a still: SVG whose colours are the page's own, for paper, for pages without scripts, for lists.

The same description that Bokeh and matplotlib draw. Text stays text; what a mark cannot be drawn from (a value that is
not finite) is left out, as there.
"""

import html
from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from web.builder.still.mark import DRAWN
from web.builder.still.paper import BOTTOM, LEFT, RIGHT, TOP, Columns, Paper, short
from web.labs import engine
from web.labs import figure as marks
from web.labs.figure import FORMS, Figure, expanded, words_of
from web.labs.texts import Writer

Words = Mapping[str, str]


class Still(NamedTuple):
    """One figure at rest: what stands above it, what it shows in words, the drawing."""

    title: str
    alt: str
    svg: Markup


WIDE, NARROW = 640.0, 420.0  # px of paper: as a lab's own figure, and small beside others or on a phone


def stills(name: str, language: str, query: str = "", width: float = WIDE) -> tuple[str, dict[str, Still]]:
    """A lab in a state: its summary, and its figures by name."""
    shown = engine.answer(name, language, query)
    return shown["summary"], stills_of(name, language, shown["sources"], width)


def stills_of(name: str, language: str, sources: Mapping[str, Columns], width: float = 0) -> dict[str, Still]:
    """A lab's figures by name, from the columns of a state that is known already.

    Without a `width` each is drawn for the place that it has in the lab's page: the small ones of a group on narrow
    paper, the others on both, of which the page's style shows the one that fits the screen.
    """
    text, found = engine.words(name, language), {}
    for key, described in engine.lab_of(name).figures.items():
        words, figure = words_of(text, key), expanded(described)
        if width or described.group not in ("", "main"):
            svg = draw(figure, sources, words, language, width or NARROW)
        else:
            svg = draw(figure, sources, words, language, WIDE, "still still-wide")
            svg += draw(figure, sources, words, language, NARROW, "still still-narrow")
        found[key] = Still(words["title"], words["alt"], Markup(svg))
    return found


def draw(
    described: Figure,
    sources: Mapping[str, Columns],
    text: Words,
    language: str,
    width: float = WIDE,
    classes: str = "still",
) -> str:
    """The figure as an SVG element without a name of its own; its title and alternative text stand around it.

    Args:
        described: what to draw, its direct labels expanded.
        sources: the Frame's sources with their labels' texts, as `engine.show` returns them.
        text: the figure's words; `x` and `y` name the axes.
        language: how the ticks write numbers.
        width: of the paper, in CSS pixels.
        classes: of the element, `still` among them.
    """
    paper = Paper(described, sources, width)
    _axes(paper, described, text, Writer(language))
    inside = f'width="{width - LEFT - RIGHT + 2:g}" height="{paper.height - BOTTOM + 1:g}"'
    seen = f"{LEFT - 1:g} 0 {width - LEFT - RIGHT + 2:g} {paper.height - BOTTOM + 1:g}"
    paper.parts.append(f'<svg x="{LEFT - 1:g}" y="0" {inside} viewBox="{seen}">')
    for mark in described.marks:
        if not isinstance(mark, marks.Labels | marks.Letters):
            DRAWN[type(mark)](paper, mark, sources[mark.source])
    paper.parts.append("</svg>")
    for mark in described.marks:
        if isinstance(mark, marks.Labels | marks.Letters):
            DRAWN[type(mark)](paper, mark, sources[mark.source])
    return (
        f'<svg class="{classes}" viewBox="0 0 {width:g} {paper.height:g}" aria-hidden="true" focusable="false">'
        f"{''.join(paper.parts)}</svg>"
    )


def _axes(paper: Paper, described: Figure, text: Words, writer: Writer) -> None:
    floor, ceiling = paper.height - BOTTOM, TOP
    for scale, name in ((paper.y, "y"), (paper.x, "x")):
        if not scale.axis.shown:
            continue
        for at, given in scale.ticks().items():
            place = float(scale(at))
            said = given or writer.format_field(at, FORMS[scale.axis.form][2])
            if name == "y":
                if not scale.axis.ticks:
                    paper.add("path", "still-grid", d=f"M{LEFT:g} {short(place)}H{paper.width - RIGHT:g}")
                paper.words(LEFT - 7, place + 4.5, said, "still-tick", "end")
            else:
                paper.add("path", "still-axis", d=f"M{short(place)} {floor:g}v4")
                paper.words(place, floor + 18, said, "still-tick", "middle")
    if described.x.shown:
        paper.add("path", "still-axis", d=f"M{LEFT:g} {floor:g}H{paper.width - RIGHT:g}")
    if described.zero:
        paper.add("path", "still-axis", d=f"M{LEFT:g} {short(float(paper.y(0)))}H{paper.width - RIGHT:g}")
    if text.get("x"):
        paper.words((LEFT + paper.width - RIGHT) / 2, paper.height - 8, text["x"], "still-tick", "middle")
    if text.get("y"):
        middle = (floor + ceiling) / 2
        said = html.escape(text["y"])
        paper.add("text", "still-tick", said, text_anchor="middle", transform=f"translate(12 {middle:g}) rotate(-90)")
