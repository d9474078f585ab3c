"""A static server for `dist/` that behaves like a good static host: types, validators, compression, CORS."""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Nothing is asked of the system's own table: it differs between machines, and wasm streams only under its type.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".ipynb": "application/json; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".toml": "application/toml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".xml": "application/xml; charset=utf-8",
    ".zip": "application/zip",
}
ENCODINGS = {"br": ".br", "gzip": ".gz"}  # in the order of preference


@lru_cache(maxsize=4096)
def content_tag(path: Path, modified: int) -> str:
    """Entity tag of a file: its hash, so that a rebuilt but equal file is not sent again."""
    with path.open("rb") as file:
        return f'"{hashlib.file_digest(file, "sha256").hexdigest()[:32]}"'


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with files below `root`, published under the path `base`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes: waiting between them costs 40 ms each

    def __init__(self, *arguments: object, root: Path, base: str, quiet: bool) -> None:
        self.root, self.base, self.quiet = root, base, quiet
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        if not path.startswith(self.base):
            return self._missing(body)
        wanted = (self.root / path.removeprefix(self.base)).resolve()
        if wanted.is_dir() and not path.endswith("/"):
            return self._moved(urlsplit(self.path).path + "/")
        if wanted.is_dir():
            wanted /= "index.html"
        if not wanted.is_relative_to(self.root) or not wanted.is_file():
            return self._missing(body)
        self._file(wanted, HTTPStatus.OK, body)

    def _missing(self, body: bool) -> None:
        page = self.root / "404.html"
        if page.is_file():
            return self._file(page, HTTPStatus.NOT_FOUND, body)
        text = f"404: there is no {self.path} here; the site starts at {self.base}\n".encode()
        self.send_response(HTTPStatus.NOT_FOUND)
        self._headers({"Content-Type": TYPES[".txt"], "Content-Length": str(len(text))})
        if body:
            self.wfile.write(text)

    def _moved(self, address: str) -> None:
        query = urlsplit(self.path).query
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self._headers({"Location": address + (f"?{query}" if query else ""), "Content-Length": "0"})

    def _file(self, path: Path, status: HTTPStatus, body: bool) -> None:
        chosen, encoding = self._encoded(path)
        try:
            tag = content_tag(chosen, chosen.stat().st_mtime_ns)
            data = chosen.read_bytes()
        except FileNotFoundError:  # a new build has just taken the folder's place
            return self.send_error(HTTPStatus.SERVICE_UNAVAILABLE)
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if status == HTTPStatus.OK and tag in self.headers.get("If-None-Match", ""):
            self.send_response(HTTPStatus.NOT_MODIFIED)
            return self._headers(headers)
        self.send_response(status)
        headers |= {"Content-Encoding": encoding} if encoding else {}
        headers["Content-Type"] = TYPES.get(path.suffix, "application/octet-stream")
        headers["Content-Length"] = str(len(data))
        self._headers(headers)
        if body:
            self.wfile.write(data)

    def _encoded(self, path: Path) -> tuple[Path, str]:
        """The precompressed sibling that the client accepts, if there is one as new as the file."""
        offered = {entry.split(";")[0].strip() for entry in self.headers.get("Accept-Encoding", "").lower().split(",")}
        for encoding, suffix in ENCODINGS.items():
            sibling = path.with_name(path.name + suffix)
            if encoding in offered and sibling.is_file() and sibling.stat().st_mtime >= path.stat().st_mtime:
                return sibling, encoding
        return path, ""

    def _headers(self, headers: dict[str, str]) -> None:
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header(
            "Access-Control-Allow-Origin", "*"
        )  # a sandboxed frame's origin is opaque: it loads nothing else
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        if not self.quiet:
            super().log_message(format, *arguments)


class Server(ThreadingHTTPServer):
    """Threads end with the process; a client that goes away mid-answer is not worth a traceback."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def server(root: Path, *, host: str = "127.0.0.1", port: int = 8000, base: str = "/", quiet: bool = True) -> Server:
    """A listening server for the folder `root`.

    Args:
        root: folder to publish.
        host: address to listen on.
        port: first port to try; a taken one moves on to the next free one. 0 lets the system choose.
        base: path under which the site stands, such as `/courses/rlvr/`.
        quiet: without a line for each request.

    Raises:
        OSError: when none of twenty ports is free.
    """
    base = _base(base)
    handler = partial(Handler, root=root.resolve(), base=base, quiet=quiet)
    for candidate in [port] if port == 0 else range(port, port + 20):
        try:
            return Server((host, candidate), handler)
        except OSError as error:
            if candidate in (0, port + 19) or error.errno not in (48, 98):  # address in use: macOS, Linux
                raise
    raise AssertionError("the last port either listens or raises")


def _base(path: str) -> str:
    return f"/{path.strip('/')}/" if path.strip("/") else "/"


def main(arguments: Sequence[str]) -> None:
    """Serves until interrupted."""
    parser = argparse.ArgumentParser(prog="build.py serve", description="Serve the built site.")
    parser.add_argument("--port", type=int, default=8000, help="first port to try (default 8000)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--base", default="/", help="path under which the site stands, such as /courses/rlvr/")
    parser.add_argument("--root", type=Path, default=Path("dist"), help="folder to serve (default dist)")
    parser.add_argument("--verbose", action="store_true", help="a line for each request")
    given = parser.parse_args(arguments)
    if not given.root.is_dir():
        parser.error(f"{given.root} is not a folder: run `python3 build.py build` first")
    listening = server(given.root, host=given.host, port=given.port, base=given.base, quiet=not given.verbose)
    port = listening.server_port
    if given.port and port != given.port:
        print(f"Port {given.port} is taken.")
    name = "localhost" if given.host == "127.0.0.1" else given.host
    print(f"RLVR Lab: http://{name}:{port}{_base(given.base)}  (Ctrl+C stops)", flush=True)
    try:
        listening.serve_forever()
    except KeyboardInterrupt:
        print("\nStopped.")
    finally:
        listening.server_close()
