"""Tables of the course: numbers align right, words wrap, and what is wider than a phone stands there row by row."""

import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from markdown_it.token import Token

WORDS = re.compile(r"[^\W\d_]{2}")
COMPUTED = re.compile(r"\{=.*?=\}")
LINK = re.compile(r"\[([^\]]*)\]\((\w+):[^)]*\)")
TERM = re.compile(r"\[\[[^\]|\\]+(?:\\?\|([^\]]*))?\]\]")
COMMAND = re.compile(r"\\[a-zA-Z]+")
MARKS = re.compile(r"[{}$^_`\\ ]")
MATHS = re.compile(r"\$[^$]*\$")
# A phone of 320 pixels has room for 288. In its smallest type a letter, the gap between columns, a badge take about:
ROOM, LATIN, CYRILLIC, GAP, BADGE = 288, 7.2, 8.1, 8, 116


def mended(tokens: Sequence[Token]) -> list[Token]:
    """The same tokens, with the tables told how to stand.

    A table with words beside its first column gets the class `words`. One that a phone has no room for gets the class
    `rows`, and each of its cells carries the words of its column's head.
    """
    made: list[Token] = []
    for token in tokens:
        made.append(token)
        if token.type == "table_close":
            start = next(at for at in range(len(made) - 1, -1, -1) if made[at].type == "table_open")
            made[start:] = list(_table(made[start:]))
    return made


def _table(tokens: list[Token]) -> Iterator[Token]:
    cells = [(at, tokens[at + 1]) for at, token in enumerate(tokens) if token.type in ("th_open", "td_open")]
    heads = [cell for at, cell in cells if tokens[at].type == "th_open"]
    width = len(heads)
    words = any(at % width and WORDS.match(cell.content) for at, (_, cell) in enumerate(cells) if at >= width)
    least = [
        max(_least(cell.content, at == 0 or words or row == 0) for row, cell in enumerate(column))
        for at, column in enumerate([cell for _, cell in cells][at::width] for at in range(width))
    ]
    rows = sum(least) + GAP * (width - 1) > ROOM
    tokens[0].attrs["class"] = " ".join(name for name, wanted in (("words", words), ("rows", rows)) if wanted)
    if not tokens[0].attrs["class"]:
        del tokens[0].attrs["class"]
    column = 0
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            column = 0
        if token.type == "th_open" and not tokens[at + 1].content.strip():
            token.tag = tokens[at + 2].tag = "td"  # a corner without words heads nothing
        if rows and token.type in ROLES:
            token.attrs["role"] = "cell" if token.tag == "td" else ROLES[token.type]
        yield token
        if token.type == "td_open":
            if rows and column and tokens[at + 1].content.strip():
                head = Token("cell_head", "", 0, children=_without_links(heads[column]))
                tokens[at + 1].children = [head, *(tokens[at + 1].children or ())]
            column += 1


# What is shown row by row is a table no longer to the browser; these say that it is one.
ROLES = {
    "table_open": "table",
    "thead_open": "rowgroup",
    "tbody_open": "rowgroup",
    "tr_open": "row",
    "th_open": "columnheader",
    "td_open": "cell",
}


def _least(content: str, wraps: bool) -> float:
    """About how many pixels a cell needs at least."""
    badge = BADGE if "](claim:" in content else 0
    plain = LINK.sub(r"\1", TERM.sub(lambda found: found[1] or "a term", COMPUTED.sub("−0,000", content)))
    plain = MATHS.sub(lambda found: MARKS.sub("", COMMAND.sub("x", found[0])), plain)
    pieces = plain.split() if wraps else [plain]
    return max(
        badge, *(sum(CYRILLIC if "а" <= sign.lower() <= "я" else LATIN for sign in piece) for piece in pieces), 0
    )


def _without_links(head: Token) -> list[Token]:
    return [token for token in head.children or () if token.type not in ("link_open", "link_close")]


def _open(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    # What is still too wide scrolls by itself, and by the keyboard.
    label = html.escape(env["text"].words["table"], quote=True)
    opening = self.renderToken(tokens, at, options, env)
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">{opening}'


def _cell_head(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    shown = self.renderInline(tokens[at].children, options, env)
    return f'<span class="cell-head" aria-hidden="true">{shown}</span> '


RULES: dict[str, Callable[..., str]] = {
    "table_open": _open,
    "table_close": lambda self, tokens, at, options, env: "</table></div>",
    "cell_head": _cell_head,
}
