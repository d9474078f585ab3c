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
    """A formula that KaTeX cannot parse."""


def typeset(formulas: Sequence[str], cache: Path) -> list[str]:
    """HTML of each formula, in order.

    Raises:
        FormulaError: carries KaTeX's own message, which quotes the formula.
    """
    package = fetch.unpack("katex.tgz", cache)
    done = subprocess.run(
        [node.tool("node"), str(SCRIPT), str(package / "dist" / "katex.mjs")],
        input=json.dumps(list(formulas)),
        capture_output=True,
        text=True,
        env=os.environ | {"NODE_NO_WARNINGS": "1"},
    )
    if done.returncode:
        raise FormulaError(done.stderr[-2000:])
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
