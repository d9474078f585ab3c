"""Diagrams drawn from data as SVG: text stays text, colours come from the page by meaning, shape repeats colour.

    :::diagram groups                        :::diagram bars
    title, alt                               title, alt, format = ".0%", most = 1
    [[row]]                                  [[bar]]
    label = "p = 0.9"; marks = "11111111"    label = "G = 8"; value = "= empty_8"; role = "silent"

`flow` (`[[box]]` text, note; `loop = true`), `graph` (`nodes`, `[[edge]]` from, to, label), `lines` (`x`, `x_label`,
`y_label`, `[[line]]` label, y, role, dashed). A value that begins with `=` is an expression on pycore.
"""

import html
import math
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from web.builder.course import number
from web.builder.course.entry import only
from web.builder.course.text import COMPUTED, Text
from web.labs.drawing import PALETTE
from web.labs.texts import Writer

WIDTH = 400
LINE = 20  # px between lines of text
FIELDS: dict[str, tuple[str, ...]] = {
    "groups": ("row",),
    "bars": ("bar", "format", "most"),
    "flow": ("box", "loop"),
    "graph": ("nodes", "edge"),
    "lines": ("x", "x_label", "y_label", "x_format", "y_format", "line"),
}


def draw(text: Text, kind: str, content: str) -> str:
    """A figure with its caption.

    Raises:
        CourseError: an unknown kind or field, no alternative text, a value that cannot be computed.
    """
    if kind not in FIELDS:
        raise text.fault(f"unknown diagram `{kind}`; there are {', '.join(FIELDS)}")
    try:
        data = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise text.fault(f"diagram {kind}: {error}") from error
    only(f"{text.place}: diagram {kind}", data, ("title", "alt", *FIELDS[kind]))
    for field in ("title", "alt", FIELDS[kind][-1] if kind == "lines" else FIELDS[kind][0]):
        if not data.get(field):
            raise text.fault(f"diagram {kind} lacks `{field}`")
    body, height = DRAWN[kind](Pen(text), data)
    alt, title = (html.escape(number_in(text, data[field]), quote=True) for field in ("alt", "title"))
    return (
        f'<figure class="diagram"><svg role="img" aria-label="{alt}" viewBox="0 0 {WIDTH} {height:g}">{body}</svg>'
        f"<figcaption>{title}</figcaption></figure>"
    )


class Pen:
    """Shapes as SVG text, and values as numbers."""

    def __init__(self, text: Text) -> None:
        self.text, self.writer = text, Writer(text.language)

    def value(self, given: Any) -> Any:
        """A number, or what an expression that begins with `=` gives."""
        if isinstance(given, str) and given.startswith("="):
            return number.evaluate(given[1:], self.text.numbers(), self.text.place)
        return given

    def role(self, name: str) -> str:
        """The class that gives a shape its colour."""
        if name not in PALETTE["light"]:
            raise self.text.fault(f"unknown role `{name}`; there are {', '.join(PALETTE['light'])}")
        return f"role-{name}"

    def write(self, value: Any, form: str) -> str:
        """A number in the language's spelling."""
        return self.writer.format(f"{{0:{form}}}", value)

    def words(self, x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> str:
        """One line of text; a number that stands in it may be computed."""
        shown, style = html.escape(number_in(self.text, words)), f' class="{kind}"' if kind else ""
        return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{style}>{shown}</text>'


def number_in(text: Text, words: str) -> str:
    """Plain text with its `{= =}` computed."""
    return COMPUTED.sub(lambda found: number.write(found[1], text.numbers(), text.language, text.place), words)


Drawn = tuple[str, float]


def _groups(pen: Pen, data: Mapping[str, Any]) -> Drawn:
    made, y = [], 16.0
    for row in data["row"]:
        marks, empty = row["marks"], len(set(row["marks"])) == 1
        if set(marks) - {"0", "1"} or not marks:
            raise pen.text.fault(f"diagram groups: marks are 0 and 1, not `{marks}`")
        role = pen.role("silent" if empty else "signal")
        label, note = (number_in(pen.text, row.get(field, "")) for field in ("label", "note"))
        for at, line in enumerate(textwrap.wrap(f"{label} — {note}" if note else label, 48)):
            y += LINE if at else 0
            made.append(pen.words(0, y, line))
        y += 20
        gap = min(26.0, WIDTH / len(marks))
        for place, mark in enumerate(marks):
            shape = "disc" if mark == "1" else "ring"
            x, size = 9 + gap * place, min(8, gap * 0.36)
            made.append(f'<circle class="{shape} {role}" cx="{x:g}" cy="{y:g}" r="{size:g}"/>')
        y += 36
    return "".join(made), y - 24


def _bars(pen: Pen, data: Mapping[str, Any]) -> Drawn:
    values = [float(pen.value(bar["value"])) for bar in data["bar"]]
    most = float(pen.value(data.get("most", max(map(abs, values)))))
    low = min(0.0, *values)
    scale = (WIDTH - 90) / (most - low)
    made, y = [], 4.0
    zero = -low * scale
    for bar, value in zip(data["bar"], values, strict=True):
        made.append(pen.words(0, y + 13, bar["label"]))
        left, width = zero + min(0.0, value) * scale, abs(value) * scale
        kind = ("hatched " if bar.get("hatched") else "") + pen.role(bar.get("role", "ink"))
        box = f'x="{left:g}" y="{y + 19:g}" width="{max(width, 1):g}" height="14"'
        made.append(f'<rect class="{kind}" {box}/>')
        if low < 0:  # beside the bar only: a longer line would run through the labels
            made.append(f'<line class="axis" x1="{zero:g}" x2="{zero:g}" y1="{y + 17:g}" y2="{y + 35:g}"/>')
        shown = pen.write(value, data.get("format", ".3g"))
        made.append(pen.words(max(left + width, zero) + 7, y + 31, shown, kind="figure"))
        y += 44
    return "".join(made), y


def _flow(pen: Pen, data: Mapping[str, Any]) -> Drawn:
    made, y, right = [], 1.0, WIDTH - 40
    middles = []
    for place, box in enumerate(data["box"]):
        lines = textwrap.wrap(number_in(pen.text, box["text"]), 40)
        notes = textwrap.wrap(number_in(pen.text, box.get("note", "")), 44)
        height = 16 + LINE * len(lines) + 17 * len(notes)
        role = pen.role(box.get("role", "line-strong"))
        made.append(f'<rect class="box {role}" x="1" y="{y:g}" width="{right:g}" height="{height:g}"/>')
        for at, line in enumerate(lines):
            made.append(pen.words(14, y + 22 + LINE * at, line))
        for at, line in enumerate(notes):
            made.append(pen.words(14, y + 21 + LINE * len(lines) + 17 * at, line, kind="muted"))
        middles.append(y + height / 2)
        y += height
        if place < len(data["box"]) - 1:
            made.append(_arrow(f"M 32 {y:g} V {y + 20:g}", (32, y + 20), 90))
            y += 22
    if data.get("loop"):
        first, last, far = middles[0], middles[-1], WIDTH - 12
        made.append(_arrow(f"M {right + 1:g} {last:g} H {far:g} V {first:g} H {right + 4:g}", (right + 2, first), 180))
    return "".join(made), y + 2


def _graph(pen: Pen, data: Mapping[str, Any]) -> Drawn:
    nodes: Sequence[str] = data["nodes"]
    size, radius, centre = 300.0, 105.0, WIDTH / 2
    spots = {
        node: (
            centre + radius * 1.25 * math.sin(2 * math.pi * at / len(nodes)),
            size / 2 - radius * math.cos(2 * math.pi * at / len(nodes)),
        )
        for at, node in enumerate(nodes)
    }
    made = []
    for edge in data.get("edge", ()):
        (x1, y1), (x2, y2) = spots[edge["from"]], spots[edge["to"]]
        length = math.hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        start, end = (x1 + 26 * ux, y1 + 26 * uy), (x2 - 30 * ux, y2 - 30 * uy)
        path = f"M {start[0]:g} {start[1]:g} L {end[0]:g} {end[1]:g}"
        made.append(_arrow(path, end, math.degrees(math.atan2(uy, ux))))
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        outward = math.hypot(x - centre, y - size / 2) or 1
        x, y = x + 24 * (x - centre) / outward, y + 18 * (y - size / 2) / outward + 5
        made.append(pen.words(x, y, edge.get("label", ""), anchor="middle", kind="figure"))
    for node, (x, y) in spots.items():
        made.append(f'<circle class="box role-ink" cx="{x:g}" cy="{y:g}" r="24"/>')
        made.append(pen.words(x, y + 5, node, anchor="middle"))
    return "".join(made), max(y for _, y in spots.values()) + 36


def _lines(pen: Pen, data: Mapping[str, Any]) -> Drawn:
    x = np.asarray(pen.value(data["x"]), dtype=float)
    ys = [np.asarray(pen.value(line["y"]), dtype=float) for line in data["line"]]
    low, high = min(0.0, *(float(y.min()) for y in ys)), max(float(y.max()) for y in ys)
    left, right, top, bottom = 46.0, WIDTH - 12.0, 26.0, 216.0

    def across(value: float) -> float:
        return left + (right - left) * float((value - x[0]) / (x[-1] - x[0]))

    def up(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / (high - low)

    made = [pen.words(0, 12, data.get("y_label", ""), kind="muted")]
    for tick in np.linspace(low, high, 3):
        made.append(f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{up(tick):g}" y2="{up(tick):g}"/>')
        shown = pen.write(tick, data.get("y_format", ".3g"))
        made.append(pen.words(left - 6, up(tick) + 5, shown, anchor="end", kind="muted"))
    for tick in np.linspace(x[0], x[-1], 3):
        shown = pen.write(tick, data.get("x_format", ".3g"))
        place = min(across(tick), WIDTH - 4.2 * len(shown))  # a long number stays on the paper
        made.append(pen.words(place, bottom + 24, shown, anchor="middle", kind="muted"))
    made.append(pen.words(right, bottom + 44, data.get("x_label", ""), anchor="end", kind="muted"))
    height = bottom + 64
    for line, y in zip(data["line"], ys, strict=True):
        role = pen.role(line.get("role", "ink"))
        dashed = " dashed" if line.get("dashed") else ""
        points = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in zip(x, y, strict=True))
        made.append(f'<polyline class="curve{dashed} {role}" points="{points}"/>')
        made.append(f'<line class="curve{dashed} {role}" x1="0" x2="28" y1="{height:g}" y2="{height:g}"/>')
        made.append(pen.words(36, height + 5, line["label"]))
        height += 22
    return "".join(made), height - 8


def _arrow(path: str, tip: tuple[float, float], angle: float) -> str:
    placed = f'transform="translate({tip[0]:g} {tip[1]:g}) rotate({angle:g})"'
    head = f'<path class="head" {placed} d="M 0 0 L -8 -4.5 L -8 4.5 Z"/>'
    return f'<path class="arrow" d="{path}"/>{head}'


DRAWN: dict[str, Callable[[Pen, Mapping[str, Any]], Drawn]] = {
    "groups": _groups,
    "bars": _bars,
    "flow": _flow,
    "graph": _graph,
    "lines": _lines,
}
