"""Oracle: the bytes that a local server holds, and the list of requests it received."""

import hashlib
import io
import json
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.builder.conftest import Origin
from web.builder.fetch import FetchError, Pin, fetch, pin, sha256

DATA = random.Random(7).randbytes(300_000)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def said() -> list[str]:
    return []


def test_the_second_fetch_reads_the_cache_and_asks_nobody(origin: Origin, tmp_path: Path, said: list[str]) -> None:
    origin.files["/a.bin"] = DATA
    wanted = Pin("a.bin", digest(DATA), (f"{origin.address}/a.bin",))
    first = fetch(wanted, tmp_path, said.append)
    assert first.read_bytes() == DATA
    assert fetch(wanted, tmp_path, said.append) == first
    assert origin.asked == [("/a.bin", None)]


def test_a_damaged_cached_copy_is_fetched_again(origin: Origin, tmp_path: Path, said: list[str]) -> None:
    origin.files["/a.bin"] = DATA
    wanted = Pin("a.bin", digest(DATA), (f"{origin.address}/a.bin",))
    fetch(wanted, tmp_path, said.append).write_bytes(b"damaged")
    assert fetch(wanted, tmp_path, said.append).read_bytes() == DATA
    assert any("damaged" in line for line in said)


def test_a_failed_source_is_named_with_the_file_and_the_next_source(
    origin: Origin, tmp_path: Path, said: list[str]
) -> None:
    origin.files["/good/a.bin"] = DATA
    bad, good = f"{origin.address}/bad/a.bin", f"{origin.address}/good/a.bin"
    fetch(Pin("a.bin", digest(DATA), (bad, good)), tmp_path, said.append)
    line = next(line for line in said if "failed" in line)
    assert line.strip().startswith(f"a.bin: {bad} failed (HTTPError: HTTP Error 404")
    assert line.endswith(f"next source: {good}")


def test_when_no_source_is_left_the_error_lists_them_all(origin: Origin, tmp_path: Path, said: list[str]) -> None:
    sources = (f"{origin.address}/one", f"{origin.address}/two", "ftp://three")
    with pytest.raises(FetchError) as caught:
        fetch(Pin("a.bin", digest(DATA), sources), tmp_path, said.append)
    assert all(source in str(caught.value) for source in sources)


def test_a_wrong_hash_stops_without_trying_another_source_and_keeps_nothing(
    origin: Origin, tmp_path: Path, said: list[str]
) -> None:
    origin.files |= {"/forged": b"forged", "/good": DATA}
    sources = (f"{origin.address}/forged", f"{origin.address}/good")
    with pytest.raises(FetchError, match=r"a\.bin from .*/forged has sha256 " + digest(b"forged")):
        fetch(Pin("a.bin", digest(DATA), sources), tmp_path, said.append)
    assert files(tmp_path) == []
    assert [path for path, _ in origin.asked] == ["/forged"]


def test_a_broken_download_continues_where_it_ended(origin: Origin, tmp_path: Path, said: list[str]) -> None:
    origin.files["/a.bin"] = DATA
    origin.limit = 200_000
    wanted = Pin("a.bin", digest(DATA), (f"{origin.address}/a.bin",))
    with pytest.raises(FetchError, match=r"the connection ended after 0\.2 MB of 0\.3 MB; the next run continues"):
        fetch(wanted, tmp_path, said.append)
    origin.limit = None
    assert fetch(wanted, tmp_path, said.append).read_bytes() == DATA
    assert origin.asked == [("/a.bin", None), ("/a.bin", "bytes=200000-")]


def test_a_server_without_ranges_starts_over(origin: Origin, tmp_path: Path, said: list[str]) -> None:
    origin.files["/a.bin"] = DATA
    origin.limit, origin.ranges = 200_000, False
    wanted = Pin("a.bin", digest(DATA), (f"{origin.address}/a.bin",))
    with pytest.raises(FetchError):
        fetch(wanted, tmp_path, said.append)
    origin.limit = None
    assert fetch(wanted, tmp_path, said.append).read_bytes() == DATA


def wheel(origin: Origin, compression: int) -> bytes:
    """Publishes the wheel `big` with the member big/inner.bin in an index of its own; returns the wheel."""
    name = "big-1.0-py3-none-any.whl"
    metadata = "Metadata-Version: 2.1\nName: big\nVersion: 1.0\n"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("big/ballast.bin", random.Random(1).randbytes(2_000_000))
        archive.writestr("big/inner.bin", DATA)
        archive.writestr("big-1.0.dist-info/METADATA", metadata)
        archive.writestr("big-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("big-1.0.dist-info/RECORD", "")
    link = f'<a href="/{name}" data-core-metadata="true">{name}</a>'
    origin.files |= {f"/{name}": stream.getvalue(), f"/{name}.metadata": metadata.encode()}
    origin.files["/simple/big/"] = f"<!doctype html><html><body>{link}</body></html>".encode()
    return stream.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_one_member_of_a_large_wheel_comes_without_the_rest(
    origin: Origin, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, compression: int
) -> None:
    whole = wheel(origin, compression)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{origin.address}/simple")
    wanted = Pin("inner.bin", digest(DATA), ("pypi:big==1.0!big/inner.bin",))
    assert fetch(wanted, tmp_path, said.append).read_bytes() == DATA
    parts = [part for path, part in origin.asked if path.endswith(".whl")]
    assert None not in parts  # nobody, pip included, asked for the whole
    spans = [part.removeprefix("bytes=").split("-") for part in parts if part]
    assert len(DATA) < sum(int(last) - int(first) + 1 for first, last in spans) < len(whole) / 4


def test_a_member_that_the_wheel_lacks_is_said(
    origin: Origin, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(origin, zipfile.ZIP_STORED)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{origin.address}/simple")
    with pytest.raises(FetchError, match=r"no member big/outer\.bin"):
        fetch(Pin("outer.bin", digest(DATA), ("pypi:big==1.0!big/outer.bin",)), tmp_path, said.append)


def test_two_files_of_an_npm_package_cost_one_download(
    origin: Origin, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {"one.txt": b"one", "deep/two.txt": b"two"}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    tarball = f"{origin.address}/thing/-/thing-1.2.3.tgz"
    version = {"name": "thing", "version": "1.2.3", "dist": {"tarball": tarball, "shasum": "0" * 40}}
    packument = {"name": "thing", "dist-tags": {"latest": "1.2.3"}, "versions": {"1.2.3": version}}
    origin.files |= {"/thing": json.dumps(packument).encode(), "/thing/-/thing-1.2.3.tgz": stream.getvalue()}
    monkeypatch.setenv("npm_config_registry", f"{origin.address}/")
    for name, data in contents.items():
        wanted = Pin(Path(name).name, digest(data), (f"npm:thing@1.2.3!{name}",))
        assert fetch(wanted, tmp_path, said.append).read_bytes() == data
    assert [path for path, _ in origin.asked].count("/thing/-/thing-1.2.3.tgz") == 1


def test_every_pin_has_a_hash_and_sources_of_known_kinds() -> None:
    with pytest.raises(FetchError, match="pinned are pyodide") as caught:
        pin("nothing")
    for name in str(caught.value).partition("pinned are ")[2].split(", "):
        entry = pin(name)
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert entry.sources
        assert all(source.startswith(("npm:", "pypi:", "https:")) for source in entry.sources)


def test_sha256_is_that_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(DATA)
    assert sha256(tmp_path / "file") == digest(DATA)
