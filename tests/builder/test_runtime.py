"""Oracle: native Python and NumPy. The trimmed archives answer the same in Chromium, and two builds are equal."""

import json
import shutil
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.builder import promised
from web.builder import runtime
from web.builder.fetch import PINS
from web.builder.serve import server

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache"
PROMISED = tomllib.loads(PINS.read_text())["trim"]["promised"]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A page that starts the runtime in a worker, served below a sub-path."""
    runtime.build(tmp_path / "runtime", cache=CACHE)
    for name in ("boot.html", "boot.mjs", "boot-worker.mjs"):
        shutil.copyfile(HERE / name, tmp_path / name)
    (tmp_path / "program.py").write_text(Path(promised.__file__).read_text() + f"\nanswer({PROMISED!r})\n")
    listening = server(tmp_path, port=0, base="/courses/rlvr/")
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}/courses/rlvr/boot.html"
    listening.shutdown()
    listening.server_close()
    thread.join()


def test_the_browser_gives_the_native_answers_and_asks_no_other_host(address: str, browser: Browser) -> None:
    asked: list[str] = []
    page = browser.new_page()
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_function("document.body.dataset.answer", timeout=60_000)
    said = json.loads(page.evaluate("document.body.dataset.answer"))
    page.close()
    assert "error" not in said, said["error"]
    assert json.loads(said["answer"]) == json.loads(promised.answer(PROMISED))
    host = address.split("/courses/")[0]
    assert all(url.startswith(f"{host}/courses/rlvr/") for url in asked), asked
    loaded = {url.rpartition("/runtime/")[2] for url in asked if "/runtime/" in url}
    assert loaded == {*runtime.CORE, *runtime.ARCHIVES, "pyodide-lock.json"}


def test_archives_made_twice_are_equal_byte_for_byte(tmp_path: Path) -> None:
    shutil.copytree(CACHE / "files", tmp_path / "files")
    said: list[str] = []
    first, second = runtime.archives(CACHE, said.append), runtime.archives(tmp_path, said.append)
    assert first != second
    for name in runtime.ARCHIVES:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    said.clear()
    assert runtime.archives(tmp_path, said.append) == second
    assert said == []  # the second time there is nothing to do


def test_the_archives_carry_no_source_and_the_binaries_their_licence(tmp_path: Path) -> None:
    written = runtime.build(tmp_path, cache=CACHE)
    assert sorted(path.name for path in written) == sorted(path.name for path in tmp_path.iterdir())
    for name in runtime.ARCHIVES:
        members = zipfile.ZipFile(tmp_path / name).namelist()
        assert {Path(member).suffix for member in members} <= {".pyc", ".so"}
    assert "Redistribution and use in source and binary forms" in (tmp_path / "NOTICE.txt").read_text()
