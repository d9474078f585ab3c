"""The paper of a still: scales from values to places, and shapes whose colours are the page's own."""

import html
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pycore.domain import Array
from web.labs import figure as marks
from web.labs.figure import Axis, Figure

LEFT, RIGHT, TOP, BOTTOM = 52.0, 14.0, 10.0, 46.0
DASH = {"solid": "", "dashed": "6 4", "dotted": "2 4", "dotdash": "8 4 2 4"}
Columns = Mapping[str, Any]


class Scale:
    """From a value on an axis to a place on the paper."""

    def __init__(self, axis: Axis, values: Array, start: float, end: float) -> None:
        finite = values[np.isfinite(values) & ((values > 0) | (not axis.log))]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        room = axis.room / 2 * ((math.log(high / low) if axis.log else high - low) or 1.0)
        low, high = (low / math.exp(room), high * math.exp(room)) if axis.log else (low - room, high + room)
        self.axis, self.start, self.end = axis, start, end
        self.low = axis.low if axis.low is not None else low
        self.high = axis.high if axis.high is not None else high
        if self.low == self.high:
            self.high = self.low + 1.0

    def __call__(self, value: Any) -> Array:
        """Places of values; a value outside the axis lies outside the paper, one that has no place is not finite."""
        given = np.asarray(value, float)
        low, high = self.low, self.high
        if self.axis.log:
            with np.errstate(invalid="ignore", divide="ignore"):
                given, low, high = np.log(given), math.log(low), math.log(high)
        return np.asarray(self.start + (self.end - self.start) * (given - low) / (high - low))

    def ticks(self) -> dict[float, str]:
        """Where the axis says a number; names only for fixed ticks."""
        low, high = min(self.low, self.high), max(self.low, self.high)
        if self.axis.ticks:
            return {at: name for at, name in self.axis.ticks.items() if low <= at <= high}
        if self.axis.log:
            powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
            return {10.0**power: "" for power in powers}
        raw = (high - low) / 4
        power = 10 ** math.floor(math.log10(raw))
        step = power * next(size for size in (1, 2, 2.5, 5, 10) if size * power >= raw * 0.999)
        first = math.ceil(low / step - 1e-9)
        return {step * n: "" for n in range(first, math.floor(high / step + 1e-9) + 1)}


class Paper:
    """A figure being drawn."""

    def __init__(self, described: Figure, sources: Mapping[str, Columns], width: float) -> None:
        self.sources, self.width, self.height = sources, width, float(described.height)
        ends = {"x": (LEFT, width - RIGHT), "y": (self.height - BOTTOM, TOP)}
        spans = {name: np.concatenate([np.zeros(0), *_values(described, sources, name)]) for name in ends}
        self.x = Scale(described.x, spans["x"], *ends["x"])
        self.y = Scale(described.y, spans["y"], *ends["y"])
        if described.equal:
            self._equal()
        self.parts: list[str] = []

    def _equal(self) -> None:
        x, y = self.x, self.y
        unit = max((x.high - x.low) / (x.end - x.start), (y.high - y.low) / (y.start - y.end))
        for scale in (x, y):
            middle, half = (scale.low + scale.high) / 2, unit * abs(scale.end - scale.start) / 2
            scale.low, scale.high = middle - half, middle + half

    def add(self, tag: str, kind: str, content: str = "", /, **numbers: Any) -> None:
        """One shape; an attribute's underscore stands for a hyphen."""
        given = "".join(f' {name.replace("_", "-")}="{short(value)}"' for name, value in numbers.items())
        self.parts.append(
            f'<{tag} class="{kind}"{given}>{content}</{tag}>' if content else f'<{tag} class="{kind}"{given}/>'
        )

    def words(self, x: float, y: float, text: str, kind: str, anchor: str = "start") -> None:
        """A line of text."""
        self.add("text", kind, html.escape(text), x=x, y=y, text_anchor=anchor)

    def path(self, xs: Any, ys: Any, kind: str, dash: str = "solid", width: float = 2.0) -> None:
        """A curve through all points that have a place, broken where one has none."""
        across, up = self.x(xs), self.y(ys)
        pieces, pen = [], "M"
        for a, b in zip(across.tolist(), up.tolist(), strict=True):
            if not (math.isfinite(a) and math.isfinite(b)):
                pen = "M"
                continue
            pieces.append(f"{pen}{short(a)} {short(within(b, -1e4, 1e4))}")
            pen = "L"
        style = {"stroke_width": width, **({"stroke_dasharray": DASH[dash]} if DASH[dash] else {})}
        if pieces:
            self.add("path", f"still-line {kind}", d="".join(pieces), **style)


def _values(described: Figure, sources: Mapping[str, Columns], name: str) -> Iterator[Array]:
    """Everything that an axis must hold."""
    fields = {"x": ("x", "x0", "x1", "left", "right"), "y": ("y", "y0", "y1", "low", "high")}[name]
    for mark in described.marks:
        rows = sources[mark.source]
        if isinstance(mark, marks.Strips | marks.Rules):
            continue
        for field in fields:
            column = getattr(mark, field, "")
            if isinstance(column, str) and column in rows:
                values = rows[column]
                yield from (
                    (np.asarray(one, float) for one in values)
                    if isinstance(mark, marks.Curves)
                    else (np.asarray(values, float),)
                )
        if isinstance(mark, marks.Bars) and not mark.base and mark.across is (name == "x"):
            yield np.zeros(1)


def within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def short(value: Any) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else html.escape(str(value), quote=True)
