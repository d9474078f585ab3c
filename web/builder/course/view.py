"""What the templates need of a step in one language: pieces of HTML and plain words, nothing left to decide."""

import json
import re
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from web.builder.course import markup
from web.builder.course.check import Check
from web.builder.course.content import Claim, Step
from web.builder.course.text import Text
from web.builder.still import NARROW, stills
from web.exercises import folder
from web.labs.texts import Writer, load

MOST_STILLS = 3  # of a lab with many small figures its first ones
PIECE = re.compile("\ue002(\\d+)\ue003|\ue004([^\ue005]+)\ue005")


def check_view(check: Check, text: Text, index: int) -> dict[str, Any]:
    """A question and its answer."""
    place, text.place = text.place, f"{text.place.rpartition('/')[0]}/checks.toml: {check.id}"

    def line(words: Any) -> Markup:
        return Markup(markup.inline(text, words[text.language])) if words else Markup("")

    def logged(words: Any) -> Markup:
        return Markup(markup.log_line(text, words[text.language]))

    items = [
        {
            "text": logged(item.text) if check.kind == "fault" else line(item.text),
            "plain": item.text[text.language],
            "why": line(item.why),
            "right": item.right,
            "match": item.match[text.language] if item.match else "",
            "hint": line(item.hint),
        }
        for item in check.items
    ]
    view = {
        "id": check.id,
        "kind": check.kind,
        "index": index,
        "ask": Markup(markup.render(text, check.ask[text.language])),
        "items": items,
        "why": line(check.why),
        "hint": line(check.hint),
        "choices": [choice[text.language] for choice in check.choices],
        "key": json.dumps(check.key),
        "key_data": check.key,
        "value": Writer(text.language).format(f"{{0:{check.shown}}}", check.key["value"]) if check.shown else "",
    }
    text.place = place
    return view


def pieces(body: str, text: Text, checks: dict[str, dict[str, Any]], live: Any) -> Iterator[dict[str, Any]]:
    """The body cut at its labs and questions, so that a template can set each where it stands."""
    nothing = {"html": Markup(""), "check": None, "lab": None}
    end = 0
    for found in PIECE.finditer(body):
        yield {**nothing, "html": Markup(body[end : found.start()])}
        end = found.end()
        if found[2]:
            if found[2] not in checks:
                raise text.fault(f"::check {found[2]}: checks.toml has {', '.join(checks) or 'no questions'}")
            yield {**nothing, "check": checks[found[2]]}
            continue
        address, task = text.labs[int(found[1])]
        name, _, query = address.partition("?")
        exists = text.course.labs.exists(name)
        kind = "coming" if not exists else "live" if live is not None and int(found[1]) == 0 else "link"
        still: Any = stills(name, text.language, query, NARROW) if kind == "link" else ("", {})
        shown = {"summary": still[0], "stills": list(still[1].values())[:MOST_STILLS]}
        yield {**nothing, **shown, "lab": kind, "name": name, "query": query, "task": Markup(task)}
    yield {**nothing, "html": Markup(body[end:])}


def claim_view(claim: Claim, text: Text) -> dict[str, Any]:
    """A claim with its status in words and its sources."""
    sources = [text.course.sources[source] for source in claim.sources]
    return {
        "id": claim.id,
        "name": claim.id.rsplit("/", 1)[1],
        "status": claim.status,
        "text": Markup(markup.inline(text, claim.text[text.language])),
        "sources": sources,
        "where": claim.where[text.language].replace("§ ", "§\u00a0"),
        "date": claim.date,
        "run": claim.run,
        "step": claim.id.rsplit("/", 1)[0],
    }


def term_view(key: str, text: Text) -> dict[str, Any]:
    """A term: its name in this language, its name in the other, what it means."""
    term = text.course.terms[key]
    step = next((step for step in text.course.steps if step.id == term.step), None)
    other = next(code for code in term.names if code != text.language)
    return {
        "id": key,
        "name": term.names[text.language],
        "other": term.names[other],
        "other_language": other,
        "meaning": Markup(markup.inline(text, term.meaning[text.language])),
        "step": step,
    }


def step_view(step: Step, text: Text, live: Any) -> dict[str, Any]:
    """Everything that a step's page shows.

    Raises:
        CourseError: what `markup.render` raises; a claim of step.toml that the text does not make; no limits stated.
    """
    title, rest = markup.opening(text, step.text[text.language])
    body = markup.render(text, rest)
    checks = {check.id: check_view(check, text, index) for index, check in enumerate(step.checks, 1)}
    if unused := sorted(set(step.claims) - set(text.claims)):
        raise text.fault(f"the claim `{unused[0]}` of step.toml is made nowhere; write [words](claim:{unused[0]})")
    if step.label and not text.limits:
        raise text.fault("a step says what it does not say: :::limits")
    for exercise in step.exercises:
        if exercise not in text.course.exercises | text.course.coming_exercises:
            raise text.fault(f"step.toml names the unknown exercise `{exercise}`")
    claims = [claim_view(step.claims[name], text) for name in text.claims]
    return {
        "id": step.id,
        "label": step.label,
        "title": Markup(markup.inline(text, title)),
        "plain_title": title,
        "pieces": list(pieces(body, text, checks, live)),
        "checks": list(checks.values()),
        "left": [check for check in checks.values() if check["id"] not in text.placed],
        "claims": claims,
        "exercises": [
            {"id": name, "ready": ready, "title": load(folder.HERE / name, text.language)["title"] if ready else ""}
            for name in step.exercises
            for ready in [name in text.course.exercises]
        ],
        "sources": [text.course.sources[key] for key in text.sources],
        "terms": sorted((term_view(key, text) for key in list(text.terms)), key=lambda term: term["name"].lower()),
    }
