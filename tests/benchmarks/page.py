"""How fast a lab comes up and answers, beside the same lab through `panel convert` and beside the floor, in one run.

    python -m tests.benchmarks.page [--runs 5] [--only unthrottled|throttled] [--site-only]

Every figure is a median over the runs; nothing is asserted, because a loaded machine says little. Times are counted
from the start of the navigation, inside the page. "First answered change" moves a slider as soon as the page can take
it and ends when the plot's column and the readout beside it have changed through Python. The floor is what no page with
this text and this Python can go below on this machine: the lab's own text and stills without any style, font or script
of the site, then the bare interpreter and NumPy (its "live" is the interpreter's start, its "answered" a sum of two
numbers), from the site's own files. "Slider to plot's data" ends when the new column lies in the plot, and has the
budget; "slider to painted plot" ends when the frame with it begins to be shown, on a screen drawn without a GPU.
"""

import argparse
import os
import re
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks._serving import Line, serving
from tests.benchmarks.stock import convert

TOP = Path(__file__).parents[2]
PROBE = (Path(__file__).parent / "_probe.js").read_text()
FLOOR = Path(__file__).parent / "floor"
ADDRESSES = {"site": "en/labs/signal/", "floor": "floor.html", "stock": "app.html"}
LINES = {"unthrottled": (0.0, 0.0), "20 Mbit/s, 40 ms": (20e6 / 8, 0.040)}
FLAGS = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
# Milliseconds and megabytes; a cold visit on an unthrottled line is what they are about.
BUDGETS = {"paint": 200.0, "visible": 800.0, "answered": 1500.0, "data p95": 33.0, "raw MB": 17.0, "sent MB": 8.0}
ROWS = {
    "paint": "first paint, ms",
    "visible": "figures and numbers visible, ms",
    "live": "figures and controls live, ms",
    "answered": "first answered change, ms",
    "data p50": "slider to plot's data, p50, ms",
    "data p95": "slider to plot's data, p95, ms",
    "slider p50": "slider to painted plot, p50, ms",
    "slider p95": "slider to painted plot, p95, ms",
    "requests": "requests to the first answer",
    "sent MB": "sent to the first answer, MB",
    "raw MB": "the same unpacked, MB",
}
Figures = dict[str, float]


def bare(document: str) -> str:
    """A page of the site with its text and drawings alone, and the floor's script."""
    text = re.sub(r"<link\b[^>]*>|<script\b.*?</script>", "", document, flags=re.DOTALL)
    return text.replace("</body>", '<script src="floor.js"></script>\n</body>')


def visit(browser: Any, side: str, address: str, line: Line, profile: Path, moves: int) -> Figures:
    """One visit of a profile; the browser is started for it and closed afterwards."""
    context = browser.launch_persistent_context(
        str(profile),
        executable_path=os.environ.get("RLVR_CHROMIUM") or shutil.which("chromium"),
        args=[*FLAGS, "--no-sandbox", "--disable-gpu"],
        viewport={"width": 1280, "height": 900},
    )
    try:
        page = context.pages[0]
        page.add_init_script(f"window.__side = {side!r};\n{PROBE}")
        line.sent.clear()
        page.goto(address + ADDRESSES[side], wait_until="commit")
        marks = answered(page)
        requests, sent, raw = line.until((marks["origin"] + marks["answered"]) / 1000)
        figures = {name: marks[name] for name in ("paint", "visible", "live", "answered")}
        figures |= {"requests": requests, "sent MB": sent / 1e6, "raw MB": raw / 1e6}
        if moves:
            figures |= latency(page, moves)
        page.wait_for_timeout(1000)  # the cache is written behind the visit
        return figures
    finally:
        context.close()


def answered(page: Page, seconds: float = 300) -> dict[str, float]:
    """The page's marks once the first change is answered; asked from outside, for the page's policy forbids eval.

    Raises:
        TimeoutError: when no answer comes.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        marks: dict[str, float] = page.evaluate("window.__bench?.marks() ?? {}")
        if marks.get("answered"):
            return marks
        page.wait_for_timeout(100)
    raise TimeoutError(f"{page.url} has not answered a change in {seconds:.0f} s; it has come to {marks}")


def latency(page: Page, moves: int) -> Figures:
    """Slider to data and to the painted frame, over many moves once everything has settled."""
    page.wait_for_timeout(1000)
    found = page.evaluate(f"window.__bench.moves({moves})")
    result = {}
    for name, key in (("data", "column"), ("slider", "frame")):
        steps = statistics.quantiles([entry[key] for entry in found], n=20)
        result |= {f"{name} p50": steps[9], f"{name} p95": steps[18]}
    return result


def measure(roots: dict[str, Path], runs: int, lines: list[str]) -> dict[tuple[str, str, str], list[Figures]]:
    """Every run visits every side over every line, cold and again, before the next run starts."""
    found: dict[tuple[str, str, str], list[Figures]] = {}
    with sync_playwright() as playwright:
        for run in range(runs):
            for name in lines:
                for side, root in roots.items():
                    line = Line(*LINES[name])
                    with (
                        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
                        serving(root, line) as address,
                    ):
                        for state in ("cold", "warm"):
                            moves = 100 if (name, state) == ("unthrottled", "cold") and side != "floor" else 0
                            figures = visit(playwright.chromium, side, address, line, Path(profile), moves)
                            found.setdefault((name, state, side), []).append(figures)
                            told = "  ".join(
                                f"{key} {figures[key]:.0f}" for key in ("paint", "visible", "live", "answered")
                            )
                            print(f"  run {run + 1}/{runs}  {name}, {state}, {side}: {told}", flush=True)
    return found


def first_paints(root: Path, runs: int) -> dict[str, float]:
    """Median time to the first text of a lab's page and of a step that holds the same lab asleep, in one run, cold."""
    found: dict[str, list[float]] = {"en/labs/signal/": [], "en/course/lesson-1/5/": []}
    with sync_playwright() as playwright:
        for _ in range(runs):
            for address, times in found.items():
                with (
                    tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
                    serving(root, Line(*LINES["unthrottled"])) as site,
                ):
                    context = playwright.chromium.launch_persistent_context(
                        profile,
                        executable_path=os.environ.get("RLVR_CHROMIUM") or shutil.which("chromium"),
                        args=[*FLAGS, "--no-sandbox", "--disable-gpu"],
                        viewport={"width": 1280, "height": 900},
                    )
                    page = context.pages[0]
                    page.goto(site + address)
                    page.wait_for_timeout(1500)
                    paints = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
                    times.append(float(page.evaluate(paints)))
                    context.close()
    return {address: statistics.median(times) for address, times in found.items()}


def report(found: dict[tuple[str, str, str], list[Figures]]) -> None:
    """Prints the medians, how many times slower the peer is, and what the budgets say."""
    for name, state in dict.fromkeys((name, state) for name, state, _ in found):
        print(f"\n{name}, {state} cache")
        print(f"  {'':34}{'site':>9}{'floor':>9}{'stock':>9}{'ratio':>8}  budget")
        sides = {side: found.get((name, state, side), []) for side in ADDRESSES}
        for key, label in ROWS.items():
            medians = {
                side: statistics.median(f[key] for f in each) for side, each in sides.items() if each and key in each[0]
            }
            if "site" not in medians:
                continue
            form = ".2f" if "MB" in key else ".1f" if "data" in key else ".0f"
            shown = "".join(f"{medians[side]:9{form}}" if side in medians else f"{'':9}" for side in ADDRESSES)
            ours = medians["site"]
            other = f"{medians['stock'] / ours:7.1f}x" if "stock" in medians else f"{'':8}"
            budget = BUDGETS.get(key) if (name, state) == ("unthrottled", "cold") else None
            verdict = "" if budget is None else f"  {budget:g}: {'met' if ours <= budget else 'NOT met'}"
            print(f"  {label:34}{shown}{other}{verdict}".rstrip())


def main() -> None:
    """Builds the peer, measures, prints."""
    parser = argparse.ArgumentParser(prog="build.py bench page", description="Compare a lab with its stock Panel peer.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["unthrottled", "throttled"], help="one line instead of both")
    parser.add_argument("--site-only", action="store_true", help="without the peer")
    parser.add_argument("--paint", action="store_true", help="only the first paint of a lab's page and of a step")
    given = parser.parse_args()
    if given.paint:
        for address, paint in first_paints(TOP / "dist", given.runs).items():
            print(f"first paint {address:24}{paint:8.0f} ms, median of {given.runs}")
        return
    chosen = [name for name in LINES if given.only is None or (given.only == "unthrottled") == (name == "unthrottled")]
    with tempfile.TemporaryDirectory() as folder:
        roots = {"site": TOP / "dist", "floor": Path(folder) / "floor"}
        shutil.copytree(FLOOR, roots["floor"])
        (roots["floor"] / "floor.html").write_text(bare((TOP / "dist" / ADDRESSES["site"] / "index.html").read_text()))
        shutil.copytree(TOP / "dist" / "runtime", roots["floor"] / "runtime")
        if not given.site_only:
            print("The peer: the lab `signal` through `panel convert --to pyodide-worker`. Unlike the open web:")
            print((convert.__doc__ or "").partition("\n\n")[2].partition("\n\n")[2].rstrip())
            roots["stock"] = Path(folder) / "stock"
            roots["stock"].mkdir()
            convert.build(roots["stock"])
        load, began = os.getloadavg(), time.monotonic()
        found = measure(roots, given.runs, chosen)
        report(found)
        ends = " to ".join(f"{value:.1f}" for value in (load[0], os.getloadavg()[0]))
        print(
            f"\nMedians of {given.runs}, {time.monotonic() - began:.0f} s, {os.cpu_count()} cores, load average {ends}."
        )


if __name__ == "__main__":
    main()
