"""The marks of a still, each drawn from its columns; a row without a place is left out."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pycore.domain import Array
from web.builder.still.paper import BOTTOM, DASH, LEFT, RIGHT, TOP, Columns, Paper, short, within
from web.labs import figure as marks

# A point's outline around (0, 0), to be scaled by half its size; a cross is a line, and a circle is one.
SHAPES = {"square": "M-1-1H1V1H-1Z", "diamond": "M0-1.3L1 0 0 1.3-1 0Z", "triangle": "M0-1.2L1.1.9H-1.1Z"}
CROSS = "M-1 0H1M0-1V1"


def _line(paper: Paper, mark: marks.Line, rows: Columns) -> None:
    paper.path(rows[mark.x], rows[mark.y], f"role-{mark.role}", mark.dash, mark.width)


def _points(paper: Paper, mark: marks.Points, rows: Columns) -> None:
    size = (max(mark.size, 12) if mark.here else mark.size) / 2
    for x, y in _places(paper.x(rows[mark.x]), paper.y(rows[mark.y])):
        if mark.marker == "circle":
            paper.add("circle", f"still-fill role-{mark.role}", cx=x, cy=y, r=size)
        elif mark.marker == "cross":
            d = f"M{short(x - size)} {short(y)}h{short(2 * size)}m{short(-size)} {short(-size)}v{short(2 * size)}"
            paper.add("path", f"still-line role-{mark.role}", d=d, stroke_width=1.5)
        else:
            placed = f"translate({short(x)} {short(y)}) scale({short(size)})"
            paper.add("path", f"still-fill role-{mark.role}", d=SHAPES[mark.marker], transform=placed)


def _bars(paper: Paper, mark: marks.Bars, rows: Columns) -> None:
    kind = f"still-{'hatch' if mark.hatch else 'fill'} role-{mark.role}"
    place, length = (mark.y, mark.x) if mark.across else (mark.x, mark.y)
    along, over = (paper.x, paper.y) if mark.across else (paper.y, paper.x)
    middle = np.asarray(rows[place], float)
    ends = along(rows[length]), along(rows[mark.base] if mark.base else np.zeros(len(middle)))
    sides = over(middle - mark.width / 2), over(middle + mark.width / 2)
    for tip, base, one, other in zip(*(array.tolist() for array in (*ends, *sides)), strict=True):
        if not all(map(math.isfinite, (tip, base, one, other))):
            continue
        box = {"x": min(tip, base), "width": abs(tip - base), "y": min(one, other), "height": abs(one - other)}
        if not mark.across:
            box = {"x": box["y"], "width": box["height"], "y": box["x"], "height": box["width"]}
        paper.add("rect", kind, **box)


def _band(paper: Paper, mark: marks.Band, rows: Columns) -> None:
    x, low, high = paper.x(rows[mark.x]), paper.y(rows[mark.low]), paper.y(rows[mark.high])
    there = [*_places(x, high), *reversed(list(_places(x, low)))]
    if there:
        points = " ".join(f"{short(a)},{short(b)}" for a, b in there)
        paper.add("polygon", f"still-fill role-{mark.role}", points=points, fill_opacity=0.18)


def _whiskers(paper: Paper, mark: marks.Whiskers, rows: Columns) -> None:
    spans = paper.x(rows[mark.x]), paper.y(rows[mark.low]), paper.y(rows[mark.high])
    for x, low, high in zip(*(array.tolist() for array in spans), strict=True):
        if all(map(math.isfinite, (x, low, high))):
            paper.add(
                "path", f"still-line role-{mark.role}", d=f"M{short(x)} {short(low)}V{short(high)}", stroke_width=1
            )


def _strips(paper: Paper, mark: marks.Strips, rows: Columns) -> None:
    for left, right in zip(paper.x(rows[mark.left]).tolist(), paper.x(rows[mark.right]).tolist(), strict=True):
        left, right = (within(one, LEFT, paper.width - RIGHT) for one in (left, right))
        box = {"x": min(left, right), "width": abs(right - left), "y": TOP, "height": paper.height - BOTTOM - TOP}
        paper.add("rect", "still-strip", **box)


def _rules(paper: Paper, mark: marks.Rules, rows: Columns) -> None:
    style = {"stroke_width": 1, **({"stroke_dasharray": DASH[mark.dash]} if DASH[mark.dash] else {})}
    for at in np.atleast_1d((paper.x if mark.x else paper.y)(rows[mark.x or mark.y])).tolist():
        if math.isfinite(at):
            d = (
                f"M{short(at)} {TOP:g}V{paper.height - BOTTOM:g}"
                if mark.x
                else f"M{LEFT:g} {short(at)}H{paper.width - RIGHT:g}"
            )
            paper.add("path", f"still-line role-{mark.role}", d=d, **style)


def _labels(paper: Paper, mark: marks.Labels, rows: Columns) -> None:
    anchors = {"left": "start", "center": "middle", "right": "end"}
    count = len(rows["text"])

    def column(given: float | str, fallback: Any = None) -> Sequence[Any]:
        return list(rows[given]) if isinstance(given, str) and given in rows else [given] * count

    aligns, across, down = column(mark.align), column(mark.dx), column(mark.dy)
    places = zip(paper.x(rows[mark.x]).tolist(), paper.y(rows[mark.y]).tolist(), strict=True)
    for (x, y), said, align, dx, dy in zip(places, rows["text"], aligns, across, down, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            kind = f"still-fill role-{mark.role}{' still-bold' if mark.bold else ''}"
            paper.words(x + float(dx), y + float(dy) + 4.5, str(said), kind, anchors[str(align)])


def _arrows(paper: Paper, mark: marks.Arrows, rows: Columns) -> None:
    starts = _both(paper.x(rows[mark.x0]), paper.y(rows[mark.y0]))
    tips = _both(paper.x(rows[mark.x1]), paper.y(rows[mark.y1]))
    style = {"stroke_width": mark.width, **({"stroke_dasharray": DASH[mark.dash]} if DASH[mark.dash] else {})}
    for (x0, y0), (x1, y1) in zip(starts, tips, strict=True):
        if not all(map(math.isfinite, (x0, y0, x1, y1))):
            continue
        d = f"M{short(x0)} {short(y0)}L{short(x1)} {short(y1)}"
        paper.add("path", f"still-line role-{mark.role}", d=d, **style)
        turned = f"translate({short(x1)} {short(y1)}) rotate({short(math.degrees(math.atan2(y1 - y0, x1 - x0)))})"
        paper.add("path", f"still-fill role-{mark.role}", d="M0 0L-10-5V5Z", transform=turned)


def _cells(paper: Paper, mark: marks.Cells, rows: Columns) -> None:
    columns = (np.asarray(rows[name], float) for name in (mark.x, mark.y, mark.strength))
    for x, y, strength in zip(*(array.tolist() for array in columns), strict=True):
        xs, ys = paper.x([x - mark.width / 2, x + mark.width / 2]), paper.y([y - mark.height / 2, y + mark.height / 2])
        box = {"x": float(xs.min()), "width": float(np.ptp(xs)), "y": float(ys.min()), "height": float(np.ptp(ys))}
        if all(map(math.isfinite, (*box.values(), strength))):
            paper.add("rect", f"still-fill role-{mark.role}", **box, fill_opacity=within(strength, 0, 1))


def _curves(paper: Paper, mark: marks.Curves, rows: Columns) -> None:
    for xs, ys, slot in zip(rows[mark.x], rows[mark.y], rows[mark.slot], strict=True):
        paper.path(xs, ys, f"role-{_slot(slot)}", mark.dash, mark.width)


def _letters(paper: Paper, mark: marks.Letters, rows: Columns) -> None:
    for (x, y), said, slot in zip(
        _both(paper.x(rows[mark.x]), paper.y(rows[mark.y])), rows["text"], rows[mark.slot], strict=True
    ):
        if math.isfinite(x) and math.isfinite(y):
            paper.words(x + 5, y + 4.5, str(said), f"still-fill still-bold role-{_slot(slot)}")


def _slot(name: Any) -> str:
    return f"run-{str(name).lower()}" if str(name) in marks.SLOTS else "ink"


def _both(xs: Array, ys: Array) -> list[tuple[float, float]]:
    return list(zip(np.atleast_1d(xs).tolist(), np.atleast_1d(ys).tolist(), strict=True))


def _places(xs: Array, ys: Array) -> Iterator[tuple[float, float]]:
    return ((x, y) for x, y in _both(xs, ys) if math.isfinite(x) and math.isfinite(y))


DRAWN: dict[type, Callable[[Paper, Any, Columns], None]] = {
    marks.Line: _line,
    marks.Points: _points,
    marks.Bars: _bars,
    marks.Band: _band,
    marks.Whiskers: _whiskers,
    marks.Strips: _strips,
    marks.Rules: _rules,
    marks.Labels: _labels,
    marks.Arrows: _arrows,
    marks.Cells: _cells,
    marks.Curves: _curves,
    marks.Letters: _letters,
}
