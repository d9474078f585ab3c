"""The course's Markdown: CommonMark with tables, formulas, and the few marks for terms, numbers, claims and labs.

[[advantage]]  [[advantage|преимущества]]      a term of the glossary
{= groups.empty_probability(0.9, 8); .0% =}   a number, computed and spelled by the build
$p^G$                                          a formula in the line
[@dapo]  [text](claim:name)                    a source; a claim of the step's own step.toml
[text](step:lesson-2/2)  [text](lab:signal?p=0.9&G=16)  [text](exercise:p-info)  [text](#place)
## A heading {#place}
::check name          a question here, not at the end
:::formula, :::lab, :::diagram, :::note, :::limits, :::example ... :::
"""

import html
import re
from collections.abc import Callable, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from web.builder.course import number, table
from web.builder.course.diagram import draw
from web.builder.course.text import COMPUTED, Text, link

BLOCKS = ("formula", "lab", "diagram", "note", "limits", "example")
TERM = re.compile(r"\[\[([a-z0-9-]+)(?:\|([^\]\n]+))?\]\]")
CITED = re.compile(r"\[@([a-z0-9-]+)\]")
PLACE = re.compile(r"^(.*?)\s*\{#([a-z0-9-]+)\}$")
LINE = re.compile(r"^::(\w+) ([A-Za-z0-9_-]+)$")
# A browser may break a line before the full stop behind a formula or a badge, and behind the bracket before it.
KEPT = re.compile(
    r'([(«“„]*)(<span class="whole">\ue000\d+\ue001</span>|<a class="badge [^>]*>[^<]*</a>)([.,;:!?)»”…]*)'
)
STEP = re.compile(r"(?<=>)([Шш]аг[а-я]*|[Ss]tep) (?=\d)")  # the beginning of a link
DASH = re.compile(r"(?<=\S) (?=[—–] )")  # no line begins with a dash
FIELD = re.compile(r"\S+(?: \S+)*")
LONGEST_FIELD = 26  # characters of a log's field that are never parted: a narrow phone's line


# ---- the marks in a line


def _match(pattern: re.Pattern[str], kind: str, mark: str) -> Callable[[StateInline, bool], bool]:
    def rule(state: StateInline, silent: bool) -> bool:
        if not state.src.startswith(mark, state.pos):
            return False
        found = pattern.match(state.src, state.pos)
        if not found:
            return False
        if not silent:
            token = state.push(kind, "", 0)
            token.meta = {"found": found.groups()}
        state.pos = found.end()
        return True

    return rule


def _inline_rules(md: MarkdownIt) -> None:
    for kind, pattern, mark in (("term", TERM, "[["), ("cited", CITED, "[@"), ("computed", COMPUTED, "{=")):
        md.inline.ruler.before("link", kind, _match(pattern, kind, mark))
    rules: dict[str, Callable[[Text, Token], str]] = {
        "code_inline": lambda text, token: f"<code>{_computed(text, token.content)}</code>",
        "term": lambda text, token: text.term(*token.meta["found"]),
        "cited": lambda text, token: text.cite(token.meta["found"][0]),
        "computed": lambda text, token: _computed(text, f"{{={token.meta['found'][0]}=}}"),
        "math_inline": lambda text, token: text.tex(token.content, display=False),
        "math_block": lambda text, token: _refuse(text, "$$ ... $$", ":::formula, which names its symbols"),
        "image": lambda text, token: _refuse(text, "an image", ":::diagram, which is drawn from data"),
        "colon_fence": _block,
    }
    for name, rule in rules.items():
        md.add_render_rule(name, _render(rule))
    md.add_render_rule("link_open", _open_link)
    md.add_render_rule("link_close", lambda self, tokens, at, options, env: env["closing"].pop())
    for name, draw_part in table.RULES.items():
        md.add_render_rule(name, draw_part)


def _computed(text: Text, content: str) -> str:
    """A piece of text with its numbers computed."""

    def write(found: re.Match[str]) -> str:
        return number.write(found[1], text.numbers(), text.language, text.place)

    return html.escape(COMPUTED.sub(write, content))


def _render(rule: Callable[[Text, Token], str]) -> Callable[..., str]:
    return lambda self, tokens, at, options, env: rule(env["text"], tokens[at])


def _open_link(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    opening, closing = link(env["text"], str(tokens[at].attrs["href"]).replace("%7C", "|"))
    env["closing"].append(closing)
    return opening


def _refuse(text: Text, what: str, instead: str) -> str:
    raise text.fault(f"{what} is not used here; write {instead}")


# ---- the blocks


def _block(text: Text, token: Token) -> str:
    name, _, argument = token.info.strip().partition(" ")
    if name not in BLOCKS:
        raise text.fault(f"unknown block :::{name}; blocks are {', '.join(BLOCKS)}")
    content = token.content.strip("\n")
    if name == "formula":
        return _formula(text, content)
    if name == "diagram":
        return draw(text, argument.strip(), content)
    if name == "lab":
        task = render(text, content)
        text.course.labs.check(*argument.strip().partition("?")[::2], text.place)
        text.labs.append((argument.strip(), task))
        return f"\ue002{len(text.labs) - 1}\ue003"
    inner = render(text, content)
    if name == "note":
        return f'<aside class="note">{inner}</aside>'
    if name == "example":
        return f'<section class="example">{inner}</section>'
    text.limits = True
    return f'<section class="limits"><h2 id="limits">{html.escape(text.words["limits"])}</h2>{inner}</section>'


def _formula(text: Text, content: str) -> str:
    """TeX, an empty line, and a line for every symbol: `TeX: what it is`."""
    tex, _, symbols = content.partition("\n\n")
    named = [line.partition(": ") for line in symbols.splitlines() if line.strip()]
    if not named or not all(meaning for _, _, meaning in named):
        raise text.fault("a formula names its symbols: after an empty line one `TeX: what it is` each")
    rows = "".join(
        f"<div><dt>{text.tex(symbol, display=False)}</dt><dd>{inline(text, meaning)}</dd></div>"
        for symbol, _, meaning in named
    )
    shown = text.tex(tex, display=True)
    label = html.escape(text.words["formula"], quote=True)
    return (
        f'<div class="formula-block"><div class="formula" tabindex="0" role="group" aria-label="{label}">{shown}</div>'
        f'<dl class="symbols">{rows}</dl></div>'
    )


# ---- from text to HTML


class Renderer(RendererHTML):
    """HTML in which a formula or a badge keeps the marks that touch it."""

    def renderInline(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        """One line of text."""
        made = DASH.sub("\u00a0", STEP.sub("\\1\u00a0", super().renderInline(tokens, options, env)))
        return KEPT.sub(_together, made)


def _together(found: re.Match[str]) -> str:
    return f'<span class="whole">{found[0]}</span>' if found[1] or found[3] else found[0]


def _parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer).enable("table")
    dollarmath_plugin(md, allow_labels=False, allow_space=False, double_inline=False)
    colon_fence_plugin(md)
    _inline_rules(md)
    return md


PARSER = _parser()


def render(text: Text, source: str) -> str:
    """Markdown as HTML; what it uses is noted in `text`.

    Raises:
        CourseError: an unknown term, source, claim, lab, link or block; a number that cannot be computed.
    """
    env = {"text": text, "closing": []}
    tokens = PARSER.parse(source, env)
    made = []
    for token in tokens:
        if token.type == "heading_open" and token.tag == "h1":
            raise text.fault("only the first line is a heading of the first level")
    for at, token in enumerate(tokens):
        if token.type != "inline":
            continue
        before = tokens[at - 1]
        if before.type == "heading_open":
            text.headings += 1
            found = PLACE.match(token.content)
            before.attrs["id"] = found[2] if found else f"s{text.headings}"
            if found:
                token.content = found[1]
                token.children = PARSER.parseInline(found[1], env)[0].children
        if before.type == "paragraph_open" and (line := LINE.match(token.content)):
            made.append((at, line))
    for at, line in reversed(made):
        if line[1] != "check":
            raise text.fault(f"unknown line ::{line[1]}; there is ::check name")
        text.placed.append(line[2])
        tokens[at - 1 : at + 2] = [Token("html_block", "", 0, content=f"\ue004{line[2]}\ue005")]
    return str(PARSER.renderer.render(table.mended(tokens), PARSER.options, env))


def inline(text: Text, source: str) -> str:
    """A piece of a line as HTML."""
    env = {"text": text, "closing": []}
    return str(PARSER.renderer.render(PARSER.parseInline(source.strip(), env), PARSER.options, env)).strip()


def log_line(text: Text, source: str) -> str:
    """A line of a log or of a program: no mark in it is Markdown, and its indentation is part of what it says.

    Fields that stand two or more spaces apart keep their words together.
    """
    line = _computed(text, source.rstrip())
    if "  " not in line.strip():
        return line

    def field(found: re.Match[str]) -> str:
        return found[0] if len(found[0]) > LONGEST_FIELD else f'<span class="whole">{found[0]}</span>'

    return FIELD.sub(field, line)


def opening(text: Text, source: str) -> tuple[str, str]:
    """Splits a step's Markdown into its title (the first line, `# Title`) and the rest.

    Raises:
        CourseError: there is no title.
    """
    first, _, rest = source.lstrip().partition("\n")
    if not first.startswith("# "):
        raise text.fault("the first line is the title: `# Title`")
    return first[2:].strip(), rest
