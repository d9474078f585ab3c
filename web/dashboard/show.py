"""The board as a lab's frame: its lines, numbers, table and words together."""

from collections.abc import Mapping, Sequence

from web.dashboard.board import Run, changes, numbers, sources
from web.dashboard.words import told
from web.labs.frame import Frame


def frame(runs: Sequence[Run], *, case: str | None = None, values: Mapping[str, float | str] | None = None) -> Frame:
    """The board as a lab's frame.

    Args:
        runs: at most four.
        case: which summary tells it; by the number of runs when None.
        values: further values for the summary and the readouts.
    """
    return Frame(
        sources=sources(runs),
        values=numbers(runs) | dict(values or {}),
        table=changes(runs),
        case=case or ("none", "one", "two", "many", "many")[len(runs)],
        extra=lambda writer: told(runs, writer),
    )
