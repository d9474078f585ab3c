"""One state of the app: which lab, its control values, the seed; it travels as a readable query, a short code and JSON.

A catalogue maps each lab's name to its controls; with one, every value is checked against its bounds, without one only
the form is checked, so that a scenario can be carried by code that does not know the labs.
"""

import base64
import binascii
import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from pycore.control import LONGEST_TEXT, Control, Number, Value, finite, number, write
from pycore.domain import DomainError
from pycore.untrusted import read_json

Catalogue = Mapping[str, Sequence[Control]]

VERSION = 1
SEED = Number("seed", default=0, low=0, high=2**31 - 1, step=1, integer=True, slider=False)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
MOST_CONTROLS = 40
LONGEST_QUERY = 8_000


class Problem(NamedTuple):
    """One thing wrong with a scenario that came from outside.

    `kind` is one of: malformed, too_long, newer_version, repeated, unknown_lab, unknown_control, out_of_range.
    """

    kind: str
    field: str
    value: str
    allowed: str


class ScenarioError(ValueError):
    """What was wrong with the input, and the nearest valid scenario, so that nobody meets a blank page.

    Attributes:
        problems: every fault found, in the order of the input.
        nearest: a valid scenario with the faults mended.
    """

    def __init__(self, problems: Sequence[Problem], nearest: "Scenario") -> None:
        self.problems, self.nearest = tuple(problems), nearest
        super().__init__("; ".join(f"{p.kind}: {p.field} = {p.value}, allowed is {p.allowed}" for p in self.problems))


@dataclass(frozen=True)
class Scenario:
    """A lab's name, the values of its controls (those left out stand at their defaults) and the seed.

    >>> Scenario("signal", {"p": 0.1, "G": 8}, seed=7).to_query()
    'lab=signal&p=0.1&G=8&seed=7'
    """

    lab: str = "signal"
    controls: Mapping[str, Value] = field(default_factory=dict)
    seed: int = 0

    @staticmethod
    def default(catalogue: Catalogue | None = None, lab: str = "signal") -> "Scenario":
        """The lab as it opens; with a catalogue every control is spelled out, of its first lab if it lacks this one."""
        if not catalogue:
            return Scenario(lab)
        return Scenario(lab if lab in catalogue else next(iter(catalogue))).complete(catalogue)

    def complete(self, catalogue: Catalogue) -> "Scenario":
        """The same scenario with every control of its lab spelled out, in the lab's order."""
        defaults = {c.name: c.default for c in catalogue[self.lab] if c.name != SEED.name}
        return replace(self, controls={**defaults, **self.controls})

    # -- out

    def to_query(self, *, with_lab: bool = True, with_seed: bool = True) -> str:
        """`lab=signal&p=0.1&G=8&seed=7`; a lab's own page leaves out the lab, one without chance the seed."""
        pairs = [("lab", self.lab)] if with_lab else []
        pairs += [(name, write(value)) for name, value in self.controls.items()]
        pairs += [("seed", str(self.seed))] if with_seed else []
        return urlencode(pairs, safe=",:", quote_via=quote)

    def to_code(self) -> str:
        """A single word for a form field: the query and a checksum that tells a cut or mistyped copy."""
        text = self.to_query().encode()
        return f"{base64.urlsafe_b64encode(text).decode().rstrip('=')}.{zlib.crc32(text):08x}"

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no spaces beyond one after a separator."""
        controls = {name: list(v) if isinstance(v, tuple) else v for name, v in self.controls.items()}
        return json.dumps(
            {"version": VERSION, "lab": self.lab, "controls": controls, "seed": self.seed}, sort_keys=True
        )

    # -- in

    @staticmethod
    def from_query(query: str, *, catalogue: Catalogue | None = None, lab: str | None = None) -> "Scenario":
        """Reads what `to_query` wrote, with or without the leading question mark.

        Args:
            query: the part of an address after `?`, at most 8,000 characters.
            catalogue: each lab's controls; None checks the form only.
            lab: the lab of the page, where the query need not name one.

        Raises:
            ScenarioError: every fault, and the nearest valid scenario.
        """
        problems: list[Problem] = []
        if len(query) > LONGEST_QUERY:
            problems.append(Problem("too_long", "query", str(len(query)), f"0..{LONGEST_QUERY}"))
            query = ""
        raw: dict[str, str] = {}
        for name, text in parse_qsl(query.lstrip("?"), keep_blank_values=True):
            if name in raw:
                problems.append(Problem("repeated", _short(name), _short(text), _short(raw[name])))
            else:
                raw[name] = text
        if raw.pop("v", str(VERSION)) != str(VERSION):
            problems.append(Problem("newer_version", "v", "", str(VERSION)))
        named = raw.pop("lab", lab or "signal")
        seed = raw.pop("seed", None)
        return _checked(lab or named, named, raw, seed, catalogue, problems, parse=True)

    @staticmethod
    def from_code(code: str, *, catalogue: Catalogue | None = None) -> "Scenario":
        """Reads what `to_code` wrote; surrounding white space is forgiven.

        Raises:
            ScenarioError: a cut or altered code, or whatever `from_query` refuses.
        """
        body, _, checksum = code.strip().rpartition(".")
        try:
            text = base64.b64decode(body.encode("ascii") + b"=" * (-len(body) % 4), b"-_", validate=True)
            query = text.decode()
        except (binascii.Error, UnicodeError, ValueError):
            text, query = b"", ""
        if len(code) > 2 * LONGEST_QUERY or not text or f"{zlib.crc32(text):08x}" != checksum:
            raise ScenarioError(
                [Problem("malformed", "code", _short(code), "text.checksum")], Scenario.default(catalogue)
            )
        return Scenario.from_query(query, catalogue=catalogue)

    @staticmethod
    def from_json(text: str, *, catalogue: Catalogue | None = None) -> "Scenario":
        """Reads what `to_json` wrote.

        Raises:
            ScenarioError: every fault, and the nearest valid scenario.
        """
        problems: list[Problem] = []
        try:
            data = read_json("json", text, longest=4 * LONGEST_QUERY, deepest=4)
        except DomainError:
            data = None
        controls = data.get("controls", {}) if isinstance(data, dict) else None
        if not isinstance(data, dict) or not isinstance(controls, dict):
            problems.append(Problem("malformed", "json", _short(text), '{"version", "lab", "controls", "seed"}'))
            data, controls = {}, {}
        if data.get("version", VERSION) != VERSION:
            problems.append(Problem("newer_version", "version", _short(data.get("version")), str(VERSION)))
        lab = data.get("lab", "signal")
        return _checked(lab, lab, controls, data.get("seed"), catalogue, problems, parse=False)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _guess(text: str) -> Value:
    """The value a text stands for when no control says its kind."""
    if text in ("true", "false"):
        return text == "true"
    items = tuple(number(item) for item in text.split(","))
    if any(math.isnan(item) for item in items):
        return text
    if len(items) > 1:
        return items
    return items[0] if any(mark in text for mark in ".eE") else int(text)


def _loose(value: Any) -> Value | None:
    """`value` when it has one of the kinds a control can have, else None."""
    if isinstance(value, list) and len(value) <= LONGEST_TEXT:
        if value and all(isinstance(row, list) for row in value):
            rows = tuple(tuple(row) for row in value)
            cells = [cell for row in rows for cell in row]
            fine = all(isinstance(cell, str) or math.isfinite(finite(cell)) for cell in cells)
            return rows if fine and len(write(rows)) <= LONGEST_TEXT else None
        items = tuple(finite(item) for item in value)
        return items if all(map(math.isfinite, items)) else None
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else None
    return value if isinstance(value, bool) or math.isfinite(finite(value)) else None


def _checked(
    lab: Any,
    named: Any,
    raw: Mapping[str, Any],
    seed: Any,
    catalogue: Catalogue | None,
    problems: list[Problem],
    *,
    parse: bool,
) -> Scenario:
    known = isinstance(lab, str) and (lab in catalogue if catalogue is not None else NAME.fullmatch(lab) is not None)
    if not known or named != lab:
        allowed = lab if known else ", ".join(catalogue) if catalogue is not None else "a short name"
        problems.append(Problem("unknown_lab", "lab", _short(named), allowed))
    if not known:
        lab, raw = next(iter(catalogue)) if catalogue else "signal", {}
    by_name = {control.name: control for control in catalogue[lab]} if catalogue is not None else None
    controls: dict[str, Value] = {}
    for name, given in raw.items():
        control = by_name.get(name) if by_name is not None else None
        if (by_name is not None and control is None) or not NAME.fullmatch(name) or len(controls) >= MOST_CONTROLS:
            names = ", ".join(by_name) if by_name is not None else "a short name"
            problems.append(Problem("unknown_control", _short(name), _short(given), names))
        elif control is not None:
            controls[name] = _value(control, given, problems, parse)
        else:
            loose = _guess(given) if parse and len(given) <= LONGEST_TEXT else None if parse else _loose(given)
            if loose is None:
                problems.append(Problem("malformed", name, _short(given), "true, false, 1.5, 1,0,0, name"))
            else:
                controls[name] = loose
    checked_seed = 0 if seed is None else int(_value(SEED, seed, problems, parse))  # type: ignore[arg-type]
    scenario = Scenario(lab, controls, checked_seed)
    scenario = scenario.complete(catalogue) if catalogue is not None else scenario
    if problems:
        raise ScenarioError(problems, scenario)
    return scenario


def _value(control: Control, given: Any, problems: list[Problem], parse: bool) -> Value:
    try:
        return control.parse(given) if parse else control.check(given)
    except DomainError as error:
        problems.append(Problem("out_of_range", control.name, _short(given), error.allowed))
        return control.nearest(given)
