"""Oracle: HTTP's own rules, asked of the running server through a plain client."""

import gzip
import http.client
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from web.builder.serve import Server, server

Ask = Callable[..., tuple[int, dict[str, str], bytes]]


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    root = tmp_path / "dist"
    (root / "labs").mkdir(parents=True)
    (root / "index.html").write_text("<p>front</p>")
    (root / "labs/index.html").write_text("<p>labs</p>")
    (root / "script.mjs").write_text("export {};\n" * 100)
    (root / "script.mjs.gz").write_bytes(gzip.compress((root / "script.mjs").read_bytes()))
    (root / "script.mjs.br").write_bytes(b"a brotli stream")
    (tmp_path / "secret.txt").write_text("secret")
    return root


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    running = []

    def begin(root: Path, **options: object) -> Server:
        made = server(root, **({"port": 0} | options))  # type: ignore[arg-type]
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        running.append((made, thread))
        return made

    yield begin
    for made, thread in running:
        made.shutdown()
        made.server_close()
        thread.join()


@pytest.fixture
def ask(dist: Path, start: Callable[..., Server]) -> Ask:
    return client(start(dist))


def client(listening: Server) -> Ask:
    def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", listening.server_port, timeout=10)
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), body

    return ask


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.wasm", "application/wasm"),
        ("a.json", "application/json; charset=utf-8"),
        ("a.zip", "application/zip"),
        ("a.woff2", "font/woff2"),
        ("a.html", "text/html; charset=utf-8"),
        ("a.unknown", "application/octet-stream"),
    ],
)
def test_every_type_is_the_one_that_browsers_want(dist: Path, ask: Ask, name: str, expected: str) -> None:
    (dist / name).write_bytes(b"x")
    assert ask(f"/{name}")[1]["Content-Type"] == expected


def test_every_origin_may_read_everything_even_what_is_missing(ask: Ask) -> None:
    for path, status in {"/": 200, "/labs": 301, "/nothing": 404}.items():
        answered, headers, _ = ask(path)
        assert answered == status
        assert headers["Access-Control-Allow-Origin"] == "*"


def test_a_reload_costs_304_until_the_file_changes(dist: Path, ask: Ask) -> None:
    _, headers, body = ask("/index.html")
    assert headers["Cache-Control"] == "no-cache"
    status, again, nothing = ask("/index.html", If_None_Match=headers["ETag"])
    assert (status, again["ETag"], nothing) == (304, headers["ETag"], b"")
    (dist / "index.html").write_bytes(body.replace(b"front", b"FRONT"))  # the same length
    status, changed, body = ask("/index.html", If_None_Match=headers["ETag"])
    assert (status, body) == (200, b"<p>FRONT</p>")
    assert changed["ETag"] != headers["ETag"]


def test_the_best_precompressed_sibling_that_the_client_accepts_is_sent(dist: Path, ask: Ask) -> None:
    plain = (dist / "script.mjs").read_bytes()
    tags = set()
    for accepted, encoding, content in [
        ("gzip, deflate, br;q=1.0", "br", b"a brotli stream"),
        ("gzip", "gzip", (dist / "script.mjs.gz").read_bytes()),
        ("identity", None, plain),
    ]:
        _, headers, body = ask("/script.mjs", Accept_Encoding=accepted)
        assert (headers.get("Content-Encoding"), body) == (encoding, content)
        assert headers["Vary"] == "Accept-Encoding"
        assert headers["Content-Type"].startswith("text/javascript")
        tags.add(headers["ETag"])
    assert len(tags) == 3


def test_a_sibling_older_than_its_file_is_not_sent(dist: Path, ask: Ask) -> None:
    later = time.time() + 60
    os.utime(dist / "script.mjs", (later, later))
    assert "Content-Encoding" not in ask("/script.mjs", Accept_Encoding="br, gzip")[1]


def test_a_sub_path_is_the_whole_world(dist: Path, start: Callable[..., Server]) -> None:
    ask = client(start(dist, base="courses/rlvr"))
    assert ask("/courses/rlvr/labs/")[2] == b"<p>labs</p>"
    assert ask("/courses/rlvr/labs?a=1")[1]["Location"] == "/courses/rlvr/labs/?a=1"
    status, _, body = ask("/labs/")
    assert status == 404
    assert b"the site starts at /courses/rlvr/" in body


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/labs/..%2f..%2fsecret.txt"])
def test_nothing_outside_the_folder_is_served(ask: Ask, path: str) -> None:
    status, _, body = ask(path)
    assert status == 404
    assert body != b"secret"


def test_the_sites_own_page_answers_what_is_missing(dist: Path, ask: Ask) -> None:
    (dist / "404.html").write_text("lost")
    assert ask("/nothing")[::2] == (404, b"lost")


def test_head_tells_the_length_and_sends_nothing(ask: Ask) -> None:
    status, headers, body = ask("/index.html", method="HEAD")
    assert (status, headers["Content-Length"], body) == (200, "12", b"")


def test_a_taken_port_moves_on_to_the_next_free_one(dist: Path, start: Callable[..., Server]) -> None:
    first = start(dist)
    second = start(dist, port=first.server_port)
    assert first.server_port < second.server_port < first.server_port + 20
    assert client(second)("/")[0] == 200
