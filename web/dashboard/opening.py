"""A file that somebody brings, as a journal: our own lines, or what a trainer of TRL wrote."""

import json
from dataclasses import dataclass

from pycore import journal, trainer_log
from pycore.domain import DomainError
from pycore.journal import Journal


@dataclass(frozen=True)
class Opened:
    """A journal and what had to be left out of it.

    Attributes:
        journal: what was read.
        cut: whether the last line was torn off and dropped.
    """

    journal: Journal
    cut: bool = False


def read(text: str) -> Opened:
    """Reads a journal from anywhere; nothing in it is executed.

    Args:
        text: of a file: `journal/1` lines, a `trainer_state.json` or a `log_history`.

    Raises:
        DomainError: names the place, the value and what is allowed.
    """
    if not text.strip():
        raise DomainError("file", "", "a journal with at least a header line")
    if _is_trainer_log(text):
        return Opened(trainer_log.read(text))
    try:
        return Opened(journal.read(text))
    except DomainError:
        whole, _, torn = text.rstrip("\n").rpartition("\n")
        # Only a line that is no JSON was torn; one that is whole and wrong is refused.
        if not whole or text.endswith("\n") or _is_json(torn):
            raise
        return Opened(journal.read(whole), cut=True)


def _is_trainer_log(text: str) -> bool:
    start = text[:10_000].lstrip("\ufeff \t\r\n")
    if start.startswith("["):
        return True
    # Our header is one line and names itself; a trainer state names its log somewhere.
    return '"journal"' not in start.partition("\n")[0] and '"log_history"' in text


def _is_json(line: str) -> bool:
    if len(line) > journal.LONGEST_LINE:
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
