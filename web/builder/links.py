"""Every link of the finished site leads somewhere: to a file that is there, and to a place that its page has."""

import html
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from web.builder import BuildError

# Our templates write every attribute in double quotes; a parser would take a hundred times longer over the formulas.
PLACE = re.compile(r'\sid="([^"]+)"')
LINK = re.compile(r'\s(?:href|src)="([^"]*)"')


class DeadLink(BuildError):
    """A link, picture or script of a page that leads nowhere."""


def check(dist: Path) -> int:
    """Follows every relative link of every page; returns how many there are.

    Raises:
        DeadLink: names the page and the link.
    """
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in dist.rglob("*.html")}
    places = {path: set(map(html.unescape, PLACE.findall(text))) for path, text in texts.items()}
    count = 0
    for path, text in texts.items():
        for link in map(html.unescape, LINK.findall(text)):
            address, place = urldefrag(link)
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            where = f"{path.relative_to(dist.resolve())} links to {link}"
            if not target.is_file():
                raise DeadLink(f"{where}, and there is no such file")
            if place and unquote(place) not in places.get(target, ()):
                raise DeadLink(f"{where}, and that page has no place `{place}`")
    return count
