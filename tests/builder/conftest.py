"""A real web server for the downloads under test: it can break off, refuse ranges, and remembers what it was asked."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Origin(ThreadingHTTPServer):
    """Serves `files`; sends at most `limit` bytes of an answer's body before it hangs up."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.limit: int | None = None
        self.ranges = True
        self.address = f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    server: Origin

    def do_GET(self) -> None:
        path, wanted = self.path.partition("?")[0], self.headers.get("Range")
        self.server.asked.append((path, wanted))
        data = self.server.files.get(path)
        if data is None:
            return self.send_error(404)
        self.send_response(200 if not wanted or not self.server.ranges else 206)
        if wanted and self.server.ranges:
            first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted).groups()  # type: ignore[union-attr]
            stop = min(int(last) + 1 if last else len(data), len(data))
            self.send_header("Content-Range", f"bytes {first}-{stop - 1}/{len(data)}")
            data = data[int(first) : stop]
        self.send_header("Content-Type", "text/html" if path.endswith("/") else "application/octet-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: self.server.limit])

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def origin() -> Iterator[Origin]:
    server = Origin()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
