"""Assembles the whole site in a folder."""

from pathlib import Path

from web.builder import runtime
from web.builder.compress import compress, manifest

CACHE = Path(__file__).parents[2] / ".cache"


def build(dist: Path) -> None:
    """Fills `dist`, a new and empty folder."""
    runtime.build(dist / "runtime", cache=CACHE)
    compress(dist, cache=CACHE)
    manifest(dist)
