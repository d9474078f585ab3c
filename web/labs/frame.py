"""What a lab computes: columns for the plots, values for the sentence and the readouts, rows for the table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pycore.control import Value

# A column of a source is one number or text a row, or one array a row for lines of different lengths.
Columns = Mapping[str, ArrayLike | Sequence[ArrayLike]]


@dataclass(frozen=True)
class Frame:
    """One state of a lab, free of language and of colours.

    Attributes:
        sources: for each source that the figures draw, its columns, equally long.
        values: numbers and names that the summary, the readouts, the substituted formula and the labels quote; the
            controls' own values need not be repeated. NaN is written as a dash: say NaN for what is undefined.
        table: the columns of the data table, equally long: what the plots show, in figures; or the name of the source
            that is also the table.
        case: which of the summary templates tells this state.
        texts: whole texts to read or copy, a configuration say; by language where the languages differ.
        onward: another lab's state by its name: a link opens it there.
        extra: what a component of the lab's own shows, as JSON values, given the writer of the language's numbers.
    """

    sources: Mapping[str, Columns]
    values: Mapping[str, float | str]
    table: Mapping[str, Sequence[float | str] | ArrayLike] | str
    case: str = "default"
    texts: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    onward: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    extra: Callable[[Any], Mapping[str, Any]] | None = None

    @property
    def rows(self) -> Mapping[str, Any]:
        """The table's columns, wherever they stand."""
        return self.sources[self.table] if isinstance(self.table, str) else self.table


def beside(position: float, middle: float, *, rising: bool = True) -> dict[str, ArrayLike]:
    """Columns that put a point's label where there is room: `align`, and `dx`, `dy` in CSS pixels.

    A point beyond `middle` gets its label on the left; above a rising curve on that side, below it on the other.
    """
    left = position > middle
    dy = -16.0 if left is rising else 16.0
    return {"align": np.array(["right" if left else "left"]), "dx": [-12.0 if left else 12.0], "dy": [dy]}


def by_sign(name: str, columns: Mapping[str, ArrayLike], of: str) -> dict[str, Columns]:
    """Three sources from one, by the sign of the column `of`: what `figure.signed` draws.

    >>> by_sign("bar", {"x": [0, 1], "y": [2.0, -1.0]}, "y")["bar_lowered"]["x"].tolist()
    [1]
    """
    sign = np.sign(np.asarray(columns[of], float))
    kinds = {"raised": sign > 0, "lowered": sign < 0, "silent": sign == 0}
    return {
        f"{name}_{kind}": {key: np.asarray(column)[chosen] for key, column in columns.items()}
        for kind, chosen in kinds.items()
    }
