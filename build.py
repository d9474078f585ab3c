#!/usr/bin/env python3
"""RLVR Lab from a fresh clone: sets up its own environment inside the repository, builds the site, serves it, tests it.

    python3 build.py serve                build what has changed, serve it on this machine, print the address
    python3 build.py test                 check and test everything; `test ARGS` runs only pytest, with these arguments
                                          (`test -m full` plays every combination of labs, exercises and languages)
    python3 build.py build                build the static site into dist/
    python3 build.py bench [NAME ...]     run benchmarks (all of tests/benchmarks, or those named)
    python3 build.py picture              take the README's picture from the built site
    python3 build.py clean [--all]        delete dist/ and what the build keeps; --all also .venv and every download

Needs Python 3.11 or newer on Linux or macOS, and the network the first time. On Windows run it inside WSL 2: the
lock and the layout of the environment are POSIX ones, and nothing is tested outside.
"""

from __future__ import annotations  # an older Python must get as far as the sentence that turns it away

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
CACHE, VENV, DIST = ROOT / ".cache", ROOT / ".venv", ROOT / "dist"
PYTHON = VENV / "bin" / "python"
CONSTRAINTS = ROOT / "web" / "builder" / "constraints.txt"  # what the pinned packages themselves ask for, pinned too
# Everything that the site's content depends on; what lies here and changes makes the next `serve` build again.
SOURCES = ("pycore", "web", "colab", "pyproject.toml")
BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def say(text: str) -> None:
    print(text, flush=True)


def stop(sentence: str) -> NoReturn:
    sys.exit(f"build.py: {sentence}")


def environment(**extra: str) -> dict[str, str]:
    """The caller's environment with every cache moved into the repository: an empty or read-only home is enough."""
    folders = {"PIP_CACHE_DIR": "pip", "npm_config_cache": "npm", "XDG_CACHE_HOME": "xdg", "MPLCONFIGDIR": "matplotlib"}
    caches = {name: str(CACHE / folder) for name, folder in folders.items()}
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return os.environ | caches | {"PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"} | extra


def run(*command: str | Path, **extra: str) -> int:
    """Runs a command from the top of the repository, output passing through; returns its exit status."""
    return subprocess.run(list(map(str, command)), cwd=ROOT, env=environment(**extra)).returncode


@contextmanager
def only_one() -> Iterator[None]:
    """Two builds at once would install into the same folders: the second waits and then finds the work done."""
    import fcntl  # not on Windows, which `main` has already turned away

    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another build is running here; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(*extras: str) -> None:
    """Makes .venv hold the pinned packages of these extras of pyproject.toml; does nothing when it already does."""
    import tomllib  # from 3.11 on, which `main` has checked

    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra in extras:
        stamp = VENV / f"installed-{extra}.json"
        state = json.dumps([platform.python_version(), platform.machine(), wanted[extra], CONSTRAINTS.read_text()])
        if stamp.is_file() and stamp.read_text() == state and PYTHON.exists():
            continue
        make_environment()
        say(f"Installing {len(wanted[extra])} pinned packages for `{extra}` into .venv (once; minutes on a slow line)")
        # A later torch would come with gigabytes of its own: the pinned one must be there before anything asks for it.
        first = [package for package in wanted[extra] if package.startswith("torch==")]
        for packages in filter(None, (first, wanted[extra])):
            pip_install(packages)
        stamp.write_text(state)


def pip_install(packages: Sequence[str]) -> None:
    """Installs packages with a line for each download."""
    command = [str(PYTHON), "-m", "pip", "install", "--progress-bar", "off", "-c", str(CONSTRAINTS), *packages]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            if "Downloading" in line or line.startswith("Installing"):
                say(f"  {line.strip()[:110]}")
    if pip.returncode:
        stop("pip could not install the packages; its own message is above. Run the command again to continue.")


def make_environment() -> None:
    """Creates .venv, or creates it anew when another Python made it."""
    if PYTHON.exists():
        version = subprocess.run([PYTHON, "-V"], capture_output=True, text=True).stdout.split()[-1:]
        if version == [platform.python_version()]:
            return
    say(f"Creating .venv with Python {platform.python_version()}")
    done = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True, text=True)
    if done.returncode:
        if "ensurepip" in done.stdout + done.stderr or "No module named venv" in done.stderr:
            stop("this Python cannot create environments; on Debian and Ubuntu run `apt install python3-venv` first.")
        stop(f"creating .venv failed: {done.stderr.strip() or done.stdout.strip()}")


def content(root: Path = ROOT) -> str:
    """Hash of everything that the site is made from."""
    total = hashlib.sha256(platform.python_version().encode())
    for source in SOURCES:
        top = root / source
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return total.hexdigest()


def build() -> None:
    """Builds dist/ unless what is there was built from the same content."""
    with only_one():
        install("site")
        stamp, state = CACHE / "dist.stamp", content()
        if stamp.is_file() and stamp.read_text() == state and (DIST / "manifest.json").is_file():
            return
        say("Building the site into dist/")
        stamp.unlink(missing_ok=True)
        if status := run(PYTHON, "-m", "web.builder", "build"):
            sys.exit(status)
        stamp.write_text(state)


def browser() -> str:
    """Path of Chromium for the tests; installs it where that needs no question."""
    if given := os.environ.get("RLVR_CHROMIUM"):
        return given
    if found := next(filter(None, map(shutil.which, BROWSERS)), None):
        return found
    if shutil.which("apt-get") and os.geteuid() == 0:
        say("Installing Chromium with apt-get (once)")
        run("apt-get", "update", "-qq")
        run("apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium", DEBIAN_FRONTEND="noninteractive")
        if found := shutil.which("chromium"):
            return found
    stop("the tests need Chromium or Chrome: install it, or set RLVR_CHROMIUM to the path of its program.")


def test(arguments: Sequence[str]) -> int:
    """Linters, types and every test; with arguments only pytest. The last line says how many passed and failed."""
    with only_one():
        install("site", "test")
    build()
    chromium = browser()
    failed = [] if arguments else checks()
    say("pytest")
    # In the order of collection: the long files first, so that no core waits for another at the end.
    whole = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "--durations", "25"]
    passed, wrong = pytest(chromium, arguments or whole)
    if wrong and not arguments:
        # On a small or busy machine a browser beside others may miss a deadline; a real fault fails alone as well.
        say("Running what failed once more, by itself")
        mended, wrong = pytest(chromium, ["--last-failed", "--last-failed-no-failures", "none"])
        passed += mended
    if failed:
        say(f"Failed before the tests: {', '.join(failed)}")
    say(f"{passed} passed, {wrong + len(failed)} failed")
    return int(wrong + len(failed) > 0)


def pytest(chromium: str, arguments: Sequence[str]) -> tuple[int, int]:
    """Runs pytest, its output passing through; how many tests passed and how many did not."""
    command, summary = [str(PYTHON), "-m", "pytest", *arguments], ""
    variables = environment(RLVR_CHROMIUM=chromium)
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            summary = line if re.search(r"\d+ (passed|failed|error)", line) else summary
    count = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", summary)}
    wrong = count.get("failed", 0) + count.get("error", 0)
    return count.get("passed", 0), wrong or int(running.returncode != 0)


def checks() -> list[str]:
    """Runs the checks that are not tests; returns the names of those that failed."""
    commands: dict[str, list[str | Path]] = {
        "ruff check": [PYTHON, "-m", "ruff", "check", "."],
        "ruff format": [PYTHON, "-m", "ruff", "format", "--check", "."],
        "mypy": [
            PYTHON,
            "-m",
            "mypy",
            *(name for name in ("pycore", "web", "colab", "build.py") if (ROOT / name).exists()),
        ],
    }
    for folder in ("web/shell", "web/controls"):
        commands[f"tsc {folder}"] = [PYTHON, "-m", "web.builder", "tsc", "--noEmit", "-p", folder]
    failed = []
    for name, command in commands.items():
        say(name)
        if run(*command):
            failed.append(name)
    return failed


def bench(names: Sequence[str]) -> int:
    """Runs benchmarks one after the other; each prints its own figures."""
    folder = ROOT / "tests/benchmarks"
    known = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    if unknown := [name for name in names if name not in known]:
        stop(f"there is no benchmark {unknown[0]}; there are: {', '.join(known) or 'none'}")
    with only_one():
        install("site", "test")
    build()
    chromium = browser()
    results = [run(PYTHON, "-m", f"tests.benchmarks.{name}", RLVR_CHROMIUM=chromium) for name in names or known]
    return max(results, default=0)


def picture() -> int:
    """The README's picture, taken from the built site in a real browser."""
    with only_one():
        install("site", "test")
    build()
    return run(PYTHON, "-m", "web.builder", "picture", RLVR_CHROMIUM=browser())


def clean(arguments: Sequence[str]) -> None:
    """Deletes what was made."""
    for folder in [DIST, CACHE, VENV] if "--all" in arguments else [DIST, CACHE / "runtime", CACHE / "compressed"]:
        shutil.rmtree(folder, ignore_errors=True)
        say(f"Deleted {folder.relative_to(ROOT)}/")


def main() -> None:
    command, arguments = (sys.argv[1] if len(sys.argv) > 1 else "--help"), sys.argv[2:]
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever starts this may have an older one
        stop(f"this is Python {platform.python_version()}; 3.11 or newer is needed.")
    if os.name != "posix":
        stop("Windows is not supported directly: run this inside WSL 2.")
    if command == "serve":
        if not {"-h", "--help"} & set(arguments):
            build()
        else:
            install("site")
        os.chdir(ROOT)
        os.execve(PYTHON, [str(PYTHON), "-m", "web.builder", "serve", *arguments], environment())
    elif command == "build":
        build()
        say("The site is in dist/ and can be copied to any static host.")
    elif command == "test":
        sys.exit(test(arguments))
    elif command == "bench":
        sys.exit(bench(arguments))
    elif command == "picture":
        sys.exit(picture())
    elif command == "clean":
        clean(arguments)
    else:
        print(__doc__)
        sys.exit(command not in ("-h", "--help", "help"))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop("interrupted; the next run continues from here.")
