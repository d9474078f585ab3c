"""What a learner has on the desk: journals opened from files, the run that is going on, runs kept for comparison.

A page's Python lives as long as the page, and so does its desk; natively it stays empty. Nothing here is computed from:
a lab's own numbers follow from its controls alone, the desk only lies beside them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pycore import journal
from pycore.domain import DomainError
from pycore.journal import Header, Journal
from pycore.train import Recipe, Record
from web.dashboard.board import Run
from web.dashboard.opening import read
from web.dashboard.panel import MOST
from web.labs import refusal

RECORDED = Path(__file__).parents[1] / "recorded"
LONGEST_TITLE = 60


@dataclass
class Live:
    """A run that is going on: its recipe, what it wrote so far, and the newest moment from which it could go on.

    Attributes:
        recipe: what is trained.
        header: of its journal.
        records: so far.
        checkpoint: bytes and the update they are of.
        taken: records that the page has already put away.
        memo: of the board.
    """

    recipe: Recipe
    header: Header
    records: list[Record] = field(default_factory=list)
    checkpoint: bytes = b""
    checkpoint_update: int = -1
    taken: int = 0
    memo: dict[Any, Any] = field(default_factory=dict)

    @property
    def journal(self) -> Journal:
        """As far as it goes."""
        return Journal(self.header, tuple(self.records))

    @property
    def trained(self) -> bool:
        """Whether it is worth keeping."""
        return any(record.kind == "update" for record in self.records)


@dataclass
class Desk:
    """Everything that lies there.

    Attributes:
        used: whether a page keeps things here.
        files: opened and kept runs by key, oldest first.
        live: the newest run of the lab `train`.
        saved: a run from an earlier visit, to be taken up again by its recipe.
        places: how many runs the lab shows by itself.
    """

    used: bool = False
    files: dict[str, Run] = field(default_factory=dict)
    live: Live | None = None
    saved: Live | None = None
    places: int = 0
    counter: int = 0

    def begin(self, recipe: Recipe, header: Header) -> Live:
        """A fresh run, or the saved one of the same recipe; the run before it is kept where there is room."""
        before, self.live = self.live, Live(recipe, header)
        if self.used and before is not None and before.trained and before.recipe != recipe:
            self.put(Run(_title(before.header.title), before.journal, "kept"))
        if self.saved is not None and self.saved.recipe == recipe:
            self.live, self.saved = self.saved, None
        return self.live

    def put(self, run: Run) -> bool:
        """Lays a run down; the oldest kept one makes room, an opened file never does."""
        if self.places + len(self.files) >= MOST:
            oldest = next((key for key, one in self.files.items() if one.origin == "kept"), None)
            if oldest is None:
                return False
            del self.files[oldest]
        self.counter += 1
        key = f"run{self.counter}"
        self.files[key] = Run(run.title, run.journal, run.origin, key, run.cut)
        return True

    def beside(self, runs: Iterable[Run]) -> list[Run]:
        """The lab's own runs, and those on the desk after them."""
        own = list(runs)
        self.places = len(own)
        return [*own, *self.files.values()][:MOST]


DESK = Desk()


@cache
def recorded(name: str) -> Run | None:
    """A run that comes with the course; None where its file has not been carried along."""
    path = RECORDED / f"{name}.jsonl"
    if not path.exists():
        return None
    found = journal.read(path.read_text(encoding="utf-8"))
    return Run(found.header.title or name, found, "recorded")


# ---- what the page asks for; text in, JSON text or bytes out


def open_file(name: str, text: str, language: str) -> str:
    """Opens a file; the answer holds the `fault` when it cannot be read or there is no room for it."""
    DESK.used = True
    try:
        opened = read(text)
    except DomainError as error:
        return json.dumps({"fault": refusal.sentence(error, language)})
    title = _title(opened.journal.header.title or name)
    if not DESK.put(Run(title, opened.journal, "file", cut=opened.cut)):
        return json.dumps({"full": True})
    return json.dumps({"opened": title})


def put_away(key: str) -> str:
    """Takes a run off the desk."""
    DESK.files.pop(key, None)
    return "{}"


def download(key: str) -> str:
    """The journal of a run on the desk, of the live one for the key "live"."""
    if key == "live" and DESK.live is not None:
        return journal.write(DESK.live.header, DESK.live.records)
    run = DESK.files.get(key)
    return journal.write(run.journal.header, run.journal.records) if run is not None else ""


def take() -> str:
    """Journal lines of the live run that the page has not put away yet, and of which update its checkpoint is."""
    DESK.used = True
    live = DESK.live
    if live is None:
        return json.dumps({"lines": [], "first": True, "checkpoint": -1})
    first = live.taken == 0
    lines = [journal.header_line(live.header)] if first else []
    lines += [journal.record_line(record) for record in live.records[live.taken :]]
    live.taken = len(live.records)
    return json.dumps({"lines": lines, "first": first, "checkpoint": live.checkpoint_update, "trained": live.trained})


def checkpoint() -> bytes:
    """The newest checkpoint of the live run; empty before the first."""
    return DESK.live.checkpoint if DESK.live is not None else b""


def bring(text: str, data: bytes, update: int, language: str) -> str:
    """Takes up a run from an earlier visit: its journal, and a checkpoint with the update that it is of.

    Whatever is damaged is left out: the run then begins anew.
    """
    DESK.used = True
    try:
        found = journal.read(text)
        recipe = Recipe.from_dict(found.header.recipe)
    except DomainError as error:
        return json.dumps({"fault": refusal.sentence(error, language)})
    records = list(found.records)
    if not found.finished:
        # What came after the checkpoint will be computed again, the same.
        records = [record for record in records if record.update <= update]
    DESK.saved = Live(recipe, found.header, records, bytes(data), int(update), len(records))
    return json.dumps({"update": records[-1].update if records else 0})


def _title(text: str) -> str:
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"
