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
WIDE, HIGH, LETTER = 430.0, 15.0, 6.8  # pixels, roughly: the map's width, a name's height, a letter's width
# Where a name may stand beside its point, in order of liking: align, dx, dy.
SIDES = (("left", 11, 0), ("right", -11, 0), ("center", 0, -15), ("center", 0, 15), ("left", 8, -13), ("right", -8, 13))


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
    return Chart(names, axes, spot, layout.roads(axes), _sides(spot, names))


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


def _sides(spot: Array, names: tuple[str, ...]) -> NDArray[np.int64]:
    """For each name the side on which it covers the fewest points and names; the crowded ones choose first."""
    pixels = spot * WIDE / max(float(np.ptp(spot[:, 0])), 1e-9)
    width = LETTER * np.array([len(name.rpartition("/")[2]) + 4 * ("/" in name) for name in names])
    shift = {"left": 0.5, "right": -0.5, "center": 0.0}
    middle = np.array([[[dx + shift[align] * wide, -dy] for align, dx, dy in SIDES] for wide in width])
    middle += pixels[:, None]
    crowd = np.sum(np.linalg.norm(pixels[:, None] - pixels, axis=2) < 60, axis=1)
    chosen, taken = np.zeros(len(spot), np.int64), np.zeros(len(spot), bool)
    for one in np.argsort(-crowd, kind="stable"):
        gap = np.abs(middle[one][:, None] - pixels)
        others = (gap[:, :, 0] < width[one] / 2 + 6) & (gap[:, :, 1] < HIGH / 2 + 5)
        others[:, one] = False
        there = np.abs(middle[one][:, None] - middle[np.arange(len(spot)), chosen])
        written = (there[:, :, 0] < (width[one] + width) / 2 + 2) & (there[:, :, 1] < HIGH) & taken
        chosen[one] = int(np.argmin(2 * others.sum(axis=1) + 3 * written.sum(axis=1)))
        taken[one] = True
    return chosen
