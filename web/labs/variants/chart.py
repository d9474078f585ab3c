"""The map of the family: where each protocol lies, the roads between nearest relatives, and where a name has room."""

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pycore import layout
from pycore.domain import Array
from pycore.family import distances
from pycore.nearest import Nearest
from pycore.presets import LIBRARIES, PAPERS
from pycore.protocol import PRESETS

NAMES = (*PAPERS, *LIBRARIES)
LIBRARY = tuple(dict.fromkeys(name.partition("/")[0] for name in LIBRARIES))
# Pixels, roughly, of a map on a telephone: its width without the names, a name's height, a letter's width.
WIDE, HIGH, LETTER = 290.0, 15.0, 7.0
OUTSIDE = 40.0  # how far a name may reach beyond the outermost points
# Where a name may stand beside its point, in order of liking: align, dx, dy.
SIDES = (
    *(("left", 11, 0), ("right", -11, 0), ("center", 0, -15), ("center", 0, 15)),
    *(("left", 8, -12), ("right", -8, -12), ("left", 8, 12), ("right", -8, 12)),
)


class Chart(NamedTuple):
    """The protocols that are drawn: papers first.

    Attributes:
        names: of the protocols.
        axes: how many axes part each two of them.
        spot: their places, shape (names, 2).
        tree: the roads, from the known to the new.
        sides: for each name an index into `SIDES`.
    """

    names: tuple[str, ...]
    axes: Array
    spot: Array
    tree: tuple[tuple[int, int], ...]
    sides: NDArray[np.int64]


@cache
def _everywhere() -> tuple[Array, Array]:
    """Axes between all names, and the places of all: the papers' by themselves, the libraries' among them."""
    axes = distances([PRESETS[name] for name in NAMES])
    papers = layout.places(axes[: len(PAPERS), : len(PAPERS)])
    return axes, layout.places(axes, papers)


@lru_cache(maxsize=64)
def chart(library: str, *marked: str) -> Chart:
    """The papers' protocols, those of one library, and the marked ones; each always lies where it lies.

    Args:
        library: one of `LIBRARY`, or "none".
        marked: further names.
    """
    names = tuple(name for name in NAMES if name in PAPERS or name in marked or name.partition("/")[0] == library)
    axes, spot = _everywhere()
    where = [NAMES.index(name) for name in names]
    axes, spot = axes[np.ix_(where, where)], spot[where]
    tree = layout.roads(axes)
    return Chart(names, axes, spot, tree, _sides(spot, names, tree))


@cache
def nearest_to(name: str) -> Nearest:
    """The closest name that is not the same computation, and what differs from it."""
    apart = _everywhere()[0][NAMES.index(name)] > 0
    return PRESETS[name].nearest(tuple(other for other, differs in zip(NAMES, apart, strict=True) if differs))


def walk(drawn: Chart) -> dict[str, list[float]]:
    """One line that goes every road there and back: the tree as a single curve."""
    after: dict[int, list[int]] = {}
    for known, new in drawn.tree:
        after.setdefault(known, []).append(new)
    path: list[int] = []

    def visit(here: int) -> None:
        path.append(here)
        for new in after.get(here, ()):
            visit(new)
            path.append(here)

    visit(0)
    return {"x": drawn.spot[path, 0].tolist(), "y": drawn.spot[path, 1].tolist()}


def beside(drawn: Chart, which: NDArray[np.int64]) -> dict[str, Any]:
    """Columns of the chosen protocols and of their names."""
    sides = [SIDES[side] for side in drawn.sides[which]]
    return {
        "x": drawn.spot[which, 0],
        "y": drawn.spot[which, 1],
        "name": [drawn.names[one] for one in which],
        "align": [align for align, _, _ in sides],
        "dx": np.array([dx for _, dx, _ in sides], float),
        "dy": np.array([dy for _, _, dy in sides], float),
    }


def milestones(drawn: Chart) -> dict[str, Any]:
    """Beside the middle of every road the number of axes that part its ends."""
    ends = np.array(drawn.tree)
    along = drawn.spot[ends[:, 1]] - drawn.spot[ends[:, 0]]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    middle = drawn.spot[ends].mean(axis=1)
    return {
        "x": middle[:, 0],
        "y": middle[:, 1],
        "axes": drawn.axes[ends[:, 0], ends[:, 1]],
        "dx": 9 * along[:, 1],
        "dy": 9 * along[:, 0],
    }


def _sides(spot: Array, names: tuple[str, ...], tree: tuple[tuple[int, int], ...]) -> NDArray[np.int64]:
    """For each name the side on which it covers least; the crowded ones choose first."""
    pixels = spot * WIDE / max(float(np.ptp(spot[:, 0])), 1e-9)
    width = LETTER * np.array([min(len(name.rpartition("/")[2]), 13) + 5 * ("/" in name) for name in names])
    shift = {"left": 0.5, "right": -0.5, "center": 0.0}
    middle = np.array([[[dx + shift[align] * wide, -dy] for align, dx, dy in SIDES] for wide in width])
    middle += pixels[:, None]
    ends = pixels[np.array(tree)]
    share = np.linspace(0, 1, 12)[:, None, None]
    stones = (ends[:, 0] + share * (ends[:, 1] - ends[:, 0])).reshape(-1, 2)  # along the roads
    crowd = np.sum(np.linalg.norm(pixels[:, None] - pixels, axis=2) < 60, axis=1)
    edges = pixels[:, 0].min() - OUTSIDE, pixels[:, 0].max() + OUTSIDE
    chosen, taken = np.zeros(len(spot), np.int64), np.zeros(len(spot), bool)
    for one in np.argsort(-crowd, kind="stable"):
        half, place = width[one] / 2, middle[one]
        points = np.abs(place[:, None] - pixels) < (half + 6, HIGH / 2 + 5)
        roads = np.abs(place[:, None] - stones) < (half, HIGH / 2)
        there = np.abs(place[:, None] - middle[np.arange(len(spot)), chosen])
        written = (there[:, :, 0] < half + width / 2 + 2) & (there[:, :, 1] < HIGH) & taken
        out = np.maximum(edges[0] - place[:, 0] + half, 0) + np.maximum(place[:, 0] + half - edges[1], 0)
        cost = 6 * points.all(axis=2).sum(axis=1) + roads.all(axis=2).sum(axis=1) + 8 * written.sum(axis=1) + out / 4
        chosen[one], taken[one] = int(np.argmin(cost)), True
    return chosen
