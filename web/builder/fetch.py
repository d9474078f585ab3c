"""Pinned files: from the cache or from an ordered list of sources, and never used before their hash is right."""

import hashlib
import os
import shutil
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from web.builder import BuildError
from web.builder.source import Say, SourceError, obtain

PINS = Path(__file__).with_name("runtime.toml")


class FetchError(BuildError):
    """A pinned file cannot be had, or is not the one that was pinned."""


@dataclass(frozen=True)
class Pin:
    """One file: what it is called here, what it must hash to, where it may come from."""

    name: str
    sha256: str
    sources: tuple[str, ...]


def pin(name: str) -> Pin:
    """The entry of runtime.toml called `name`.

    Raises:
        FetchError: when there is none.
    """
    entries = tomllib.loads(PINS.read_text())["file"]
    if name not in entries:
        raise FetchError(f"{name} is not pinned in {PINS.name}; pinned are {', '.join(entries)}")
    return Pin(name, entries[name]["sha256"], tuple(entries[name]["sources"]))


def sha256(path: Path) -> str:
    """Hash of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(wanted: Pin | str, cache: Path, say: Say = print) -> Path:
    """Path of a verified copy of a pinned file inside `cache`.

    Args:
        wanted: a pin, or the name of one in runtime.toml.
        cache: folder that outlives the build; holds finished files and what there is of unfinished ones.
        say: takes progress lines.

    Raises:
        FetchError: when no source gives the file, or when one gives a file with another hash - that one is deleted.
    """
    wanted = pin(wanted) if isinstance(wanted, str) else wanted
    kept = cache / "files" / wanted.sha256[:16] / wanted.name
    if kept.exists():
        if sha256(kept) == wanted.sha256:
            return kept
        say(f"  {wanted.name}: the cached copy is damaged, fetching it again")
        kept.unlink()
    arrived = _first_answer(wanted, cache / "download", say)
    kept.parent.mkdir(parents=True, exist_ok=True)
    os.replace(arrived, kept)
    return kept


def _first_answer(wanted: Pin, scratch: Path, say: Say) -> Path:
    """The file from the first source that gives it, verified."""
    reasons = []
    for number, source in enumerate(wanted.sources):
        say(f"  fetching {wanted.name} from {source}")
        try:
            arrived = obtain(source, scratch, say)
        except SourceError as error:
            following = wanted.sources[number + 1 : number + 2]
            reasons.append(f"{source}: {error}")
            then = f"next source: {following[0]}" if following else "no source is left"
            say(f"  {wanted.name}: {source} failed ({error}); {then}")
            continue
        if (found := sha256(arrived)) != wanted.sha256:
            shutil.rmtree(scratch)  # the tarball that it came out of as well
            raise FetchError(
                f"{wanted.name} from {source} has sha256 {found}, pinned is {wanted.sha256}. "
                "What was downloaded is deleted and nothing is built from it."
            )
        return arrived
    raise FetchError(f"{wanted.name} could not be fetched:\n  " + "\n  ".join(reasons))


def unpack(name: str, cache: Path, say: Say = print) -> Path:
    """Folder with the content of a pinned npm tarball (what it keeps below `package/`), unpacked once.

    Raises:
        FetchError: as `fetch`; or when the tarball wants to write outside its folder.
    """
    wanted = pin(name)
    folder = cache / "unpacked" / f"{wanted.sha256[:16]}-{PurePosixPath(name).stem}"
    if folder.is_dir():
        return folder
    tarball = fetch(wanted, cache, say)
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    with tarfile.open(tarball) as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts[1:]
            if not member.isfile() or not parts:
                continue
            if ".." in parts:
                raise FetchError(f"{name} holds a path that leaves its folder: {member.name}")
            content = archive.extractfile(member)
            assert content is not None
            path = fresh.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
    try:
        os.rename(fresh, folder)
    except OSError:  # a concurrent run was first and made the same one
        if not folder.is_dir():
            raise
        shutil.rmtree(fresh)
    return folder
