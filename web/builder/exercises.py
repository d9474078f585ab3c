"""The exercises' pages, and what their worker and their checks are made of."""

import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from web.builder import editor
from web.builder.course import number
from web.builder.course.content import Step
from web.builder.course.formula import MARK, Formulas, localised
from web.builder.course.text import COMPUTED
from web.exercises import folder
from web.labs.texts import load

TOP = Path(__file__).parents[2]
FORMULA = re.compile(r"(\$\$[^$]+\$\$|\$[^$]+\$)")
RUNTIME = ("web/__init__.py", "web/exercises/__init__.py", "web/exercises/judge.py", "web/exercises/values.py")


@dataclass(frozen=True)
class Page:
    """What the templates need of one exercise in one language."""

    name: str
    text: dict[str, Any]
    html: Markup
    starter: str
    hints: list[Markup]
    checks: list[dict[str, Any]]
    wrong: dict[str, Markup]
    secret: str


def runtime(dist: Path, cache: Path) -> None:
    """The harness of the worker, what it imports, and the editor."""
    shutil.copyfile(TOP / "web/exercises/observe.py", dist / "runtime/exercise.py")
    with zipfile.ZipFile(dist / "runtime/exercise.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in RUNTIME:
            archive.writestr(
                zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), (TOP / name).read_bytes(), zipfile.ZIP_DEFLATED
            )
    shutil.copyfile(editor.bundle(cache), dist / "assets/editor.js")
    (dist / "assets/editor-LICENSE.txt").write_text(editor.notice(cache), encoding="utf-8")


def read(dist: Path) -> list[folder.Exercise]:
    """Every exercise; writes what it is checked with.

    Raises:
        ExerciseError: a folder is not whole.
    """
    exercises = [folder.read(folder.HERE / name) for name in folder.names()]
    data = dist / "assets" / "exercises"
    data.mkdir(parents=True)
    for one in exercises:
        content = {"solution": one.solution, "task": folder.as_text(one.task)}
        (data / f"{one.name}.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return exercises


def pages(
    exercises: Sequence[folder.Exercise],
    language: str,
    words: Mapping[str, str],
    formulas: Formulas,
    steps: Sequence[Step],
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The list and every exercise: address below the language, name of the template, what it needs.

    Args:
        exercises: all of them, in their order.
        language: `ru` or `en`.
        words: the site's words for exercises.
        formulas: takes the formulas; what it gives for them stands in the pages until it fills them.
        steps: of the course, each with the exercises that belong to it.
    """
    made = [_page(one, language, words, formulas) for one in exercises]
    yield "exercises/", "exercises.html", {"exercises": made}
    for page, following in zip(made, [*made[1:], None], strict=True):
        taught = [step for step in steps if page.name in step.exercises]
        around = {"exercise": page, "following": following, "taught": taught}
        yield f"exercises/{page.name}/", "exercise.html", around
        yield f"embed/exercises/{page.name}/", "exercise.html", around | {"embedded": True}


def _page(one: folder.Exercise, language: str, words: Mapping[str, str], formulas: Formulas) -> Page:
    place = f"web/exercises/{one.name}/{language}"
    text = load(folder.HERE / one.name, language)

    def html(source: str, *, inline: bool = True) -> Markup:
        env = {"formulas": formulas, "language": language, "place": place}
        source = computed(source, one, language, place)
        made = PARSER.renderInline(source, env) if inline else PARSER.render(source, env)
        # A line never begins with the full stop or comma that follows a formula.
        return Markup(re.sub(f"({MARK.pattern.replace('(', '(?:')})([.,;:])", r'<span class="whole">\1\2</span>', made))

    checks = [{**check, "html": html(text["checks"][check["name"]])} for check in one.task["checks"]]
    return Page(
        one.name,
        text,
        html((folder.HERE / one.name / f"{language}.md").read_text(encoding="utf-8"), inline=False),
        one.starter,
        [html(hint) for hint in text["hints"]],
        checks,
        {name: html(said) for name, said in text["wrong"].items()},
        words["secret"].format(count=sum(check["hidden"] for check in checks)),
    )


def computed(source: str, one: folder.Exercise, language: str, place: str) -> str:
    """The text with its `{= expression; format =}` computed by the oracles of the exercise.

    Inside a formula a number is written as TeX writes it; the formula is put into the language later.
    """

    def written(piece: str, language: str) -> str:
        return COMPUTED.sub(lambda found: number.write(found[1], one.oracles, language, place), piece)

    pieces = FORMULA.split(source)
    pieces[::2] = [written(piece, language) for piece in pieces[::2]]
    pieces[1::2] = [written(piece, "en").replace("−", "-") for piece in pieces[1::2]]
    return "".join(pieces)


def _inline(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return _formula(tokens[at].content, env, display=False)


def _block(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    shown = _formula(tokens[at].content, env, display=True)
    label = escape(" ".join(tokens[at].content.split()))
    return f'<div class="formula" tabindex="0" role="group" aria-label="{label}">{shown}</div>\n'


def _formula(tex: str, env: Any, *, display: bool) -> str:
    return str(env["formulas"].mark(localised(tex, env["language"]), display=display, place=env["place"]))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, double_inline=False)
    parser.add_render_rule("math_inline", _inline)
    parser.add_render_rule("math_block", _block)
    return parser


PARSER = _parser()
