"""Cells kept as plain Python files: `# %%` begins a cell, its kind stands in brackets, then the language if it has one.

Kinds: `code` (also when none is given) and `markdown`; `native`, which only the linter and the type checker see: names
that the notebook has from an earlier cell; `given`, assignments whose values the builder replaces; `form` and `files`,
which the builder writes.
"""

import re
from typing import NamedTuple

from pycore.domain import DomainError

KINDS = ("code", "markdown", "native", "given", "form", "files")
HEADER = re.compile(r"# %%(?: \[(\w+)\](?: (\w+))?)?")


class Cell(NamedTuple):
    """One cell of a file: `language` is empty when it suits every language."""

    kind: str
    language: str
    text: str


def parse(text: str) -> list[Cell]:
    """The cells of a percent-format file; what stands above the first header, its docstring, is not a cell.

    Raises:
        DomainError: a header that cannot be read, or a kind that does not exist.

    >>> parse('# %% [markdown] en\\n# Hello,\\n#\\n# **world**\\n\\n# %%\\nx = 1\\n')
    [Cell(kind='markdown', language='en', text='Hello,\\n\\n**world**'), Cell(kind='code', language='', text='x = 1')]
    """
    cells: list[tuple[str, str, list[str]]] = []
    for line in text.split("\n"):
        if line.startswith("# %%"):
            header = HEADER.fullmatch(line)
            kind = (header[1] or "code") if header else ""
            if header is None or kind not in KINDS:
                raise DomainError("cell", line, "# %% [" + " | ".join(KINDS) + "] language")
            cells.append((kind, header[2] or "", []))
        elif cells:
            cells[-1][2].append(_uncomment(line) if cells[-1][0] == "markdown" else line)
    return [Cell(kind, language, "\n".join(lines).strip("\n")) for kind, language, lines in cells]


def _uncomment(line: str) -> str:
    if line and line != "#" and not line.startswith("# "):
        raise DomainError("markdown", line, "a comment")
    return line[2:]
