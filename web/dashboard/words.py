"""What of a board is words and not lines: the runs, their newest values, best answers, samples token by token."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pycore.control import number
from web.dashboard.board import Run, newest
from web.labs.figure import SLOTS
from web.labs.texts import Writer

MOST_GROUPS, MOST_ANSWERS, MOST_TOKENS, LONGEST = 3, 16, 200, 400
BEST = 20
AS_PLANNED = ("updates", "trl", "")  # how a journal says that a run came to its end
RULE = re.compile(r"(train|held_out) (\w{1,40}) ([<>])= (\S{1,40})")  # the words of a stop rule that was met


def told(runs: Sequence[Run], writer: Writer) -> dict[str, Any]:
    """JSON values for the page; every number as the language writes it."""
    return {
        "runs": [_run(slot, run, writer) for slot, run in zip(SLOTS, runs, strict=False)],
        "newest": [
            [axis, name, place, *(_known_number(value, writer.decimal) for value in values)]
            for axis, name, place, values in newest(runs)
        ],
        "samples": [_known_samples(slot, run, writer) for slot, run in zip(SLOTS, runs, strict=False)],
    }


def _run(slot: str, run: Run, writer: Writer) -> dict[str, Any]:
    end = run.of("end")
    last = run.journal.records[-1].update if run.journal.records else 0
    return {
        "slot": slot,
        "title": writer.options.get(run.title, run.title),
        "origin": run.origin,
        "key": run.key,
        "updates": writer.format("{0:,d}", last),
        "ending": _ending(str(end[-1].detail.get("reason") or "")[:LONGEST], writer) if end else {"how": ""},
        "finished": bool(end),
        "cut": run.cut,
        "ignored": run.journal.ignored,
    }


def _ending(reason: str, writer: Writer) -> dict[str, str]:
    """Why a run ended before its last update: by which rule, by hand, or in the journal's own words."""
    if met := RULE.fullmatch(reason):
        split, metric, side, bound = met.groups()
        sign = "≥" if side == ">" else "≤"
        if math.isfinite(value := number(bound)):
            return {"how": "rule", "where": split, "what": writer.format("{0} {1} {2:.4g}", metric, sign, value)}
    how = "" if reason in AS_PLANNED else "stopped" if reason == "stopped" else "other"
    return {"how": how, "what": reason}


def _known_samples(slot: str, run: Run, writer: Writer) -> dict[str, Any]:
    records = run.of("samples")
    key = ("samples", writer.decimal, slot, records[-1].update if records else -1)
    # As text: it is long, the same for many frames, and read by the page only when it is another.
    update = records[-1].update if records else -1
    text = run.once(key, lambda: json.dumps(_samples(slot, run, writer), ensure_ascii=False))
    return {"slot": slot, "update": update, "text": text}


def _samples(slot: str, run: Run, writer: Writer) -> dict[str, Any]:
    """The newest record of sample responses; a foreign one is taken only where it has our shape."""
    records = run.of("samples")
    if not records:
        return {"slot": slot, "update": -1, "best": [], "groups": []}
    detail = records[-1].detail
    groups = [part for part in _list(detail.get("groups"))[:MOST_GROUPS] if isinstance(part, list)]
    return {
        "slot": slot,
        "update": records[-1].update,
        "best": [_answer(one, writer) for one in _list(detail.get("best"))[:BEST] if isinstance(one, Mapping)],
        "groups": [
            [_answer(one, writer) for one in group[:MOST_ANSWERS] if isinstance(one, Mapping)] for group in groups
        ],
    }


def _answer(one: Mapping[str, Any], writer: Writer) -> dict[str, Any]:
    advantage = _finite(one.get("advantage"))
    response = one.get("response")
    tokens = [str(part)[:LONGEST] for part in response] if isinstance(response, list) else [str(response)[:LONGEST]]
    logp, moved = (_list(one.get(name)) for name in ("logp", "moved"))
    shaded = []
    for place, text in enumerate(tokens[:MOST_TOKENS]):
        before, move = (_finite(column[place]) if place < len(column) else math.nan for column in (logp, moved))
        shaded.append(_token(text, advantage, before, move, writer))
    return {
        "prompt": str(one.get("prompt", ""))[:LONGEST],
        "tokens": shaded,
        "reward": _number(_finite(one.get("reward")), writer),
        "advantage": writer.format("{0:+.2f}", advantage),
        "sign": (advantage > 0) - (advantage < 0),
        "correct": one.get("correct") is True,
    }


def _token(text: str, advantage: float, logp: float, moved: float, writer: Writer) -> dict[str, Any]:
    """A token and how strongly the update moved it: advantage times the change of its probability."""
    if not (math.isfinite(advantage) and math.isfinite(logp) and math.isfinite(moved)) or logp > 0:
        return {"text": text}
    before = math.exp(logp)
    after = min(1.0, math.exp(min(0.0, logp + moved)))
    product = advantage * (after - before)
    return {
        "text": text,
        # The root lets small changes be seen beside large ones.
        "shade": round(min(1.0, math.sqrt(abs(product))), 3),
        "sign": (advantage > 0) - (advantage < 0),
        "moved": 0 if abs(after - before) < 5e-4 else 1 if after > before else -1,
        "against": product < -5e-4,
        "before": writer.format("{0:.3f}", before),
        "after": writer.format("{0:.3f}", after),
        "product": writer.format("{0:+.3f}", product),
    }


@lru_cache(maxsize=4096)
def _known_number(value: float, decimal: str) -> str:
    return _number(value, Writer("ru" if decimal == "," else "en"))


def _number(value: float, writer: Writer) -> str:
    if math.isfinite(value) and abs(value) >= 1000:
        return writer.format("{0:,.0f}", value)
    return writer.format("{0:.3g}", value)


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        return math.nan
    return float(value)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
