"""Builds the peer: the stock application through `panel convert`, with everything it would load from CDNs beside it.

What differs from a page on the open internet, and why:

- addresses of CDNs lead to the same files below `cdn/`, compressed as CDNs compress them, so that both sides are served
  by one server over one link;
- Pyodide is the version of the site (0.29.5), not the 0.29.3 that this Panel names: the same ABI, a few fixes apart;
- Pyodide's lock file lists every dependency, also those that the stock page would look up on PyPI one by one: this
  spares the peer some thirty requests;
- Panel's and Bokeh's wheels are cut as Panel cuts them for its CDN: no tests, no scripts;
- `nh3` is missing (its wasm build is only on Pyodide's CDN): Panel imports it on first use, which this lab has not.
  This spares the peer one download;
- PyYAML and MarkupSafe are their pure Python halves: their wasm builds, too, are only on Pyodide's CDN.
"""

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import bokeh
import panel
from packaging.utils import canonicalize_name

from web.builder import carry, fetch, runtime, site
from web.builder.compress import compress

HERE = Path(__file__).parent
PINS = tomllib.loads((HERE / "wheels.toml").read_text())
# Requirements of Panel and Bokeh that lie in this environment in pure Python.
PACKED = (
    *("param", "pyviz_comms", "markdown", "markdown-it-py", "mdurl", "linkify-it-py", "mdit-py-plugins"),
    *("tqdm", "jinja2", "markupsafe", "pyyaml", "xyzservices", "narwhals", "panel-material-ui", "tzdata"),
)
LEFT_OUT = {
    "panel": re.compile(r"panel/(tests|dist/(bundled|lib|dts)|dist/panel)"),
    "bokeh": re.compile(r"bokeh/(?!core/_templates).*(\.js|\.d\.ts|\.tsbuildinfo|bokeh\.json)$"),
}
UNAVAILABLE = re.compile(r"^Requires-Dist: (nh3|tornado)\b.*\n", re.MULTILINE)
BOKEH = "https://cdn.bokeh.org/bokeh/release/"
PANEL = f"https://cdn.holoviz.org/panel/{panel.__version__}/dist/"


def build(target: Path) -> None:
    """Fills `target`, a new and empty folder; the page is `app.html`."""
    cdn = target / "cdn"
    application(target)
    scripts(cdn)
    locked = packages(cdn / "pyodide", site.CACHE)
    (cdn / "pyodide" / "pyodide-lock.json").write_text(json.dumps(lock(cdn / "pyodide", locked)))
    compress(target, cache=site.CACHE)


def application(target: Path) -> None:
    """Runs `panel convert` on the application and the project's modules that it imports, and points it at `cdn/`."""
    work = target / "source"
    files = carry.application() | {f"web/labs/{name}": (site.WEB / "labs" / name).read_text() for name in EXTRA}
    files["web/shell/palette.toml"] = (site.WEB / "shell" / "palette.toml").read_text()
    for path, text in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    shutil.copyfile(HERE / "app.py", work / "app.py")
    # The project's own modules are not packages of any index: their only requirement is named by hand.
    command = [sys.executable, "-m", "panel", "convert", "app.py", "--to", "pyodide-worker", "--out", str(target)]
    command += ["--requirements", "numpy", "--resources", *files]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(work)})
    if done.returncode or not (target / "app.html").exists():
        raise RuntimeError(f"panel convert failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    shutil.rmtree(work)
    for path in (target / "app.html", target / "app.js"):
        text = re.sub(r"https://cdn.jsdelivr.net/pyodide/v[\d.]+/full/", "./cdn/pyodide/", path.read_text())
        text = re.sub(r"https://cdn.holoviz.org/panel/(?=wheels/)", PANEL, text)
        text = text.replace(BOKEH, "./cdn/bokeh/").replace(PANEL, f"./cdn/panel/{panel.__version__}/dist/")
        # The document that the worker makes names Panel's style sheets by the root that this variable gives.
        root = "import os, js; os.environ['PANEL_CDN_ROOT'] = js.location.origin + '/cdn/panel/'\n      "
        path.write_text(text.replace("import micropip", f"{root}import micropip"))
    wrong = re.findall(r"https://(?:cdn|unpkg)[^\"'\s]*", (target / "app.html").read_text())
    if wrong:
        print(f"  left in the peer's page: {sorted(set(wrong))[:4]}")


EXTRA = ("drawing.py", "en.toml", "signal/en.toml")


def scripts(cdn: Path) -> None:
    """The browser's half of Bokeh and Panel, as the CDNs have it."""
    (cdn / "bokeh").mkdir(parents=True)
    for name in ("bokeh", "bokeh-gl", "bokeh-widgets", "bokeh-tables"):
        script = Path(bokeh.__file__).parent / "server/static/js" / f"{name}.min.js"
        shutil.copyfile(script, cdn / "bokeh" / f"{name}-{bokeh.__version__}.min.js")
    dist, folder = Path(panel.__file__).parent / "dist", cdn / "panel" / panel.__version__ / "dist"
    for part in ("css", "assets", "images", "bundled/reactiveesm", "bundled/theme"):
        shutil.copytree(dist / part, folder / part)
    shutil.copyfile(dist / "panel.min.js", folder / "panel.min.js")
    wheels = folder / "wheels"
    wheels.mkdir()
    for name in ("panel", "bokeh"):
        pack(name, wheels)


def packages(folder: Path, cache: Path) -> list[Path]:
    """Pyodide, and the wheels that its lock file will name."""
    runtime.build(folder, cache=cache)
    shutil.copyfile(runtime.stock(cache) / "python_stdlib.zip", folder / "python_stdlib.zip")
    (folder / "numpy.zip").unlink()
    pins = [fetch.Pin(name, **pin) for name, pin in PINS["package"].items()]
    places = PINS["source"].values()
    pins += [fetch.Pin(name, hashed, tuple(place + name for place in places)) for name, hashed in PINS["file"].items()]
    found = [Path(shutil.copyfile(fetch.fetch(pin, cache), folder / pin.name)) for pin in pins]
    numpy = folder / fetch.pin("numpy.whl").sources[0].rsplit("/", 1)[1]
    found.append(Path(shutil.copyfile(fetch.fetch("numpy.whl", cache), numpy)))
    return [path for path in found if path.suffix == ".whl"] + [pack(name, folder) for name in PACKED]


def pack(name: str, folder: Path) -> Path:
    """A wheel of an installed package, without compiled parts."""
    package = importlib.metadata.distribution(name)
    wheel = folder / f"{name.replace('-', '_')}-{package.version}-py3-none-any.whl"
    skipped = LEFT_OUT.get(name, re.compile(r"$^"))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in package.files or ():
            path = entry.as_posix()
            if path.startswith("..") or path.endswith((".pyc", ".so")) or skipped.match(path):
                continue
            data = Path(str(entry.locate())).read_bytes()
            if path.endswith(".dist-info/METADATA"):
                data = UNAVAILABLE.sub("", data.decode()).encode()
            if path.endswith(".dist-info/WHEEL"):
                data = b"Wheel-Version: 1.0\nGenerator: benchmark\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    return wheel


def lock(folder: Path, wheels: list[Path]) -> dict[str, object]:
    """Pyodide's lock file with these wheels in it, each with what it depends on among them."""
    entries: dict[str, dict[str, object]] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            metadata = archive.read(name).decode()
            tops = {n.split("/")[0].removesuffix(".py") for n in archive.namelist() if n.endswith(".py")}
        title, version, *_ = wheel.name.split("-")
        needs = re.findall(r"^Requires-Dist: ([\w.-]+)(?![^\n]*extra ==)", metadata, re.MULTILINE)
        entries[canonicalize_name(title)] = {
            "name": canonicalize_name(title),
            "version": version,
            "file_name": wheel.name,
            "install_dir": "site",
            "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": sorted(tops),
            "depends": [canonicalize_name(need) for need in needs],
            "unvendored_tests": False,
        }
    for entry in entries.values():
        entry["depends"] = [need for need in entry["depends"] if need in entries and need != entry["name"]]  # type: ignore[attr-defined]
    return json.loads(runtime.lock()) | {"packages": entries}
