"""The family as a map: which names lie near each other in words, and which in what they do to a batch (6.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycore.control import Choice, Number
from pycore.domain import Array
from pycore.family import differences, turn
from pycore.presets import PAPERS
from pycore.protocol import PRESETS as PROTOCOLS
from pycore.protocol_words import LANGUAGES, explain
from pycore.rows import Column, Row, Rows
from web.labs.contract import Predict, State
from web.labs.figure import Axis, Figure, Labels, Line, Points, Rules, signed
from web.labs.frame import Frame, by_sign
from web.labs.variants.batch import Tokens, composed, pulls, ratios, tokens
from web.labs.variants.chart import LIBRARY, NAMES, Chart, beside, chart, milestones, nearest_to, walk
from web.labs.variants.words import changes, data, told

ORDER = 65
RUNAWAY: tuple[Row, ...] = ((1, 1, 1, 1, 3), (1, 1, 1, 1, 0.8), (1, 1, 1, 1, 1.1), (1, 1, 1, 1, 0.9), (1, 2, 0, 4, 1))
FRESH: tuple[Row, ...] = ((1, 1, 1, 4, 1), (1, 2, 0, 4, 1))
LENGTHS: tuple[Row, ...] = ((1, 1, 1, 3, 1), (1, 2, 1, 6, 1), (1, 3, 0, 3, 1), (1, 4, 0, 6, 1))
CONTROLS = (
    Choice("chosen", NAMES, "cispo", role="current"),
    Choice("origin", NAMES, "grpo", role="old"),
    Choice("library", ("none", *LIBRARY), "none"),
    Rows(
        "runs",
        (
            Column("group", 1, 4, integer=True),
            Column("response", 1, 8, integer=True),
            Column("reward", 0, 10),
            Column("tokens", 1, 8, integer=True),
            Column("ratio", 0.05, 4),
        ),
        default=RUNAWAY,
        most=16,
    ),
    Number("gap", 0, low=-1, high=1, step=0.05, role="reference"),
)
GROUPS = {"place": ("chosen", "origin", "library"), "batch": ("runs", "gap")}
PRESETS: dict[str, State] = {
    "dapo": {"chosen": "dapo"},
    "gspo": {"chosen": "gspo"},
    "lengths": {"chosen": "dr_grpo", "runs": LENGTHS},
    "library": {"chosen": "trl-1.16.0/grpo", "library": "trl-1.16.0"},
    "surprise": {"chosen": "trl-1.16.0/cispo", "origin": "cispo", "library": "trl-1.16.0", "runs": FRESH},
}
PREDICT = Predict(("dapo", "cispo", "same"), right="cispo", state={"chosen": "dapo"})
ROOM = 0.6  # between two responses
NARROW = 9.0  # degrees that a line of writing takes
FAINT = 1e-6  # degrees, and share of a length: below this two updates are one

_NAME: dict[str, Any] = {"align": "align", "dx": "dx", "dy": "dy"}
FIGURES = {
    "map": Figure(
        (
            Line("roads", "x", "y", "line-strong", width=1, tip=False),
            Line("way", "x", "y", "current", "dashed", width=2, key="way", tip=False),
            Labels("steps", "x", "y", "line-strong", align="center", dx="dx", dy="dy"),
            Points("papers", "x", "y", "muted", size=9, key="papers", tip=False),
            Points("libraries", "x", "y", "silent", "square", size=8, key="libraries", tip=False),
            Points("origin", "x", "y", "old", "diamond", size=17, key="origin", tip=False),
            Points("chosen", "x", "y", "current", key="chosen", here=True, tip=False),
            Labels("papers", "x", "y", "muted", **_NAME),
            Labels("libraries", "x", "y", "muted", **_NAME),
            Labels("origin", "x", "y", "old", bold=True, **_NAME),
            Labels("chosen", "x", "y", "current", bold=True, **_NAME),
        ),
        x=Axis(shown=False, room=0.42),
        y=Axis(shown=False, room=0.16),
        height=440,
        equal=True,
    ),
    "deeds": Figure(
        (
            Points("turned", "axes", "turn", "muted", size=9, key="turned", told="name"),
            Points("vanished", "axes", "turn", "silent", "square", size=9, key="vanished", told="name"),
            Points("here", "axes", "turn", "current", here=True, key="chosen", told="name"),
            Labels("here", "axes", "turn", "current", bold=True, align="align", dx="dx", dy=-14),
            Labels("told", "axes", "turn", "muted", dx=9),
        ),
        x=Axis(-0.6, 10.9, form="count"),
        y=Axis(-6, 100, ticks={0.0: "0°", 30.0: "30°", 60.0: "60°", 90.0: "90°"}),
        height=280,
    ),
    "tokens": Figure(
        (
            *signed("pulls", "x", "pull", width=0.9),
            Points("before", "x", "pull", "old", "diamond", size=11, key="origin"),
            Labels("ratios", "x", "y", "muted", align="center", dy=-13),
            Rules("parts", "line", x="x"),
        ),
        x=Axis(shown=False),
        y=Axis(room=0.2),
        height=280,
        zero=True,
    ),
}


def compute(controls: Mapping[str, Any]) -> Frame:
    """The map, every name's distance from the origin in axes and in degrees, and both updates token by token."""
    chosen, origin, runs, gap = (controls[name] for name in ("chosen", "origin", "runs", "gap"))
    drawn = chart(controls["library"], chosen, origin)
    updates = {name: pulls(name, runs, gap) for name in drawn.names}
    before, after = updates[origin], updates[chosen]
    made = tokens(runs, gap)
    axes = drawn.axes[drawn.names.index(origin)]
    angle = np.array([turn(updates[name], before) for name in drawn.names])
    length = float(np.linalg.norm(before))
    strength = np.array([np.linalg.norm(updates[name]) / length if length else np.nan for name in drawn.names])
    own, changed = turn(after, before), differences(PROTOCOLS[chosen], PROTOCOLS[origin])
    stretch = float(np.linalg.norm(after)) / length if length else np.nan
    nearest = nearest_to(chosen)
    return Frame(
        sources={
            **_map(drawn, chosen, origin),
            **_deeds(drawn, axes, angle, chosen, len(changed), own),
            **_tokens(made, before, after),
            "table": {
                "name": list(drawn.names),
                "axes": axes,
                "turn": angle,
                "strength": strength,
                "nearest": [nearest_to(name).name for name in drawn.names],
            },
        },
        values={
            "axes": len(changed),
            "turn": own,
            "strength": stretch,
            "nearest": nearest.name,
            "nearest_axes": len(nearest.differences),
            "ratio": float(ratios(made)[0]),
            "pull": float(after[0]),
            "before": float(before[0]),
            "held": int(np.sum(after == 0)),
        },
        table="table",
        case=_case(len(changed), own, stretch),
        texts={
            "changes": {one: changes(changed, origin, one) for one in LANGUAGES},
            "nearest": {one: explain(nearest, one).replace(" + ", "\n", 1).replace("; ", "\n") for one in LANGUAGES},
            "tokens": told(made, before, after, origin, chosen),
            "data": data(changed, origin, chosen),
        },
        onward={"composer": composed(chosen, runs)},
    )


def _case(axes: int, angle: float, stretch: float) -> str:
    if not axes:
        return "same"
    if np.isnan(angle):
        return "silent"
    if angle > FAINT:
        return "turned"
    return "words" if abs(stretch - 1) < 1e-4 else "scaled"


def _map(drawn: Chart, chosen: str, origin: str) -> dict[str, Any]:
    """Who lies where, the roads, and the way from the origin to the chosen one."""
    here, there = drawn.names.index(origin), drawn.names.index(chosen)
    rest = np.setdiff1d(np.arange(len(drawn.names)), [here, there])
    papers = np.array([drawn.names[one] in PAPERS for one in rest])
    way = [here, there] if here != there else []
    kinds = {
        "papers": rest[papers],
        "libraries": rest[~papers],
        "chosen": np.array([there]),
        "origin": np.array(way[:1], int),
    }
    return {
        "roads": walk(drawn),
        "way": {"x": drawn.spot[way, 0], "y": drawn.spot[way, 1]},
        "steps": milestones(drawn),
        **{kind: beside(drawn, which) for kind, which in kinds.items()},
    }


def _deeds(drawn: Chart, axes: Array, angle: Array, chosen: str, own_axes: int, own: float) -> dict[str, Any]:
    """Distance in words against distance in deeds; an update that vanished stands at 90 degrees."""
    gone = np.isnan(angle)
    other = np.array(drawn.names) != chosen
    left = own_axes > 5
    alone = _alone(axes[other], np.where(gone, 90.0, angle)[other])
    return {
        kind: {
            "name": [name for name, mine in zip(drawn.names, which, strict=True) if mine],
            "axes": axes[which],
            "turn": np.where(gone, 90.0, angle)[which],
        }
        for kind, which in (("turned", ~gone & other), ("vanished", gone & other))
    } | {
        "here": {
            "name": [chosen],
            "axes": [own_axes],
            "turn": [90.0 if np.isnan(own) else own],
            "align": ["right" if left else "left"],
            "dx": [-8.0 if left else 8.0],
        },
        "told": {
            "name": np.array(drawn.names)[other][alone].tolist(),
            "axes": axes[other][alone],
            "turn": np.where(gone, 90.0, angle)[other][alone],
        },
    }


def _alone(axes: Array, angle: Array) -> NDArray[np.int64]:
    """Points that stand alone, with room for a name on their right: two axes, and some degrees above and below."""
    right, beside = axes - axes[:, None], np.abs(angle - angle[:, None]) < NARROW
    crowd = np.sum(beside & (right >= 0) & (right <= 2), axis=1)
    return np.flatnonzero(crowd == 1)


def _tokens(made: Tokens, before: Array, after: Array) -> dict[str, Any]:
    """Every token's pull, the chosen protocol's as a bar and the origin's as a point."""
    x = np.arange(before.size) + ROOM * made.response
    borders = np.flatnonzero(np.diff(made.response))
    few = slice(None if before.size <= 12 else 0)  # more would run into each other
    return {
        **by_sign("pulls", {"x": x, "pull": after}, "pull"),
        "before": {"x": x, "pull": before},
        "ratios": {"x": x[few], "y": np.maximum(np.maximum(before, after), 0)[few], "ratio": ratios(made)[few]},
        "parts": {"x": x[borders] + (1 + ROOM) / 2},
    }
