"""The search index of each language, made from the finished pages: what a reader sees is what is found."""

import json
import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

from web.builder import BuildError, fetch, node
from web.labs.texts import LANGUAGES

OPTIONS = Path(__file__).parents[1] / "shell" / "search-options.js"
# Other forms of what stands elsewhere, and pages that hold no text.
LEFT_OUT = ("embed/", "reference/", "progress/", "search/")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNREAD = {"script", "style", "svg", "nav", "button", "select", "textarea", "table", "dialog", "noscript", "template"}
INLINE = {
    "a",
    "abbr",
    "b",
    "cite",
    "code",
    "em",
    "i",
    "mark",
    "span",
    "strong",
    "sub",
    "sup",
    "annotation",
    "semantics",
}
UNREAD_CLASSES = {"answers", "crumbs", "terms", "katex-html", "lab-controls", "lab-state", "unseen", "steps", "rests"}


class _Reader(HTMLParser):
    """Cuts a page into sections at its headings and entries that have a place."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[dict[str, str]] = []
        self._stack: list[tuple[str, bool]] = []
        self._heading = ""
        self._tex = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        given = {name: value or "" for name, value in attrs}
        classes = set(given.get("class", "").split())
        inside = bool(self._stack) and self._stack[-1][1]
        reading = (inside or tag == "main") and tag not in UNREAD and not classes & UNREAD_CLASSES
        self._stack.append((tag, reading))
        self._apart(tag)
        self._tex = self._tex or tag == "math"
        if not reading:
            return
        if tag == "h1" or (tag in ("h2", "h3") and given.get("id")) or "entry" in classes:
            self.sections.append({"place": "" if tag == "h1" else given.get("id", ""), "section": "", "text": ""})
            self._heading = "dt" if "entry" in classes else tag
        if tag == "annotation":
            self._tex = False

    def _apart(self, tag: str) -> None:
        """Words of different blocks do not touch."""
        if tag not in INLINE and self.sections:
            self.sections[-1]["text"] += " "

    def handle_endtag(self, tag: str) -> None:
        self._apart(tag)
        while self._stack and self._stack.pop()[0] != tag:
            pass
        self._tex = self._tex and tag != "math"
        self._heading = "" if tag == self._heading else self._heading

    def handle_data(self, data: str) -> None:
        if not self._stack or not self._stack[-1][1] or self._tex or not self.sections:
            return
        if self._stack[-1][0] == "annotation":
            data = re.sub(r"\\(?:[a-zA-Z]+|.)|[{}]", "", data)
            self._tex = True
        field = "section" if self._heading else "text"
        self.sections[-1][field] += data


def sections(dist: Path, language: str) -> list[dict[str, str | int]]:
    """Every section of every page of one language, with the address below the language's folder."""
    found: list[dict[str, str | int]] = []
    home = dist / language
    for path in sorted(home.rglob("index.html")):
        address = path.parent.relative_to(home).as_posix() + "/"
        address = "" if address == "./" else address
        if address.startswith(LEFT_OUT) or address.endswith("handout/"):
            continue
        reader = _Reader()
        reader.feed(path.read_text(encoding="utf-8"))
        title = _plain(reader.sections[0]["section"]) if reader.sections else ""
        for section in reader.sections:
            text, heading = _plain(section["text"]), _plain(section["section"])
            if text:
                place = f"#{section['place']}" if section["place"] else ""
                shown = "" if heading == title else heading
                found.append({"id": len(found), "title": title, "section": shown, "text": text, "url": address + place})
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def build(dist: Path, cache: Path) -> dict[str, int]:
    """Writes `assets/search.<language>.json` and the library that reads it; how many sections each language has.

    Raises:
        BuildError: the library fails.
    """
    library = fetch.unpack("minisearch.tgz", cache)
    script = (library / "dist/es/index.js").read_text(encoding="utf-8")
    script = re.sub(r"^//# sourceMappingURL=.*$", "", script, flags=re.MULTILINE)
    (dist / "vendor/minisearch.js").write_text(script, encoding="utf-8")
    (dist / "vendor/minisearch-LICENSE.txt").write_bytes((library / "LICENSE.txt").read_bytes())
    counts = {}
    for language in LANGUAGES:
        found = sections(dist, language)
        command = [node.tool("node"), str(Path(__file__).with_suffix(".mjs"))]
        done = subprocess.run(
            [*command, str(library / "dist/es/index.js"), str(OPTIONS)],
            input=json.dumps(found),
            capture_output=True,
            text=True,
            env=os.environ | {"NODE_NO_WARNINGS": "1"},
        )
        if done.returncode:
            raise BuildError(f"the search index of `{language}` could not be made: {done.stderr[-2000:]}")
        (dist / "assets" / f"search.{language}.json").write_text(done.stdout, encoding="utf-8")
        counts[language] = len(found)
    return counts
