"""Compressed siblings for hosts that serve them, and the manifest of what the browser may load.

Brotli comes from Node, which the build has anyway; every result is kept by the hash of what went in.
"""

import gzip
import json
import os
import shutil
import tempfile
from pathlib import Path

from web.builder import node
from web.builder.fetch import sha256
from web.builder.source import Say

SUFFIXES = (".br", ".gz")
# Packed already: another pass gains a hundredth.
PACKED = {".zip", ".woff2", ".png", ".webp", ".ico", *SUFFIXES}
SMALLEST = 1024  # below this the headers weigh more than what is saved


def compress(dist: Path, *, cache: Path, say: Say = print) -> list[Path]:
    """Writes a `.br` and a `.gz` beside every file of `dist` that shrinks.

    Args:
        dist: the finished site.
        cache: folder that outlives the build.
        say: takes progress lines.

    Returns:
        The siblings written.
    """
    files = [p for p in loadable(dist) if p.suffix not in PACKED and p.stat().st_size >= SMALLEST]
    kept = cache / "compressed"
    kept.mkdir(parents=True, exist_ok=True)
    stored = {path: kept / sha256(path) for path in files}
    missing = {stored[p]: p for p in files if not all(stored[p].with_suffix(s).exists() for s in SUFFIXES)}
    fresh = list(missing.values())  # of files with the same content, one
    if fresh:
        size = sum(path.stat().st_size for path in fresh) / 1e6
        say(f"  compressing {len(fresh)} files, {size:.1f} MB (once for one content)")
        _store({path: stored[path] for path in fresh}, kept)
    written = []
    for path in files:
        for suffix in SUFFIXES:
            packed = stored[path].with_suffix(suffix)
            if packed.stat().st_size < path.stat().st_size:
                written.append(Path(shutil.copyfile(packed, path.with_name(path.name + suffix))))
    return written


def _store(wanted: dict[Path, Path], kept: Path) -> None:
    """Compresses files into the cache; each gets its final name only when it is whole."""
    with tempfile.TemporaryDirectory(dir=kept) as scratch:
        jobs = [(path, Path(scratch, target.name)) for path, target in wanted.items()]
        listing = Path(scratch, "jobs.json")
        listing.write_text(json.dumps([(str(path), f"{target}.br") for path, target in jobs]))
        node.run(Path(__file__).with_name("compress.mjs"), [listing])
        for path, target in jobs:
            target.with_suffix(".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
            for suffix in SUFFIXES:
                os.replace(target.with_suffix(suffix), kept / (target.name + suffix))


def loadable(dist: Path) -> list[Path]:
    """Every file of the site but the compressed siblings and the manifest, sorted."""
    files = (p for p in dist.rglob("*") if p.is_file() and p.suffix not in SUFFIXES)
    return sorted(p for p in files if p != dist / "manifest.json")


def manifest(dist: Path) -> Path:
    """Writes `dist/manifest.json`: for every file the browser can load its sha256 and its size - raw, brotli, gzip.

    A compressed size is that of the sibling, or the raw size where there is none.
    """

    entries: dict[str, dict[str, str | int]] = {}
    total = dict.fromkeys(("bytes", "br", "gz"), 0)
    for path in loadable(dist):
        sizes = {"bytes": path.stat().st_size}
        for suffix in SUFFIXES:
            sibling = path.with_name(path.name + suffix)
            sizes[suffix[1:]] = sibling.stat().st_size if sibling.exists() else sizes["bytes"]
        entries[path.relative_to(dist).as_posix()] = {"sha256": sha256(path), **sizes}
        total = {key: total[key] + sizes[key] for key in total}
    target = dist / "manifest.json"
    target.write_text(json.dumps({"files": entries, "total": total}, indent=1, sort_keys=True) + "\n")
    return target
