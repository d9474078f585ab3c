"""The learner's own data as a control: a few rows of named columns, pasted as JSON or CSV, kept in the address."""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pycore.control import finite, number, write
from pycore.domain import DomainError
from pycore.untrusted import read_json

Cell = float | str
Row = tuple[Cell, ...]

LONGEST_PASTE = 40_000
LONGEST_ADDRESS = 4_000  # of the same rows as an address writes them
DECIMAL = re.compile(r"[+-]?[0-9]+,[0-9]+")
WORD = re.compile(r"[A-Za-z0-9_.-]{1,40}")


class EntryError(DomainError):
    """One entry of a learner's data is not what its column takes.

    Attributes:
        row: counted from 1, without the header.
        column: its name.
    """

    def __init__(self, argument: str, value: object, allowed: str, row: int, column: str) -> None:
        super().__init__(argument, value, allowed)
        self.row, self.column = row, column
        self.args = (f"{argument}, row {row}, {column} = {value!r}: allowed is {allowed}",)


@dataclass(frozen=True)
class Column:
    """What stands in one column: a number in [low, high], or one of `options`."""

    name: str
    low: float = -1e9
    high: float = 1e9
    integer: bool = False
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for word in self.options:
            if not WORD.fullmatch(word):
                raise DomainError("options", word, "1 to 40 letters, digits, _ . -")

    @property
    def allowed(self) -> str:
        """The range, or the options."""
        return ", ".join(self.options) if self.options else f"{write(self.low)}..{write(self.high)}"

    def read(self, value: object) -> Cell | None:
        """The cell in its own type; None when the column does not take it."""
        if self.options:
            text = value.strip() if isinstance(value, str) else ""
            return text if text in self.options else None
        given = number(value.strip()) if isinstance(value, str) else finite(value)
        if not self.low <= given <= self.high or (self.integer and given != math.floor(given)):
            return None
        return int(given) if self.integer else given


@dataclass(frozen=True)
class Rows:
    """A short table of the learner's own: rewards and lengths, rankings, log-probabilities.

    >>> columns = Column("count", 1, 99, integer=True), Column("order", options=("AB", "BA"))
    >>> votes = Rows("votes", columns, default=((2, "AB"),))
    >>> votes.check("count;order\\n3;AB\\n1;BA")
    ((3, 'AB'), (1, 'BA'))
    >>> votes.parse("3:AB,1:BA") == votes.check([{"order": "AB", "count": 3}, {"order": "BA", "count": 1}])
    True
    """

    name: str
    columns: tuple[Column, ...]
    default: tuple[Row, ...]
    fewest: int = 1
    most: int = 64
    role: str = ""
    group: str = ""  # the column whose equal entries make a group; groups are then of one size, two rows at least

    @property
    def allowed(self) -> str:
        """How many rows, and what stands in each column."""
        cells = "; ".join(f"{column.name} {column.allowed}" for column in self.columns)
        return f"{self.fewest}..{self.most} × ({cells})"

    def parse(self, text: str) -> tuple[Row, ...]:
        """Rows as an address writes them: `1:3,0:6`."""
        if len(text) > LONGEST_ADDRESS:
            raise DomainError(self.name, f"{len(text)} characters", f"at most {LONGEST_ADDRESS} characters of rows")
        return self._checked([part.split(":") for part in text.split(",")])

    def check(self, value: object) -> tuple[Row, ...]:
        """Rows given as a list of lists, of mappings, of bare values (one column), or as the text of JSON or CSV.

        Raises:
            EntryError: a cell that its column does not take, or the first row of a group of another size; names row
                and column.
            DomainError: too many rows, too long a text, a column that is missing or unknown.
        """
        if isinstance(value, str):
            value = self._pasted(value)
        if isinstance(value, Mapping):
            value = self._transposed(value)
        if not isinstance(value, Sequence):
            raise DomainError(self.name, value, self.allowed)
        return self._checked(list(self._listed(value)))

    def nearest(self, value: object) -> tuple[Row, ...]:
        """The rows that hold, in order, when they are enough; else the default."""
        kept: list[Row] = []
        rows = [part.split(":") for part in value[:LONGEST_ADDRESS].split(",")] if isinstance(value, str) else value
        for row in rows if isinstance(rows, Sequence) else ():
            if isinstance(row, Sequence) and len(row) == len(self.columns):
                cells = [column.read(cell) for column, cell in zip(self.columns, row, strict=True)]
                kept += [tuple(cells)] if None not in cells else []  # type: ignore[arg-type]
        found = tuple(kept[: self.most])
        return found if len(found) >= self.fewest and self._uneven(found) is None else self.default

    def _checked(self, rows: Sequence[Sequence[object]]) -> tuple[Row, ...]:
        if not self.fewest <= len(rows) <= self.most:
            raise DomainError(self.name, len(rows), f"{self.fewest}..{self.most} rows")
        found = []
        for index, row in enumerate(rows, 1):
            if len(row) != len(self.columns):
                raise self._miscounted(row, len(self.columns), index)
            cells = []
            for column, given in zip(self.columns, row, strict=True):
                cell = column.read(given)
                if cell is None:
                    shown = given.strip()[:40] if isinstance(given, str) else given
                    raise EntryError(self.name, shown, column.allowed, index, column.name)
                cells.append(cell)
            found.append(tuple(cells))
        if (length := len(write(tuple(found)))) > LONGEST_ADDRESS:
            raise DomainError(self.name, f"{length} characters", f"at most {LONGEST_ADDRESS} characters of rows")
        if (uneven := self._uneven(found)) is not None:
            raise uneven
        return tuple(found)

    def _uneven(self, rows: Sequence[Row]) -> EntryError | None:
        """What is to be said of the first group that has not the size of the first one, or is a single row."""
        if not self.group:
            return None
        place = [column.name for column in self.columns].index(self.group)
        names = [row[place] for row in rows]
        counts = Counter(names)
        first = counts[names[0]]
        for name, count in counts.items():
            if count != first or count < 2:
                allowed = f"groups of one size, 2 or more rows each; rows in this one: {count}, in the first: {first}"
                return EntryError(self.name, name, allowed, names.index(name) + 1, self.group)
        return None

    def _miscounted(self, row: Sequence[object], width: int, index: int) -> EntryError:
        names = ", ".join(column.name for column in self.columns)
        # What is left over was often a decimal comma.
        allowed = f"cells: {width} ({names}), parted by ; where a comma is a decimal mark"
        return EntryError(self.name, f"cells: {len(row)}", allowed, index, self.columns[-1].name)

    def _listed(self, rows: Sequence[Any]) -> Iterator[Sequence[object]]:
        for index, row in enumerate(rows, 1):
            if isinstance(row, Mapping):
                for column in self.columns:
                    if column.name not in row:
                        raise EntryError(self.name, None, column.allowed, index, column.name)
                yield [row[column.name] for column in self.columns]
            elif isinstance(row, Sequence) and not isinstance(row, str | bytes):
                yield row
            else:
                yield [row]

    def _transposed(self, columns: Mapping[str, Any]) -> list[list[object]]:
        names = [column.name for column in self.columns]
        lists = [columns.get(name) for name in names]
        lengths = {len(one) if isinstance(one, list) else -1 for one in lists}
        if len(lengths) != 1 or -1 in lengths:
            raise DomainError(self.name, list(columns)[:8], "equally long lists named " + ", ".join(names))
        return [list(row) for row in zip(*lists, strict=True)]

    def _pasted(self, text: str) -> Any:
        if len(text) > LONGEST_PASTE:
            raise DomainError(self.name, f"{len(text)} characters", f"at most {LONGEST_PASTE} characters of rows")
        if text.lstrip()[:1] in ("[", "{"):
            return read_json(self.name, text, longest=LONGEST_PASTE, deepest=4)
        # A comma is a decimal mark where something else parts the cells.
        mark = next((one for one in "\t;" if one in text), ",")
        try:
            read = list(csv.reader(text.strip().splitlines(), delimiter=mark))
        except csv.Error:
            raise DomainError(self.name, text[:40], "JSON or CSV") from None
        lines = [line for line in read if any(map(str.strip, line))]
        if mark != ",":
            lines = [[cell.strip().replace(",", ".") for cell in line] for line in lines]
        elif len(self.columns) == 1 and len(lines) == 1:
            lines = [[cell] for cell in lines[0]]
        names = [column.name for column in self.columns]
        head = [cell.strip() for cell in lines[0]] if lines else []
        headed = bool(set(head) & set(names))
        width = len(head) if headed else len(names)
        for index, line in enumerate(lines[headed:], 1):
            while len(line) > width and not line[-1].strip():
                line.pop()
            if width == 1 and DECIMAL.fullmatch(",".join(line).strip()):
                line[:] = [".".join(line)]  # one column has nothing else for a comma to part
            if len(line) > width:
                raise self._miscounted(line, width, index)
        if not headed:
            return lines
        if missing := [name for name in names if name not in head]:
            raise DomainError(self.name, ", ".join(head)[:60], f"a header with {', '.join(missing)}")
        places = [head.index(name) for name in names]
        return [[line[place] if place < len(line) else "" for place in places] for line in lines[1:]]
