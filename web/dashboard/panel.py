"""What the dashboard draws: one panel after another, each with its axis of curriculum 4.5 and its lines."""

from typing import NamedTuple

from web.labs.figure import SLOTS, Axis, Curves, Figure, Letters

MOST = len(SLOTS)


class Line(NamedTuple):
    """One kind of line; every run has one.

    Attributes:
        name: of the metric or series.
        source: "update", or the split of an evaluation; for a series "train:first" and the like.
        dash: how it is told from the panel's other lines.
        complement: draws one minus the value.
    """

    name: str
    source: str
    dash: str = "solid"
    complement: bool = False

    @property
    def key(self) -> str:
        """A name for its words and its source."""
        return f"{self.name}_{self.source.replace(':', '_')}"


class Panel(NamedTuple):
    """One small figure.

    Attributes:
        name: for its words and sources.
        axis: "main", or one of `pycore.train.AXES`.
        lines: what is drawn.
        low: lower end of the axis; None to follow the data.
        high: upper end.
        series: whether x is a position or a level and not the update.
    """

    name: str
    axis: str
    lines: tuple[Line, ...]
    low: float | None = None
    high: float | None = None
    series: bool = False


def _both(metric: str) -> tuple[Line, ...]:
    return Line(metric, "held_out"), Line(metric, "train", "dashed")


PANELS: tuple[Panel, ...] = (
    Panel("accuracy", "main", _both("accuracy"), 0, 1),
    Panel("reward", "data", (Line("reward", "update"),)),
    Panel("parts", "data", (Line("accuracy", "update"), Line("form", "update", "dashed")), 0, 1),
    Panel("empty", "data", (Line("informative", "update", complement=True),), 0, 1),
    Panel(
        "difficulty",
        "data",
        (
            Line("accuracy_by_difficulty", "held_out:last"),
            Line("accuracy_by_difficulty", "held_out:first", "dotted"),
        ),
        0,
        1,
        series=True,
    ),
    Panel("entropy", "policy", (Line("entropy", "update"),), 0),
    Panel(
        "position",
        "policy",
        (Line("entropy_by_position", "held_out:last"), Line("entropy_by_position", "held_out:first", "dotted")),
        0,
        series=True,
    ),
    Panel("kl", "policy", _both("kl"), 0),
    Panel("clipped", "policy", (Line("clipped_positive", "update"), Line("clipped_negative", "update", "dashed")), 0),
    Panel(
        "ratio",
        "policy",
        (Line("ratio_high", "update"), Line("ratio_low", "update", "dashed")),
        0,
    ),
    Panel("age", "policy", (Line("repeats", "update"), Line("rollout_age", "update", "dashed")), 0),
    Panel(
        "pass_k",
        "answers",
        (Line("pass_16", "held_out", "dotted"), Line("pass_4", "held_out"), Line("pass_1", "held_out", "dashed")),
        0,
        1,
    ),
    Panel(
        "length",
        "answers",
        (Line("length", "update"), Line("length_median", "update", "dashed"), Line("length_tail", "update", "dotted")),
        0,
    ),
    Panel(
        "ends",
        "answers",
        (Line("ended", "update"), Line("truncated", "update", "dashed"), Line("unparsed", "update", "dotted")),
        0,
        1,
    ),
    Panel("diversity", "answers", (Line("distinct", "held_out"), Line("coverage", "held_out", "dashed")), 0, 1),
    Panel("cost", "system", (Line("tokens_per_effective_prompt", "update"),), 0),
    Panel("sampled", "system", (Line("sampled", "update"), Line("rejected", "update", "dashed")), 0),
)


def _figure(panel: Panel) -> Figure:
    main = panel.axis == "main"
    # Room for what touches the upper end.
    high = panel.high + 0.04 if panel.high is not None else None
    ticks = {0.0: "0", 1.0: "1", 2.0: "2"} if panel.name == "difficulty" else {}
    return Figure(
        (
            *(Curves(source(panel, line), dash=line.dash, key=line.key) for line in panel.lines),
            Letters(f"{panel.name}.end"),
        ),
        x=Axis(ticks=ticks),
        y=Axis(panel.low, high),
        height=330 if main else 190,
        group=panel.axis,
    )


def source(panel: Panel, line: Line) -> str:
    """Name of the source that holds one kind of line of all runs."""
    return f"{panel.name}.{line.key}"


FIGURES = {panel.name: _figure(panel) for panel in PANELS}
