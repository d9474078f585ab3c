"""Entries of a passport as somebody types them, or pastes them from a journal."""

import re
from dataclasses import fields
from typing import Any

from pycore.domain import DomainError, option
from pycore.passport.form import VERSION
from pycore.passport.record import PASSPORTS
from pycore.untrusted import read_json

_ENTRY = re.compile(r"\s*([A-Za-z_]{1,40})\s*=(.*)", re.DOTALL)


def read_entries(kind: str, text: str) -> dict[str, Any]:
    """Entries from `name = value; name = value`, a line or a semicolon between them, or from a passport's JSON.

    Args:
        kind: of the passport: data, verifier, rollout or update.
        text: a value that is JSON (a number, a list, a mapping) is read as such, any other as text.

    Returns:
        Entry to value; the values are not checked yet, the form does that.

    Raises:
        DomainError: `text` when it is neither, `entry` for a name that the form does not have, `kind` and `version`
            for the JSON of another form.

    >>> read_entries("data", "split_seed = 0; split_rule = by pair")
    {'split_seed': 0, 'split_rule': 'by pair'}
    """
    known = [item.name for item in fields(PASSPORTS[option("kind", kind, PASSPORTS)])]
    if text.lstrip().startswith("{"):
        found = dict(read_json("text", text, deepest=8))
        for name, expected in (("version", VERSION), ("kind", kind)):
            option(name, found.pop(name, expected), (expected,))
    else:
        found = {}
        for part in filter(str.strip, re.split(r"[;\n]", text)):
            entry = _ENTRY.fullmatch(part)
            if entry is None:
                raise DomainError("text", part.strip(), "name = value")
            found[entry[1]] = _value(entry[2].strip())
    for name in found:
        option("entry", name, known)
    return found


def _value(text: str) -> Any:
    try:
        return read_json("text", text, deepest=8)
    except DomainError:
        return text
