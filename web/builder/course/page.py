"""The pages of the course in one language; their formulas are typeset together with those of all pages."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from web.builder.course import view
from web.builder.course.content import STATUSES, Course, Part, Step
from web.builder.course.formula import Formulas
from web.builder.course.text import Text
from web.labs.texts import load

LAB = re.compile(r"^:::+ *lab +(\S+)", re.MULTILINE)


class Page(NamedTuple):
    """A page to be written: its address below the language, its template and what that needs."""

    path: str
    template: str
    context: dict[str, Any]


LabPage = Callable[[str, str, str, str], Any]


def living(step: Step, language: str) -> tuple[str, str] | None:
    """The lab that a step opens and the query of its state, if it has one."""
    found = LAB.search(step.text[language])
    if not found:
        return None
    name, _, query = found[1].partition("?")
    return name, query


class Book(NamedTuple):
    """The course in one language.

    Attributes:
        course: what was read.
        language: `ru` or `en`.
        formulas: takes every formula; filled in when all pages are known.
        folder: `web/course`, which holds the words of these pages.
    """

    course: Course
    language: str
    formulas: Formulas
    folder: Path

    def shared(self) -> dict[str, Any]:
        """What every page of the course, and the site's first page, may show."""
        steps = self.course.steps
        return {
            "course": load(self.folder, self.language),
            "titles": {step.id: title(step, self.language) for step in steps},
            "parts": self.course.parts,
            "first": steps[0] if steps else None,
            "self_check": self.course.self_check,
        }

    def text(self, step: Step | None, path: str, words: Mapping[str, Any]) -> Text:
        """A text of this language that stands at `path`."""
        root = "../" * (path.count("/") + 1)
        place = str(self.folder / step.id / f"{self.language}.md") if step else str(self.folder)
        return Text(self.course, step, self.language, words, root, self.formulas, place)


def title(step: Step, language: str) -> str:
    """A step's title as plain text."""
    return step.text[language].lstrip().partition("\n")[0].removeprefix("# ").strip()


def pages(book: Book, lab_page: LabPage) -> Iterator[Page]:
    """Every page of the course in one language.

    Args:
        book: the course in that language.
        lab_page: makes a lab ready for a page, from its name, the language, the state and a name for its document.

    Raises:
        CourseError: whatever in the texts or the questions is wrong.
    """
    course, shared = book.course, {**book.shared(), "textbook": True}
    words = shared["course"]
    yield Page("course/", "course.html", shared)
    for part in course.parts:
        yield Page(f"course/{part.id}/", "course-part.html", shared | {"part": part})
        for step in part.steps:
            yield _step(book, part, step, lab_page, shared)
        if part.steps:
            path = f"course/{part.id}/handout/"
            articles = [_view(step, book.text(step, path, words), None) for step in part.steps]
            yield Page(path, "handout.html", shared | {"part": part, "articles": articles})
    if course.self_check:
        yield _step(book, None, course.self_check, lab_page, shared)
    text = book.text(None, "glossary/", words)
    terms = sorted((view.term_view(key, text) for key in course.terms), key=lambda term: str(term["name"]).lower())
    yield Page("glossary/", "glossary.html", shared | {"terms": terms})
    yield Page("sources/", "sources.html", shared | _register(book, words))
    yield Page("progress/", "progress.html", shared)


def _step(book: Book, part: Part | None, step: Step, lab_page: LabPage, shared: dict[str, Any]) -> Page:
    path = f"course/{step.id}/"
    text = book.text(step, path, shared["course"])
    live = None
    if found := living(step, book.language):
        name, query = found
        book.course.labs.check(name, query, text.place)
        if book.course.labs.exists(name):
            text.live = name
            live = lab_page(name, book.language, query, step.id.replace("/", "-"))
    steps = book.course.steps
    at = steps.index(step) if part else len(steps)
    around = {"before": steps[at - 1] if at else None, "after": steps[at + 1] if at + 1 < len(steps) else None}
    context = {"step": _view(step, text, live), "part": part, "lab": live, "asleep": True, **around}
    return Page(path, "step.html", shared | context)


def _view(step: Step, text: Text, live: Any) -> dict[str, Any]:
    return {**view.step_view(step, text, live), "live": live}


def _register(book: Book, words: Mapping[str, Any]) -> dict[str, Any]:
    """Every claim of the course by its step, and every source with the steps that rest on it."""
    claims = []
    cited: dict[str, dict[str, Step]] = {source: {} for source in book.course.sources}
    for step in book.course.steps:
        text = book.text(step, "sources/", words)
        rows = [view.claim_view(claim, text) for claim in step.claims.values()]
        for claim in step.claims.values():
            for source in claim.sources:
                cited[source][step.id] = step
        if rows:
            claims.append({"step": step, "claims": rows})
    counts = {status: sum(claim.status == status for claim in book.course.claims.values()) for status in STATUSES}
    sources = sorted(book.course.sources.values(), key=lambda source: source.short.lower())
    return {"claims": claims, "sources": sources, "cited": cited, "counts": counts}
