"""A whole `healthy` run in the page against the same natively: `python -m tests.benchmarks.train [QUERY]`.

The page is the built site in Chromium: the lab `train` at its defaults, 300 updates with all their evaluations, drawn
as it goes. Natively the same process runs in this Python right before. On a busy machine the ratio of the two says more
than either figure. Long tasks are those that the browser itself reports, from the press on Play to the end.
"""

import os
import shutil
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import listening
from tests.conftest import FLAGS
from web.labs import engine
from web.labs.process import Run

DIST = Path(__file__).parents[2] / "dist"
WATCH = """window.long = []; new PerformanceObserver(list => {
  for (const entry of list.getEntries()) window.long.push([entry.startTime, entry.duration])
}).observe({ entryTypes: ['longtask'] })"""
LIMITS = {
    "seconds natively": 5.0,
    "seconds in the browser": 30.0,
    "browser relative to native": 8.0,
    "longest task, ms": 50.0,
}
PATIENCE = 600_000


def natively(query: str) -> float:
    """Seconds of the lab's own process, without drawing."""
    state, _, _ = engine.state_of("train", "en", query)
    work = Run(iter(engine.lab_of("train").compute(state)))  # type: ignore[arg-type]
    start = time.perf_counter()
    while not work.ended:
        work.advance(1000)
    return time.perf_counter() - start


def in_browser(query: str) -> tuple[float, list[float]]:
    """Seconds from the press on Play to the end, and the long tasks on the way in milliseconds."""
    with sync_playwright() as playwright, listening(DIST, "/courses/rlvr/") as site:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("RLVR_CHROMIUM") or shutil.which("chromium"), args=FLAGS
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(WATCH)
        page.goto(f"{site}en/labs/train/?{query}")
        page.locator("#lab[data-python=ready][data-figures=shown]").wait_for(timeout=PATIENCE)
        page.wait_for_function("document.querySelectorAll('[data-runs] .note').length > 0")
        page.wait_for_timeout(3000)
        page.evaluate("window.long = []")
        start = time.perf_counter()
        page.locator("[data-process-action=play]").click()
        page.locator("[data-process-state=ended]").wait_for(timeout=PATIENCE)
        seconds = time.perf_counter() - start
        long = [duration for _, duration in page.evaluate("window.long")]
        browser.close()
    return seconds, long


def main() -> int:
    """Prints the figures and whether each keeps its limit."""
    query = sys.argv[1] if len(sys.argv) > 1 else ""
    native = natively(query)
    seconds, long = in_browser(query)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"tasks over 50 ms on the main thread: {len(long)}, {sum(long) / 1e3:.1f} s in all")
    found = {
        "seconds natively": native,
        "seconds in the browser": seconds,
        "browser relative to native": seconds / native,
        "longest task, ms": max(long, default=0.0),
    }
    for name, value in found.items():
        print(f"{'ok  ' if value <= LIMITS[name] else 'MISS'} {name}: {value:.1f}, at most {LIMITS[name]}")
    return int(any(value > LIMITS[name] for name, value in found.items()))


if __name__ == "__main__":
    sys.exit(main())
