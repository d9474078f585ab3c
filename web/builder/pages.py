"""Every page of the site in both languages, from templates, a lab's words and its prerendered state."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from web import labs
from web.builder import documents, exercises, maths, notebooks, reference, transfer, words
from web.builder.course import content
from web.builder.course import page as course_page
from web.builder.course.content import Course
from web.builder.course.formula import Formulas
from web.builder.still import Still, draw, stills_of
from web.builder.still.key import sign
from web.labs import engine
from web.labs.contract import SURPRISE, Lab
from web.labs.figure import Figure, Labels, Letters
from web.labs.process import Process
from web.labs.texts import LANGUAGES, load

SHELL = Path(__file__).parents[1] / "shell"
FRONT = "signal"  # the lab that the first page opens with

# Scripts and wasm from the site alone. `blob:` is for Panel's components, whose modules are imported from one, and for
# the worker of a sandboxed frame. Bokeh writes style elements into its shadow roots, KaTeX style attributes.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval' blob:",
        "worker-src 'self' blob:",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)


class Templates(Environment):
    """`a.copy` in a template means the word `copy`, not the method that every dictionary has."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What `obj.attribute` stands for: a dictionary's own entry first."""
        return obj[attribute] if isinstance(obj, dict) and attribute in obj else super().getattr(obj, attribute)


@dataclass(frozen=True)
class LabPage:
    """What the templates need of one lab in one language."""

    name: str
    text: dict[str, Any]
    groups: list[dict[str, Any]]
    presets: list[dict[str, Any]]
    predict: dict[str, str]
    texts: dict[str, Any]
    drawings: dict[str, Any]
    stills: dict[str, Still]
    shown: dict[str, Any]
    formula: str
    document: str
    process: Process | None
    file: str
    component: str
    component_words: Markup
    extra: dict[str, Any]
    maps: list[dict[str, Any]]
    onward: dict[str, str]


def write(dist: Path, cache: Path, runtime: list[dict[str, Any]]) -> Course:
    """Writes the pages and the labs' documents.

    Args:
        dist: the site's folder.
        cache: folder that outlives the build.
        runtime: what the worker loads, each `{"url", "bytes"}`, so that a page can tell how much is still to come.

    Returns:
        the course that was read.
    """
    for folder in words.folders():
        words.check(folder)
    environment = Templates(
        loader=FileSystemLoader([SHELL / "templates", *(SHELL.parent / name for name in labs.components())]),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"anchored": anchored, "sign": sign, "said": said}
    sites = {language: load(SHELL, language) for language in LANGUAGES}
    shared = {"policy": POLICY, "title": sites["en"]["name"], "languages": sites}
    for name, template in (("index.html", "root.html"), ("404.html", "missing.html")):
        (dist / name).write_text(environment.get_template(template).render(shared), encoding="utf-8")
    (dist / "assets" / "labs").mkdir(parents=True)
    modules = reference.modules()
    read, formulas_of_course = content.read(), Formulas()
    learned = exercises.read(dist)
    ready = documents.prepare(_states(read), cache / "documents")
    lab_page = partial(_lab_page, ready)
    written: list[tuple[Path, str]] = []
    for language, site in sites.items():
        entries = _labs(language, cache, ready)
        pages = {
            "": ("front.html", next(lab for lab in entries if lab.name == FRONT)),
            "labs/": ("labs.html", None),
            "reference/": ("reference.html", None),
            "search/": ("search.html", None),
        }
        presets = reference.presets(language)
        formulas = maths.typeset([preset.formula for preset in presets], cache)
        for lab in entries:
            pages[f"labs/{lab.name}/"] = ("lab-page.html", lab)
            pages[f"embed/{lab.name}/"] = ("embed.html", lab)
        exercise_pages = exercises.pages(learned, language, site["exercise"], formulas_of_course, read.steps)
        book = course_page.Book(read, language, formulas_of_course, content.HERE)
        every = [(path, template, {"lab": lab}) for path, (template, lab) in pages.items()]
        every[0][2].update(book.shared())
        for path, template, own in [*every, *course_page.pages(book, lab_page), *exercise_pages]:
            root = "../" * (path.count("/") + 1)
            if living := own.get("lab"):
                document = dist / "assets" / "labs" / f"{living.file}.{language}.json"
                document.write_text(living.document, encoding="utf-8")
                archive = f"runtime/labs/{living.name}.zip"
                own["runtime_files"] = _json([*runtime, {"url": archive, "bytes": (dist / archive).stat().st_size}])
            context = shared | {
                "site": site,
                "language": language,
                "other": next(code for code in LANGUAGES if code != language),
                "root": root,
                "alternates": {code: f"{root}{code}/{path}" for code in LANGUAGES},
                "scripts": ("latin", "cyrillic") if language == "ru" else ("latin",),
                "lab_words": _json(site["lab"]),
                "search_words": _json(site["search"]),
                "check_words": _json(load(content.HERE, language)["check"]),
                "journey_words": _json(load(content.HERE, language)["journey"]),
                "labs": entries,
                "practicum": notebooks.offered(language),
                "gallery": _gallery(entries, language) if template == "labs.html" else [],
                "modules": modules,
                "presets": [
                    {"name": preset.name, "axes": preset.axes, "html": Markup(html)}
                    for preset, html in zip(presets, formulas, strict=True)
                ],
                "formulas": template not in ("labs.html", "search.html"),
                "embedded": template == "embed.html",
                "exercise_words": _json(site["exercise"]),
                "lab": None,
                "course": None,
                "textbook": False,
                "asleep": False,
                **own,
            }
            html = environment.get_template(template).render(context)
            written.append((dist / language / path / "index.html", html))
    formulas_of_course.typeset(cache)
    for target, html in written:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(formulas_of_course.fill(html), encoding="utf-8")
    return read


def said(table: list[list[str]], columns: int) -> list[bool]:
    """Which columns of a table hold words rather than numbers: those are set from the left and may break.

    >>> said([["1", "where prompts come from"], ["2", "the split"]], 2)
    [False, True]
    """
    words = [[re.search(r"[^\W\d_]{3}", cell) is not None for cell in column] for column in zip(*table, strict=True)]
    return [sum(column) > len(column) / 2 for column in words] or [False] * columns


def _states(course: Course) -> Iterator[documents.State]:
    """Every state of a lab that some page opens with."""
    steps = [*course.steps, *([course.self_check] if course.self_check else [])]
    for language in LANGUAGES:
        yield from ((name, language, "") for name in labs.names())
        opened = [found for step in steps if (found := course_page.living(step, language))]
        yield from ((name, language, query) for name, query in opened if course.labs.exists(name))


def _lab_page(
    ready: Mapping[documents.State, documents.Prerendered],
    name: str,
    language: str,
    query: str,
    file: str,
    formula: str = "",
) -> LabPage:
    """A lab in a given state, ready for a page.

    Args:
        ready: every state's document.
        name: the lab.
        language: `ru` or `en`.
        query: its state, as after `?` in an address.
        file: what its document will be called.
        formula: set as HTML; a step shows its own instead.
    """
    made, text = ready[name, language, query], engine.words(name, language)
    return LabPage(
        name,
        text,
        groups=_groups(name, text, made.shown["controls"]),
        presets=_presets(name, language),
        predict=_predict(name, language),
        texts=text.get("texts", {}),
        drawings=made.drawings,
        stills=stills_of(name, language, made.shown["sources"]),
        shown=made.shown,
        formula=Markup(formula),
        document=made.document,
        process=labs.load(name).process,
        file=file,
        component=labs.load(name).component,
        component_words=_json(
            text.get("component", {}) | {"names": text.get("names", {}), "axes": text.get("axes", {})}
        ),
        extra=json.loads(made.shown.get("extra", "{}")),
        maps=transfer.maps(name, labs.load(name).sweep, language) if labs.load(name).sweep else [],
        onward={other: engine.words(other, language)["title"] for other in made.shown["onward"]},
    )


def _labs(language: str, cache: Path, ready: Mapping[documents.State, documents.Prerendered]) -> list[LabPage]:
    texts = {name: engine.words(name, language) for name in labs.names()}
    formulas = maths.typeset([text["formula"] for text in texts.values()], cache)
    return [_lab_page(ready, name, language, "", name, formula) for name, formula in zip(texts, formulas, strict=True)]


def _gallery(entries: list[LabPage], language: str) -> list[dict[str, Any]]:
    """The labs by the parts of the course, each with a small picture of its first figure."""
    parts: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        lab, sources = labs.load(entry.name), entry.shown.get("sources", {})
        drawable = (figure for figure in lab.figures.values() if {mark.source for mark in figure.marks} <= set(sources))
        figure = next(drawable, None)
        picture = Markup(draw(_bare(figure), sources, {}, language, width=320)) if figure else ""
        parts.setdefault(lab.order // 10, []).append({"page": entry, "still": picture})
    titles = [part.words[language]["title"] for part in content.read().parts]
    return [{"number": number, "title": titles[number], "labs": found} for number, found in sorted(parts.items())]


def _bare(figure: Figure) -> Figure:
    """A figure without words and axes, as small as a picture in a list is."""
    marks = tuple(mark for mark in figure.marks if not isinstance(mark, Labels | Letters))
    x, y = replace(figure.x, shown=False), replace(figure.y, shown=False)
    return replace(figure, marks=marks, x=x, y=y, height=190)


def _groups(name: str, text: dict[str, Any], state: dict[str, Any]) -> list[dict[str, Any]]:
    """The controls under their headings, in the order of the lab; those without one stand together."""
    lab = labs.load(name)
    heading = {control: group for group, members in lab.groups.items() for control in members}
    found: dict[str, dict[str, Any]] = {}
    for control in lab.controls:
        group = heading.get(control.name, "")
        label = text["groups"][group] if group else ""
        entry = found.setdefault(group, {"label": label, "folded": group in lab.folded, "controls": []})
        rule = lab.when.get(control.name, {})
        entry["controls"].append(
            {
                "name": control.name,
                "kind": type(control).__name__.lower(),
                "when": json.dumps(rule) if rule else "",
                "fill": json.dumps(_fill(lab, control.name)) if control.name in lab.fill else "",
                "matters": all(state[other] in values for other, values in rule.items()),
            }
        )
    return list(found.values())


def _fill(lab: Lab, name: str) -> dict[str, dict[str, Any]]:
    """What each option of a choice sets; under the empty name the defaults of all that any of them sets."""
    options = lab.fill[name]
    named = {other for state in options.values() for other in state}
    return {
        "": {c.name: c.default for c in lab.controls if c.name in named},
        **{k: dict(v) for k, v in options.items()},
    }


@cache
def _presets(name: str, language: str) -> list[dict[str, Any]]:
    text = engine.words(name, language)
    return [
        {
            **text["presets"][key],
            "surprise": key == SURPRISE,
            "query": (query := engine.query_of(name, state)),
            "state": engine.answer(name, language, query)["query"],
        }
        for key, state in labs.load(name).presets.items()
    ]


@cache
def _predict(name: str, language: str) -> dict[str, str]:
    predict = labs.load(name).predict
    query = engine.query_of(name, predict.state)
    return {"right": predict.right, "query": query, "reveal": engine.reveal(name, language)}


def anchored(html: str, prefix: str) -> Markup:
    """The same piece of a page with all its places, and the references to them, renamed: several may share a page."""
    named = re.sub(r'\b(id|for)="([^"]+)"', rf'\1="{prefix}-\2"', str(html))
    named = re.sub(r'\bhref="#([^"]+)"', rf'href="#{prefix}-\1"', named)
    labelled = re.compile(r'\b(aria-labelledby|aria-describedby)="([^"]+)"')
    return Markup(labelled.sub(lambda m: f'{m[1]}="{" ".join(f"{prefix}-{one}" for one in m[2].split())}"', named))


def _json(value: object) -> Markup:
    """JSON for a data block: no `<` survives, so that no text can end the element."""
    return Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))
