"""Questions of a step: what is asked, which answer is right, and why, for every answer that can be given.

The key of a numeric question is an expression on `pycore`; it is never typed. What is shown in shuffled order is
shuffled by the question's own name, so that every build and both languages show the same.
"""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from web.builder.course import CourseError, number
from web.builder.course.entry import both, only

Words = Mapping[str, str]
# What each kind must have beside `kind` and `ask`, and what it may have.
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "single": (("options",), ("why", "keep_order")),
    "multiple": (("options",), ("why", "keep_order")),
    "fault": (("lines",), ("why",)),
    "numeric": (("answer", "format", "why", "hint"), ("tolerance", "relative", "traps")),
    "ordering": (("items",), ("why",)),
    "matching": (("pairs",), ("why", "extra")),
    "open": (("points",), ("why",)),
}


@dataclass(frozen=True)
class Item:
    """One thing to choose, to place or to match.

    Attributes:
        text: what it says.
        why: what the learner reads after choosing it.
        right: whether it belongs to the answer.
        match: of a matching question, the right side.
        hint: of a matching question, what helps when the wrong right side was chosen.
    """

    text: Words
    why: Words
    right: bool = False
    match: Words | None = None
    hint: Words | None = None


@dataclass(frozen=True)
class Check:
    """One question.

    Attributes:
        id: unique in its step.
        kind: one of KINDS.
        ask: the question.
        items: in the order in which they are shown; of a numeric question its traps.
        why: what is said about the answer as a whole, or None.
        hint: of a numeric question, what is said to a wrong answer that is no trap.
        choices: of a matching question, the right sides as shown.
        key: what the grader compares with, in terms of what is shown.
        shown: of a numeric question, the format in which the answer is written.
    """

    id: str
    kind: str
    ask: Words
    items: tuple[Item, ...]
    why: Words | None
    hint: Words | None
    choices: tuple[Words, ...]
    key: Mapping[str, Any]
    shown: str


def read(entries: Mapping[str, Any], numbers: Mapping[str, Any], place: str) -> tuple[Check, ...]:
    """The questions of a step in the order written.

    Raises:
        CourseError: names the file, the question and what is wrong with it.
    """
    return tuple(_check(name, entry, numbers, f"{place}: {name}") for name, entry in entries.items())


def _check(name: str, entry: Mapping[str, Any], numbers: Mapping[str, Any], where: str) -> Check:
    kind = entry.get("kind")
    if kind not in KINDS:
        raise CourseError(f"{where} has the kind {kind!r}; kinds are {', '.join(KINDS)}")
    needed, possible = KINDS[kind]
    only(where, entry, ("kind", "ask", *needed, *possible))
    if missing := [field for field in needed if field not in entry]:
        raise CourseError(f"{where}: a {kind} question needs `{missing[0]}`")
    parts = {
        "single": _options,
        "multiple": _options,
        "fault": _lines,
        "numeric": _numeric,
        "ordering": _ordering,
        "matching": _matching,
        "open": _open,
    }[kind](name, entry, numbers, where)
    why, hint = (both(f"{where}.{field}", entry[field]) if field in entry else None for field in ("why", "hint"))
    ask = both(f"{where}.ask", entry.get("ask"))
    return Check(name, kind, ask, parts[0], why, hint, parts[2], parts[1], entry.get("format", ""))


Parts = tuple[tuple[Item, ...], dict[str, Any], tuple[Words, ...]]


def _options(name: str, entry: Mapping[str, Any], _: Mapping[str, Any], where: str) -> Parts:
    items = _items(entry["options"], f"{where}.options", ("right",))
    if not entry.get("keep_order"):
        items = [items[place] for place in shuffled(name, len(items))]
    right = [place for place, item in enumerate(items) if item.right]
    if not right or (entry["kind"] == "single" and len(right) != 1) or len(items) < 2:
        wanted = "one right option" if entry["kind"] == "single" else "at least one right option"
        raise CourseError(f"{where} needs two or more options and {wanted}; it has {len(items)} and {len(right)} right")
    return tuple(items), {"right": right}, ()


def _lines(name: str, entry: Mapping[str, Any], _: Mapping[str, Any], where: str) -> Parts:
    items = _items(entry["lines"], f"{where}.lines", ("fault",))
    right = [place for place, item in enumerate(items) if item.right]
    if len(right) != 1 or len(items) < 2:
        raise CourseError(f"{where} needs exactly one line with `fault = true`; it has {len(right)}")
    return tuple(items), {"right": right}, ()


def _numeric(name: str, entry: Mapping[str, Any], numbers: Mapping[str, Any], where: str) -> Parts:
    value = float(number.evaluate(str(entry["answer"]), numbers, where))
    tolerance = float(entry.get("tolerance", 0)) or abs(value) * float(entry.get("relative", 0))
    if not tolerance > 0:
        raise CourseError(f"{where} needs `tolerance` (absolute) or `relative`, above zero")
    items, traps = [], []
    for place, trap in enumerate(entry.get("traps", ())):
        only(f"{where}.traps[{place}]", trap, ("value", "why"))
        wrong = float(number.evaluate(str(trap.get("value")), numbers, f"{where}.traps[{place}]"))
        if abs(wrong - value) <= tolerance:
            raise CourseError(f"{where}.traps[{place}]: {wrong:g} is accepted as right ({value:g} ± {tolerance:g})")
        traps.append(wrong)
        why = both(f"{where}.traps[{place}].why", trap.get("why"))
        items.append(Item(dict.fromkeys(why, f"{{= {wrong!r}; {entry['format']} =}}"), why))
    return tuple(items), {"value": value, "tolerance": tolerance, "traps": traps}, ()


def _ordering(name: str, entry: Mapping[str, Any], _: Mapping[str, Any], where: str) -> Parts:
    items = _items(entry["items"], f"{where}.items", ())
    if len(items) < 3:
        raise CourseError(f"{where} needs three or more items")
    order = shuffled(name, len(items))
    return tuple(items[place] for place in order), {"order": [order.index(place) for place in range(len(items))]}, ()


def _matching(name: str, entry: Mapping[str, Any], _: Mapping[str, Any], where: str) -> Parts:
    items = []
    for place, pair in enumerate(entry["pairs"]):
        at = f"{where}.pairs[{place}]"
        only(at, pair, ("left", "right", "why", "hint"))
        left, right, why, hint = (both(f"{at}.{field}", pair.get(field)) for field in ("left", "right", "why", "hint"))
        items.append(Item(left, why, True, right, hint))
    choices: list[Words] = []
    for text in [
        *(item.match for item in items if item.match),
        *(both(f"{where}.extra", x) for x in entry.get("extra", ())),
    ]:
        if text not in choices:
            choices.append(text)
    if len(items) < 2 or len(choices) < 2:
        raise CourseError(f"{where} needs two or more pairs with different right sides")
    if any(mark in text for choice in choices for text in choice.values() for mark in ("$", "[[", "{=")):
        raise CourseError(f"{where}: right sides are shown in a list, which can hold plain text only")
    order = shuffled(name, len(choices))
    choices = [choices[place] for place in order]
    return tuple(items), {"pairs": [choices.index(item.match) for item in items if item.match]}, tuple(choices)


def _open(name: str, entry: Mapping[str, Any], _: Mapping[str, Any], where: str) -> Parts:
    points = [both(f"{where}.points[{place}]", point) for place, point in enumerate(entry["points"])]
    if not points:
        raise CourseError(f"{where} needs `points`, what a good answer says")
    return tuple(Item(point, {}, True) for point in points), {}, ()


def _items(entries: Sequence[Mapping[str, Any]], where: str, flags: tuple[str, ...]) -> list[Item]:
    items = []
    for place, entry in enumerate(entries):
        at = f"{where}[{place}]"
        only(at, entry, ("ru", "en", "why", *flags))
        right = any(entry.get(flag, False) is True for flag in flags)
        items.append(Item(both(at, entry), both(f"{at}.why", entry.get("why")), right))
    return items


def shuffled(name: str, count: int) -> list[int]:
    """An order of `count` things that depends on the name alone and is not the order written."""
    source = random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]))
    order = list(range(count))
    while order == list(range(count)) and count > 1:
        source.shuffle(order)
    return order
