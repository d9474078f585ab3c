"""What a lab computes: columns for the plots, values for the sentence and the readouts, rows for the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

Columns = Mapping[str, ArrayLike]


@dataclass(frozen=True)
class Frame:
    """One state of a lab, free of language and of colours.

    Attributes:
        sources: for each source that the figures draw, its columns, equally long.
        values: numbers and names that the summary, the readouts and the labels quote.
        table: the columns of the data table, equally long: what the plots show, in figures.
        case: which of the summary templates tells this state.
    """

    sources: Mapping[str, Columns]
    values: Mapping[str, float | str]
    table: Mapping[str, Sequence[float | str] | ArrayLike]
    case: str = "default"


def beside(position: float, middle: float, *, rising: bool = True) -> dict[str, ArrayLike]:
    """Columns that put a point's label where there is room: `align`, and `dx`, `dy` in CSS pixels.

    A point beyond `middle` gets its label on the left; above a rising curve on that side, below it on the other.
    """
    left = position > middle
    dy = -16.0 if left is rising else 16.0
    return {"align": np.array(["right" if left else "left"]), "dx": [-12.0 if left else 12.0], "dy": [dy]}
