"""How hypothesis searches, and the one browser that a test process may have."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("native", deadline=None)
# Python runs ten times slower there.
settings.register_profile("wasm", deadline=None, max_examples=15, database=None, derandomize=True)
settings.load_profile("wasm" if sys.platform == "emscripten" else "native")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The unit tests inside Pyodide are one long test: it comes first, and the other core has all the rest to do."""
    items.sort(key=lambda item: "tests/wasm/" not in item.nodeid)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by playwright; a process can hold only one of its drivers, so every test shares this one."""
    from playwright.sync_api import sync_playwright  # not in the browser's own Python, where unit tests run too

    with sync_playwright() as playwright:
        path = os.environ.get("RLVR_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
