"""Every link of the finished site leads somewhere: to a file that is there, and to a place that its page has."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from web.builder import BuildError


class DeadLink(BuildError):
    """A link, picture or script of a page that leads nowhere."""


class _Page(HTMLParser):
    """Collects the places of a page and what it refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def check(dist: Path) -> int:
    """Follows every relative link of every page; returns how many there are.

    Raises:
        DeadLink: names the page and the link.
    """
    pages: dict[Path, _Page] = {}
    for path in dist.rglob("*.html"):
        pages[path.resolve()] = page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    count = 0
    for path, page in pages.items():
        for link in page.links:
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
            if place and (target not in pages or unquote(place) not in pages[target].places):
                raise DeadLink(f"{where}, and that page has no place `{place}`")
    return count
