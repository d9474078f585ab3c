"""The picture in the README: the built site's first lab, in a real browser."""

import os
from pathlib import Path
from threading import Thread

from web.builder.serve import server


def take(dist: Path, target: Path) -> None:
    """Writes a PNG of the lab `signal` in English at a telling state.

    Args:
        dist: the built site.
        target: the picture's path.

    Raises:
        KeyError: when the environment variable RLVR_CHROMIUM does not name a browser.
    """
    from playwright.sync_api import sync_playwright  # of the `test` extra, not needed to build

    with server(dist, port=0) as site, sync_playwright() as playwright:
        Thread(target=site.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=os.environ["RLVR_CHROMIUM"], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 820}, device_scale_factor=1.5, color_scheme="light")
        page.goto(f"http://127.0.0.1:{site.server_port}/en/labs/signal/?p=0.85&G=8&spread=0.3")
        page.wait_for_selector("[data-python=ready][data-figures=shown]:not([data-awaiting])", timeout=120_000)
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(500)
        page.screenshot(path=target)
        browser.close()
        site.shutdown()
