"""Writes the pages of the course in one language; their formulas are typeset together with those of all pages."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from web.builder.course import view
from web.builder.course.content import Course, Part, Step
from web.builder.course.formula import Formulas
from web.builder.course.markup import Text
from web.labs.texts import load

LAB = re.compile(r"^:::+ *lab +(\S+)", re.MULTILINE)


class Page(NamedTuple):
    """A page to be written: its address below the language, its template and what that needs."""

    path: str
    template: str
    context: dict[str, Any]


LabPage = Callable[[str, str, str, str], Any]


def pages(course: Course, language: str, formulas: Formulas, lab_page: LabPage, folder: Path) -> Iterator[Page]:
    """Every page of the course in one language.

    Args:
        course: what was read.
        language: `ru` or `en`.
        formulas: takes every formula; filled in when all pages are known.
        lab_page: makes a lab ready for a page, from its name, the language, the state and a name for its document.
        folder: `web/course`, which holds the words of these pages.

    Raises:
        CourseError: whatever in the text or the questions is wrong.
    """
    words = load(folder, language)
    order = course.steps
    titles = {step.id: step.text[language].lstrip().partition("\n")[0].removeprefix("# ").strip() for step in order}
    shared = {"course": words, "titles": titles, "parts": course.parts}
    yield Page("course/", "course.html", shared | {"planned": course.coming_steps})
    for part in course.parts:
        yield Page(f"course/{part.id}/", "course-part.html", shared | {"part": part})
        for step in part.steps:
            yield _step(course, part, step, language, formulas, lab_page, folder, shared)


def _step(
    course: Course,
    part: Part,
    step: Step,
    language: str,
    formulas: Formulas,
    lab_page: LabPage,
    folder: Path,
    shared: dict[str, Any],
) -> Page:
    path = f"course/{step.id}/"
    root = "../" * (path.count("/") + 1)
    place = str(folder / step.id / f"{language}.md")
    text = Text(course, step, language, shared["course"], root, formulas, place)
    live = None
    if found := LAB.search(step.text[language]):
        name, _, query = found[1].partition("?")
        course.labs.check(name, query, place)
        if course.labs.exists(name):
            text.live = name
            live = lab_page(name, language, query, step.id.replace("/", "-"))
    at = course.steps.index(step)
    around = {
        "before": course.steps[at - 1] if at else None,
        "after": course.steps[at + 1] if at + 1 < len(course.steps) else None,
    }
    context = {"step": view.step_view(step, text, live), "part": part, "lab": live, "asleep": True, **around}
    return Page(path, "step.html", shared | context)
