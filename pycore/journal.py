"""The run journal: JSON lines, a header with recipe and passports first, then what happened.

    {"journal": "journal/1", "title": ..., "recipe": {...}, "passports": {...}, "software": {...}}
    {"kind": "evaluation", "update": 0, "split": "train", "metrics": {...}, "series": {...}, "detail": {...}}
    {"kind": "update", "update": 1, ...}
    {"kind": "end", "update": 300, "detail": {"reason": "updates"}}

Journals from other trainers have the same form and fewer metrics. A journal opened from a file is not to be trusted:
every line is checked, sizes are bounded, and nothing in it is ever executed. A kind of line that a later version may
add is counted and left out.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from pycore.domain import DomainError
from pycore.train.recipe import SPLITS
from pycore.train.record import EVALUATION_METRICS, TIMING_METRICS, UPDATE_METRICS, Metric, Record
from pycore.untrusted import read_json

VERSION = "journal/1"
MOST_CHARACTERS = 64_000_000
MOST_LINES = 200_000
LONGEST_LINE = 1_000_000
MOST_NAMES, LONGEST_SERIES, LONGEST_STRING = 100, 10_000, 20_000
LARGEST_UPDATE = 10**9
ROUNDING = 1e-6

METRICS: dict[str, Mapping[str, Metric]] = {
    "update": UPDATE_METRICS,
    "evaluation": EVALUATION_METRICS,
    "timing": TIMING_METRICS,
    "samples": {},
    "end": {},
}
NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")


@dataclass(frozen=True)
class Header:
    """What a run was, before it began.

    Attributes:
        title: how a reader calls it.
        recipe: the recipe's JSON; another trainer writes its own settings.
        passports: by kind: data, verifier, rollout, update.
        software: versions of what computed the run.
    """

    title: str = ""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    passports: Mapping[str, Any] = field(default_factory=dict)
    software: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Journal:
    """A journal that was read and found sound.

    Attributes:
        header: its first line.
        records: the others, in order.
        ignored: lines of kinds that this version does not know.
    """

    header: Header
    records: tuple[Record, ...]
    ignored: int = 0

    def of(self, kind: str, split: str = "") -> list[Record]:
        """The records of one kind, and of one split where the kind has splits."""
        return [record for record in self.records if record.kind == kind and record.split == split]

    @property
    def finished(self) -> bool:
        """Whether the run reached its end; a journal may be cut off."""
        return bool(self.of("end"))


def header_line(header: Header) -> str:
    """The first line, without a line break."""
    return _dump(
        {
            "journal": VERSION,
            "title": header.title,
            "recipe": dict(header.recipe),
            "passports": dict(header.passports),
            "software": dict(header.software),
        }
    )


def record_line(record: Record) -> str:
    """A record's line, without a line break; what could not be measured becomes null.

    >>> record_line(Record("end", 3, detail={"reason": "updates"}))
    '{"detail": {"reason": "updates"}, "kind": "end", "update": 3}'
    """
    line: dict[str, Any] = {"kind": record.kind, "update": record.update}
    for name in ("split", "metrics", "series", "detail"):
        if value := getattr(record, name):
            line[name] = _plain(value)
    return _dump(line)


def write(header: Header, records: Iterable[Record]) -> str:
    """A whole journal as text.

    >>> read(write(Header("run"), [Record("end", 0)])).finished
    True
    """
    return "".join(line + "\n" for line in [header_line(header), *map(record_line, records)])


def read(text: str) -> Journal:
    """Reads and checks a journal.

    Args:
        text: the file's content. Empty lines are skipped; a last line cut off in the middle is refused like any other.

    Raises:
        DomainError: names the line, the field and what is allowed: too large, not JSON, another version, a wrong kind
            of value, a number out of its metric's bounds, updates that run backwards.
    """
    if not isinstance(text, str):
        raise DomainError("journal", type(text).__name__, "text")
    if len(text) > MOST_CHARACTERS:
        raise DomainError("journal", f"{len(text)} characters", f"at most {MOST_CHARACTERS}")
    # Not splitlines: that also breaks at characters which JSON strings may hold.
    lines = text.removeprefix("\ufeff").split("\n")
    if len(lines) > MOST_LINES + 1:
        raise DomainError("journal", f"{len(lines)} lines", f"at most {MOST_LINES}")
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        raise DomainError("journal", "", "at least a header line")
    header = _header(*numbered[0])
    records: list[Record] = []
    ignored = 0
    for number, line in numbered[1:]:
        record = _record(number, _parse(number, line))
        if record is None:
            ignored += 1
            continue
        if records and record.update < records[-1].update:
            raise DomainError(f"line {number}: update", record.update, f"at least {records[-1].update}, as before it")
        records.append(record)
    return Journal(header, tuple(records), ignored)


def measured(place: str, value: object, metric: Metric | None = None) -> float:
    """A number of a journal; what could not be measured, null, is NaN.

    Args:
        place: where it stands, quoted in the error.
        value: as JSON gave it.
        metric: whose bounds it must keep, up to rounding; None for none.

    Raises:
        DomainError: no number, none that is finite, or one out of bounds.

    >>> measured("line 2: metrics.kl", 1)
    1.0
    """
    if value is None:
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e300:
        raise DomainError(place, value, "a finite number or null")
    low = metric.low if metric is not None else None
    high = metric.high if metric is not None else None
    if (low is not None and value < low - ROUNDING) or (high is not None and value > high + ROUNDING):
        bounds = f"from {'-inf' if low is None else low} to {'inf' if high is None else high}"
        raise DomainError(place, value, f"a number {bounds}")
    return float(value)


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinity: both become null."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def _parse(number: int, line: str) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise DomainError(f"line {number}", f"{len(line)} characters", f"at most {LONGEST_LINE}")
    value = read_json(f"line {number}", line, longest=LONGEST_LINE)
    if not isinstance(value, dict):
        raise DomainError(f"line {number}", line, "one JSON object")
    return value


def _header(number: int, line: str) -> Header:
    value = _parse(number, line)
    if value.get("journal") != VERSION:
        raise DomainError(f"line {number}: journal", value.get("journal"), VERSION)
    title = value.get("title", "")
    if not isinstance(title, str) or len(title) > 200:
        raise DomainError(f"line {number}: title", title, "text of at most 200 characters")
    parts = {name: _object(number, name, value.get(name, {})) for name in ("recipe", "passports", "software")}
    return Header(title, **parts)


def _object(number: int, name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DomainError(f"line {number}: {name}", value, "a JSON object")
    _check_strings(number, name, value)
    return value


def _check_strings(number: int, name: str, value: object) -> None:
    if isinstance(value, str) and len(value) > LONGEST_STRING:
        raise DomainError(f"line {number}: {name}", f"{len(value)} characters", f"text of at most {LONGEST_STRING}")
    if isinstance(value, dict):
        for key, item in value.items():
            _check_strings(number, name, key)
            _check_strings(number, f"{name}.{key[:40]}", item)
    elif isinstance(value, list):
        for item in value:
            _check_strings(number, name, item)


def _record(number: int, value: dict[str, Any]) -> Record | None:
    """The record of a line, None when its kind is unknown."""
    kind = value.get("kind")
    if not isinstance(kind, str) or not NAME.fullmatch(kind):
        raise DomainError(f"line {number}: kind", kind, "one of " + ", ".join(METRICS))
    if kind not in METRICS:
        return None
    update = value.get("update")
    if type(update) is not int or not 0 <= update <= LARGEST_UPDATE:
        raise DomainError(f"line {number}: update", update, f"an integer from 0 to {LARGEST_UPDATE}")
    split = value.get("split", "")
    allowed = SPLITS if kind == "evaluation" else ("",)
    if split not in allowed:
        raise DomainError(f"line {number}: split", split, "one of " + ", ".join(map(repr, allowed)))
    metrics = {
        name: measured(f"line {number}: metrics.{name}", item, METRICS[kind].get(name))
        for name, item in _named(number, "metrics", value).items()
    }
    series: dict[str, list[float]] = {}
    for name, items in _named(number, "series", value).items():
        if not isinstance(items, list) or len(items) > LONGEST_SERIES:
            raise DomainError(f"line {number}: series.{name}", items, f"a list of at most {LONGEST_SERIES} numbers")
        series[name] = [measured(f"line {number}: series.{name}", item) for item in items]
    return Record(kind, update, split, metrics, series, _object(number, "detail", value.get("detail", {})))


def _named(number: int, part: str, value: dict[str, Any]) -> dict[str, Any]:
    given = value.get(part, {})
    if not isinstance(given, dict) or len(given) > MOST_NAMES:
        raise DomainError(f"line {number}: {part}", given, f"an object of at most {MOST_NAMES} names")
    for name in given:
        if not NAME.fullmatch(name):
            raise DomainError(f"line {number}: {part}", name, "names of small letters, digits and _")
    return given
