"""Formulas set by KaTeX at build time: HTML for the eye and MathML for the ear, no script in the page.

Native MathML alone would weigh nothing, but each browser draws it with whatever maths font the system happens to have;
KaTeX looks the same everywhere and its output holds the MathML as well.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from web.builder import BuildError, fetch, node

SCRIPT = Path(__file__).with_suffix(".mjs")


class FormulaError(BuildError):
    """A formula that KaTeX cannot parse.

    Attributes:
        index: which of the formulas, where KaTeX got that far.
    """

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


def typeset(formulas: Sequence[str], cache: Path, *, display: Sequence[bool] | None = None) -> list[str]:
    """HTML of each formula, in order.

    Args:
        formulas: TeX; `\\signal{p}` gives p the colour of a role of the palette.
        cache: folder that outlives the build.
        display: for each formula whether it stands on a line of its own; all do by default.

    Raises:
        FormulaError: carries KaTeX's own message, which quotes the formula.
    """
    package = fetch.unpack("katex.tgz", cache)
    done = subprocess.run(
        [node.tool("node"), str(SCRIPT), str(package / "dist" / "katex.mjs")],
        input=json.dumps(list(zip(formulas, display or [True] * len(formulas), strict=True))),
        capture_output=True,
        text=True,
        env=os.environ | {"NODE_NO_WARNINGS": "1"},
    )
    if done.returncode:
        index, _, message = done.stderr.partition(":")
        known = index.isdigit()
        raise FormulaError((message if known else done.stderr)[-2000:].strip(), int(index) if known else None)
    html: list[str] = json.loads(done.stdout)
    return html


def style(target: Path, cache: Path) -> None:
    """KaTeX's style sheet and its woff2 fonts; the older font formats are left out of both."""
    source = fetch.unpack("katex.tgz", cache) / "dist"
    sheet = (source / "katex.min.css").read_text(encoding="utf-8")
    sheet = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", sheet).replace(
        "font-display:block", "font-display:swap"
    )
    (target / "fonts").mkdir(parents=True)
    (target / "katex.css").write_text(sheet, encoding="utf-8")
    for font in sorted((source / "fonts").glob("*.woff2")):
        shutil.copyfile(font, target / "fonts" / font.name)
