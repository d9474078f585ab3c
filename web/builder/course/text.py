"""One text of the course being rendered: where it stands, what it may point at, and what it turned out to use."""

import html
import re
from dataclasses import dataclass, field
from typing import Any

from web.builder.course import CourseError, number
from web.builder.course.content import Course, Step
from web.builder.course.formula import Formulas, localised

COMPUTED = re.compile(r"\{=(.+?)=\}")


@dataclass
class Text:
    """One page being rendered: where it stands, and what it turned out to use.

    Attributes:
        live: the lab that lives in the page, that of its first lab block; links to it set its state.
        labs: every lab block, as address and HTML of its task.
        placed: checks that the text places itself.
        limits: whether it says what it does not say.
        headings: how many there have been, for the names of those that have none of their own.
    """

    course: Course
    step: Step | None
    language: str
    words: Any
    root: str
    formulas: Formulas
    place: str
    live: str = ""
    labs: list[tuple[str, str]] = field(default_factory=list)
    terms: dict[str, None] = field(default_factory=dict)
    sources: dict[str, None] = field(default_factory=dict)
    claims: dict[str, None] = field(default_factory=dict)
    placed: list[str] = field(default_factory=list)
    limits: bool = False
    headings: int = 0

    @property
    def home(self) -> str:
        """The way to the language's first page."""
        return f"{self.root}{self.language}/"

    def fault(self, message: str) -> CourseError:
        """An error at this place."""
        return CourseError(f"{self.place}: {message}")

    def numbers(self) -> Any:
        """What a number may quote by name."""
        return self.step.numbers if self.step else {}

    def tex(self, tex: str, *, display: bool) -> str:
        """A formula with its numbers computed, to be typeset later."""

        def computed(expression: str) -> str:
            text = number.write(expression, self.numbers(), self.language, self.place)
            return text.replace(",", "{,}").replace("%", r"\%").replace("\u00a0", r"\,").replace("−", "-")

        # Words and expressions alternate; the decimal marks of an expression stay Python's.
        pieces = COMPUTED.split(tex)
        pieces[::2] = [localised(piece, self.language) for piece in pieces[::2]]
        pieces[1::2] = [computed(piece) for piece in pieces[1::2]]
        return self.formulas.mark("".join(pieces), display=display, place=self.place)

    def term(self, key: str, shown: str | None) -> str:
        """A term in the text, tied to its entry at the end of the page."""
        if key not in self.course.terms:
            raise self.fault(f"unknown term [[{key}]]; add it to glossary.toml")
        self.terms[key] = None
        name = shown or self.course.terms[key].names[self.language]
        return f'<a class="term" href="#term-{key}">{html.escape(name)}</a>'

    def cite(self, key: str) -> str:
        """A source in the text, tied to its entry at the end of the page."""
        if key not in self.course.sources:
            raise self.fault(f"unknown source [@{key}]; add it to sources.toml")
        self.sources[key] = None
        return f'<a class="cited" href="#source-{key}">{html.escape(self.course.sources[key].short)}</a>'

    def claimed(self, name: str) -> str:
        """The badge behind a claim."""
        if self.step is None or name not in self.step.claims:
            raise self.fault(f"unknown claim `{name}`; add [claims.{name}] with its status to step.toml")
        claim = self.step.claims[name]
        self.claims[name] = None
        self.sources |= dict.fromkeys(claim.sources)
        label = html.escape(self.words["status"][claim.status]["badge"])
        return f'<a class="badge badge-{claim.status}" href="#claim-{name}">{label}</a>'


def link(text: Text, href: str) -> tuple[str, str]:
    """What opens and what closes a link.

    Raises:
        CourseError: a link to something that is not there, or of a kind that is not used.
    """
    kind, _, rest = href.partition(":")
    if href.startswith("#"):
        return f'<a href="{html.escape(href)}">', "</a>"
    if kind == "claim":
        return '<span class="claimed">', f"</span>{text.claimed(rest)}"
    if kind == "step":
        step, _, anchor = rest.partition("#")
        if step in text.course.coming_steps:
            return '<span class="coming">', "</span>"
        if step not in {one.id for one in text.course.steps}:
            raise text.fault(f"a link to the unknown step `{step}`")
        return f'<a href="{text.home}course/{step}/{"#" + anchor if anchor else ""}">', "</a>"
    if kind == "lab":
        name, _, query = rest.partition("?")
        text.course.labs.check(name, query, text.place)
        if not text.course.labs.exists(name):
            return '<span class="coming">', "</span>"
        if name == text.live:
            return f'<a data-try href="?{html.escape(query)}">', "</a>"
        return f'<a href="{text.home}labs/{name}/{"?" + html.escape(query) if query else ""}">', "</a>"
    if kind == "exercise":
        if rest in text.course.exercises:
            return f'<a href="{text.home}exercises/{rest}/">', "</a>"
        if rest in text.course.coming_exercises:
            return '<span class="coming">', "</span>"
        raise text.fault(f"a link to the unknown exercise `{rest}`")
    raise text.fault(
        f"a link to `{href}`: allowed are #place, step:, lab:, exercise: and claim:; "
        "a page elsewhere is a source, [@name]"
    )
