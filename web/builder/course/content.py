"""The course as data: parts, steps, terms, sources and claims, read from `web/course` and checked for gaps."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from web.builder.course import CourseError, number
from web.builder.course.check import Check
from web.builder.course.check import read as read_checks
from web.builder.course.entry import both, only, toml
from web.builder.course.target import Labs
from web.builder.course.target import known as known_labs
from web.labs.texts import LANGUAGES

HERE = Path(__file__).parents[2] / "course"
EXERCISES = HERE.parent / "exercises"
STATUSES = ("theorem", "report", "experiment", "snapshot", "hypothesis")
SELF_CHECK = "self-check"
FILES = ("ru.md", "en.md", "step.toml", "checks.toml")
Words = Mapping[str, str]


@dataclass(frozen=True)
class Source:
    """A publication or a piece of software that claims rest on."""

    id: str
    short: str
    title: str
    authors: str
    year: int
    url: str


@dataclass(frozen=True)
class Term:
    """A word of the field in both languages, with its meaning, and the step that explains it."""

    id: str
    names: Words
    meaning: Words
    step: str


@dataclass(frozen=True)
class Claim:
    """A statement of fact: what is said, on whose word, and since when.

    Attributes:
        id: `part/step/name`, unique in the course.
        status: one of STATUSES.
        text: the statement in each language, complete without the step around it.
        sources: ids of sources; empty for a theorem proved in the step and for an experiment of ours.
        where: page, table or section in the source, as each language writes it.
        date: when it was published or checked: a year, or a day for a snapshot.
        run: the command that reproduces an experiment of ours.
    """

    id: str
    status: str
    text: Words
    sources: tuple[str, ...]
    where: Words
    date: str
    run: str


@dataclass(frozen=True)
class Step:
    """One step of the course.

    Attributes:
        id: `part/number`, which is also its folder and its address.
        label: as the contents number it, `1.5`.
        text: Markdown of each language.
        numbers: what the text and the checks may quote.
        claims: by their short name.
        exercises: ids of coding exercises that belong to it.
        checks: the questions, in order.
    """

    id: str
    label: str
    text: Words
    numbers: Mapping[str, Any]
    claims: Mapping[str, Claim]
    exercises: tuple[str, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Part:
    """A part or lesson: its words in each language and its steps."""

    id: str
    label: str
    words: Mapping[str, Mapping[str, str]]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Course:
    """Everything that was read.

    Attributes:
        self_check: the questions that end the course, or None.
        labs: what a step may open, with what is still to come.
        exercises: the folders of coding exercises.
        coming_exercises: those still to come.
        coming_steps: steps that the plan counts and that have no folder yet.
    """

    parts: tuple[Part, ...]
    self_check: Step | None
    terms: Mapping[str, Term]
    sources: Mapping[str, Source]
    labs: Labs
    exercises: frozenset[str]
    coming_exercises: frozenset[str]
    coming_steps: frozenset[str]

    @property
    def steps(self) -> list[Step]:
        """Every step in the order of the course."""
        return [step for part in self.parts for step in part.steps]

    @property
    def asked(self) -> list[Step]:
        """Every step, and the questions that end the course."""
        return [*self.steps, *([self.self_check] if self.self_check else [])]

    @property
    def claims(self) -> dict[str, Claim]:
        """Every claim of the course by its full id."""
        return {claim.id: claim for step in self.steps for claim in step.claims.values()}


def read(folder: Path = HERE) -> Course:
    """Reads the whole course.

    Raises:
        CourseError: the first thing that is missing, unknown or wrong.
    """
    plan = toml(folder / "course.toml")
    sources = {
        key: _source(folder / "sources.toml", key, entry) for key, entry in toml(folder / "sources.toml").items()
    }
    terms = {key: _term(folder / "glossary.toml", key, entry) for key, entry in toml(folder / "glossary.toml").items()}
    parts = tuple(_part(folder / entry["id"], entry, sources) for entry in plan["part"])
    known = {part.id for part in parts}
    known |= {SELF_CHECK, "__pycache__"}
    if stray := sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name not in known):
        raise CourseError(f"{folder / stray[0]} is no part of course.toml; parts are {', '.join(sorted(known))}")
    coming = {key: frozenset(plan.get("coming", {}).get(key, ())) for key in ("labs", "exercises")}
    planned = {f"{entry['id']}/{n}" for entry in plan["part"] for n in range(1, entry["steps"] + 1)}
    written = {step.id for part in parts for step in part.steps}
    if extra := sorted(written - planned):
        raise CourseError(f"{folder / extra[0]} is beyond what course.toml plans; raise `steps` of its part")
    exercises = frozenset(path.name for path in EXERCISES.glob("*") if (path / "starter.py").is_file())
    labs = known_labs(coming["labs"])
    last = _step(folder / SELF_CHECK, SELF_CHECK, "", sources) if (folder / SELF_CHECK).is_dir() else None
    return Course(parts, last, terms, sources, labs, exercises, coming["exercises"], frozenset(planned - written))


def _part(folder: Path, entry: Mapping[str, Any], sources: Mapping[str, Source]) -> Part:
    words = {language: toml(folder / f"{language}.toml") for language in LANGUAGES}
    numbers = sorted(int(p.name) for p in folder.iterdir() if p.is_dir() and p.name.isdigit())
    steps = []
    for n in numbers:
        label = chr(64 + n) if entry.get("letters") else f"{entry['label']}.{n}"
        steps.append(_step(folder / str(n), f"{entry['id']}/{n}", label, sources))
    return Part(entry["id"], entry["label"], words, tuple(steps))


def _step(folder: Path, step: str, label: str, sources: Mapping[str, Source]) -> Step:
    for name in FILES:
        if not (folder / name).is_file():
            raise CourseError(f"{folder} lacks {name}: a step is {', '.join(FILES)}")
    place = folder / "step.toml"
    data = toml(place)
    only(place, data, ("exercises", "numbers", "claims"))
    numbers = number.read(data.get("numbers", {}), str(place))
    claims = {name: _claim(place, f"{step}/{name}", entry, sources) for name, entry in data.get("claims", {}).items()}
    text = {language: (folder / f"{language}.md").read_text(encoding="utf-8") for language in LANGUAGES}
    checks = read_checks(toml(folder / "checks.toml"), numbers, str(folder / "checks.toml"))
    return Step(step, label, text, numbers, claims, tuple(data.get("exercises", ())), checks)


def _claim(place: Path, key: str, entry: Mapping[str, Any], sources: Mapping[str, Source]) -> Claim:
    where = f"{place}: claims.{key.rsplit('/', 1)[1]}"
    only(where, entry, ("status", "sources", "where", "date", "run", *LANGUAGES))
    status = entry.get("status")
    if status not in STATUSES:
        raise CourseError(f"{where} has the status {status!r}; allowed are {', '.join(STATUSES)}")
    cited = tuple(entry.get("sources", ()))
    for source in cited:
        if source not in sources:
            raise CourseError(f"{where} rests on the unknown source {source!r}; add it to sources.toml")
    if status in ("report", "hypothesis", "snapshot") and not cited:
        raise CourseError(f"{where}: a {status} needs `sources`")
    if status == "snapshot" and not isinstance(entry.get("date"), datetime.date):
        raise CourseError(f"{where}: a snapshot needs `date`, the day when the library was looked at")
    if status == "experiment" and not entry.get("run"):
        raise CourseError(f"{where}: an experiment needs `run`, the command that repeats it")
    date = str(entry.get("date") or (max(sources[source].year for source in cited) if cited else ""))
    cited_at = entry.get("where", "")
    cited_at = dict.fromkeys(LANGUAGES, cited_at) if isinstance(cited_at, str) else both(f"{where}.where", cited_at)
    return Claim(key, status, both(where, entry), cited, cited_at, date, entry.get("run", ""))


def _source(place: Path, key: str, entry: Mapping[str, Any]) -> Source:
    only(f"{place}: {key}", entry, ("short", "title", "authors", "year", "url"))
    try:
        source = Source(key, *(entry[field] for field in ("short", "title", "authors", "year", "url")))
    except KeyError as error:
        raise CourseError(f"{place}: {key} lacks {error.args[0]}") from error
    if source.url and not source.url.startswith(("https://", "http://")):
        raise CourseError(f"{place}: {key} has the address {source.url!r}")
    return source


def _term(place: Path, key: str, entry: Mapping[str, Any]) -> Term:
    only(f"{place}: {key}", entry, (*LANGUAGES, "meaning", "step"))
    meaning = both(f"{place}: {key}.meaning", entry.get("meaning", {}))
    return Term(key, both(f"{place}: {key}", entry), meaning, entry.get("step", ""))
