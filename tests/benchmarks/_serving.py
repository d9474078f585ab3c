"""The site's own server with a slow line in front of it and a log of what passed: the same for both sides."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from web.builder.serve import Handler, Server

CHUNK = 8192


@dataclass
class Line:
    """One link to one visitor: what its connections share.

    Attributes:
        rate: bytes per second, or 0 for no limit.
        delay: seconds from a request to the first byte of its answer, and once for each new connection.
        sent: what has left: time, path, bytes of the body as sent, bytes of the file behind it.
    """

    rate: float = 0
    delay: float = 0
    free: float = 0
    sent: list[tuple[float, str, int, int]] = field(default_factory=list)
    turn: threading.Lock = field(default_factory=threading.Lock)

    def pass_(self, count: int) -> None:
        """Waits until `count` bytes have crossed the link, after all that were sent before them."""
        if not self.rate:
            return
        with self.turn:
            self.free = max(self.free, time.monotonic()) + count / self.rate
            wait = self.free - time.monotonic()
        if wait > 0:
            time.sleep(wait)

    def until(self, moment: float) -> tuple[int, int, int]:
        """Requests, bytes sent and bytes of the files behind them, up to a moment."""
        found = [entry for entry in self.sent if entry[0] <= moment]
        return len(found), sum(entry[2] for entry in found), sum(entry[3] for entry in found)


class _Pipe:
    """The answering end of a connection."""

    def __init__(self, under: Any, line: Line) -> None:
        self.under, self.line, self.count = under, line, 0

    def write(self, data: bytes) -> int:
        for start in range(0, len(data), CHUNK):
            piece = data[start : start + CHUNK]
            self.line.pass_(len(piece))
            self.under.write(piece)
        self.count += len(data)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.under, name)


class Measured(Handler):
    """Answers as the site's server does, over a line."""

    def __init__(self, *arguments: object, line: Line, **more: Any) -> None:
        self.line = line
        super().__init__(*arguments, **more)

    def setup(self) -> None:
        super().setup()
        self.wfile = _Pipe(self.wfile, self.line)
        time.sleep(self.line.delay)  # the handshake

    def do_GET(self) -> None:
        time.sleep(self.line.delay)
        before = self.wfile.count
        super().do_GET()
        path = unquote(urlsplit(self.path).path)
        file = self.root / path.lstrip("/")
        size = file.stat().st_size if file.is_file() else 0
        self.line.sent.append((time.time(), path, self.wfile.count - before, size))

    def _headers(self, headers: dict[str, str]) -> None:
        # CDNs let a versioned file be kept for good; the site's own files are asked for again at each visit.
        if self.path.startswith("/cdn/") and "Cache-Control" in headers:
            headers = headers | {"Cache-Control": "public, max-age=31536000, immutable"}
        super()._headers(headers)


@contextmanager
def serving(root: Path, line: Line) -> Iterator[str]:
    """Serves a folder over a line; gives the address of its root."""
    listening = Server(("127.0.0.1", 0), partial(Measured, root=root.resolve(), base="/", quiet=True, line=line))
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}/"
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
