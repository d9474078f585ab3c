"""Assembles the whole site in a folder."""

import importlib.metadata
import json
import shutil
import tempfile
import tomllib
import zipfile
from pathlib import Path

import bokeh
import panel

from web import labs
from web.builder import carry, exercises, fetch, links, maths, notebooks, pages, runtime, search
from web.builder.compress import compress, manifest
from web.builder.course import count
from web.labs.drawing import PALETTE

HERE = Path(__file__).parent
WEB = HERE.parent
TOP = WEB.parent
CACHE = TOP / ".cache"
MODULES = (
    "boot.js",
    "lab.js",
    "copies.js",
    "hand-over.js",
    "predict.js",
    "process.js",
    "reading.js",
    "slices.js",
    "python.js",
    "protocol.js",
    "worker.js",
    "theme.js",
    "lost.js",
    "enter.js",
    "embed.js",
    "figures.js",
    "program.js",
    "program-worker.js",
    "course.js",
    "course.css",
    "journey.js",
    "search.js",
    "search-options.js",
    "check.js",
    "grade.js",
    "progress.js",
    "popover.js",
    "wake.js",
    "exercise.js",
    "exercises.js",
    "runner.js",
    "chart.js",
    "keep.js",
    "icon.svg",
)
FACES = {"literata": "literata.tgz", "golos": "golos-text.tgz"}


def build(dist: Path) -> None:
    """Fills `dist`, a new and empty folder."""
    print("  runtime: Python and NumPy for the browser", flush=True)
    runtime.build(dist / "runtime", cache=CACHE)
    application(dist / "runtime")
    (dist / "runtime" / "sources.json").write_text(carry.sources_json(), encoding="utf-8")
    shutil.copyfile(TOP / "pycore/verify/program/harness.py", dist / "runtime/harness.py")
    for path in labs.files():
        (dist / "runtime" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOP / path, dist / "runtime" / path)
    print("  assets: styles, scripts, fonts", flush=True)
    assets(dist)
    exercises.runtime(dist, CACHE)
    notebooks.write(dist)
    print("  pages: every lab at its defaults, in both languages", flush=True)
    loaded = ("pyodide.asm.wasm", "pyodide.asm.js", "python_stdlib.zip", "numpy.zip", "app.zip", "pyodide-lock.json")
    files = [{"url": f"runtime/{name}", "bytes": (dist / "runtime" / name).stat().st_size} for name in loaded]
    course = pages.write(dist, CACHE, files)
    found = search.build(dist, CACHE)
    print("  search: " + ", ".join(f"{count} sections in {code}" for code, count in found.items()), flush=True)
    print(f"  links: {links.check(dist)} followed", flush=True)
    for what, figure in count.figures(course, len(list(dist.rglob("index.html")))).items():
        print(f"  {what}: {figure}", flush=True)
    compress(dist, cache=CACHE)
    manifest(dist)


def application(target: Path) -> list[Path]:
    """The archives that the worker unpacks, their modules compiled, into the folder `target`; returns them."""
    written = []
    with zipfile.ZipFile(whole_application()) as compiled:
        names = set(compiled.namelist())
        for archive, files in carry.application().items():
            written.append(target / f"{archive}.zip")
            written[-1].parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(written[-1], "w") as share:
                for path in sorted(files):
                    name = path if path in names else f"{path}c"
                    _put(share, name, compiled.read(name))
    return written


def whole_application() -> Path:
    """Everything that the browser may unpack in one archive, its modules compiled; made once for one content."""
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "app.zip")
        files = {path: text for share in carry.application().values() for path, text in share.items()}
        with zipfile.ZipFile(sources, "w") as archive:
            for path, text in sorted(files.items()):
                _put(archive, path, text.encode())
        return runtime.application(sources, CACHE)


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """The same content makes the same bytes, whenever it is packed."""
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


def assets(dist: Path) -> None:
    """Styles, scripts, fonts and the scripts of Bokeh and Panel from their installed packages."""
    target = dist / "assets"
    (target / "fonts").mkdir(parents=True)
    sheets = [WEB / "shell" / "site.css", *(WEB / name / f"{name}.css" for name in labs.components())]
    (target / "site.css").write_text(
        colours() + "".join(path.read_text(encoding="utf-8") for path in sheets), encoding="utf-8"
    )
    (target / "palette.js").write_text(
        "// Made from palette.toml.\nexport default " + json.dumps(PALETTE, indent=2) + "\n", encoding="utf-8"
    )
    for name in MODULES:
        shutil.copyfile(WEB / "shell" / name, target / name)
    for name in labs.components():
        for path in (WEB / name).glob("*.js"):
            shutil.copyfile(path, target / path.name)
    for face, tarball in FACES.items():
        package = fetch.unpack(tarball, CACHE)
        family = json.loads((package / "package.json").read_text())["name"].rsplit("/", 1)[1]
        for script in ("latin", "cyrillic"):
            origin = package / "files" / f"{family}-{script}-wght-normal.woff2"
            shutil.copyfile(origin, target / "fonts" / f"{face}-{script}.woff2")
        shutil.copyfile(package / "LICENSE", target / "fonts" / f"{face}-LICENSE.txt")
    maths.style(target / "katex", CACHE)
    vendor = dist / "vendor"
    vendor.mkdir()
    folders = {"bokeh": Path(bokeh.__file__).parent / "server/static/js", "panel": Path(panel.__file__).parent / "dist"}
    for name, script in tomllib.loads(fetch.PINS.read_text())["script"].items():
        origin = folders[script["package"]] / name
        if (found := fetch.sha256(origin)) != script["sha256"]:
            raise fetch.FetchError(f"{origin} has sha256 {found}, pinned is {script['sha256']}")
        shutil.copyfile(origin, vendor / name)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("bokeh", "panel"))
    (vendor / "NOTICE.txt").write_text(f"Scripts of {versions} (BSD 3-Clause), as their packages ship them.\n")


def colours() -> str:
    """The palette as custom properties: light, dark by the system's wish, and either by the reader's own."""

    def block(theme: str) -> str:
        return " ".join(f"--{role}: {value};" for role, value in PALETTE[theme].items())

    dark = f"color-scheme: dark; {block('dark')}"
    return (
        f":root {{ color-scheme: light; {block('light')} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme='light']) {{ {dark} }} }}\n"
        f":root[data-theme='dark'] {{ {dark} }}\n"
    )
