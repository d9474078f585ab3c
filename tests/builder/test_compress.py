"""Oracle: the decompressors of Python and Node, and a hash and a size computed here."""

import gzip
import hashlib
import json
import random
import subprocess
from pathlib import Path

import pytest

from web.builder import node
from web.builder.compress import compress, manifest

TEXT = "".join(random.Random(3).choices("abcdef \n", k=20_000)).encode()


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    root = tmp_path / "dist"
    (root / "deep").mkdir(parents=True)
    (root / "deep/page.html").write_bytes(TEXT)
    (root / "small.txt").write_bytes(TEXT[:500])
    (root / "noise.bin").write_bytes(random.Random(5).randbytes(5000))
    (root / "archive.zip").write_bytes(TEXT)
    return root


def test_siblings_hold_the_same_content_and_only_where_they_are_smaller(dist: Path, tmp_path: Path) -> None:
    written = compress(dist, cache=tmp_path / "cache", say=lambda line: None)
    packed = dist / "deep/page.html.br", dist / "deep/page.html.gz"
    assert set(written) == set(packed)
    assert gzip.decompress(packed[1].read_bytes()) == TEXT
    program = "process.stdout.write(require('zlib').brotliDecompressSync(require('fs').readFileSync(process.argv[1])))"
    decoded = subprocess.run([node.tool("node"), "-e", program, str(packed[0])], capture_output=True, check=True).stdout
    assert decoded == TEXT
    assert packed[0].stat().st_size < packed[1].stat().st_size < len(TEXT)


def test_the_same_content_is_compressed_once(dist: Path, tmp_path: Path) -> None:
    said: list[str] = []
    first = compress(dist, cache=tmp_path / "cache", say=said.append)
    before = [path.read_bytes() for path in first]
    assert len(said) == 1
    assert compress(dist, cache=tmp_path / "cache", say=said.append) == first
    assert len(said) == 1
    assert [path.read_bytes() for path in first] == before


def test_the_manifest_has_hash_and_sizes_of_every_loadable_file(dist: Path, tmp_path: Path) -> None:
    compress(dist, cache=tmp_path / "cache", say=lambda line: None)
    manifest(dist)
    again = json.loads(manifest(dist).read_text())  # the manifest itself is not in it
    assert set(again["files"]) == {"deep/page.html", "small.txt", "noise.bin", "archive.zip"}
    assert again["files"]["deep/page.html"] == {
        "sha256": hashlib.sha256(TEXT).hexdigest(),
        "bytes": len(TEXT),
        "br": (dist / "deep/page.html.br").stat().st_size,
        "gz": (dist / "deep/page.html.gz").stat().st_size,
    }
    assert again["files"]["small.txt"]["br"] == 500
    assert again["total"]["bytes"] == 2 * len(TEXT) + 5500
