"""The Python of the browser: Pyodide's core, and trimmed bytecode archives of the standard library and of NumPy.

How a worker starts it (tests/builder/test_runtime.py does exactly this in Chromium):

    const [{ loadPyodide }, numpy] = await Promise.all([
        import(`${runtime}pyodide.mjs`),
        fetch(`${runtime}numpy.zip`).then((answer) => answer.arrayBuffer()),
    ]);
    const python = await loadPyodide({ indexURL: runtime });   // python_stdlib.zip and pyodide-lock.json lie beside it
    python.unpackArchive(numpy, "zip", { extractDir: "/lib/python3.13/site-packages" });
    python.runPython("import numpy");

The fetch of numpy.zip must start before `loadPyodide` is awaited. Passing `lockFileContents` (the text of `lock()`)
saves one request.
"""

import hashlib
import json
import os
import shutil
import tempfile
import tomllib
import zipfile
from pathlib import Path

from web.builder import node
from web.builder.fetch import PINS, fetch, pin
from web.builder.source import Say

HERE = Path(__file__).parent
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm")
ARCHIVES = ("python_stdlib.zip", "numpy.zip")


def lock() -> str:
    """Pyodide's lock file with no packages in it: everything the site loads, it loads itself."""
    pyodide = tomllib.loads(PINS.read_text())["pyodide"]
    return json.dumps({"info": pyodide["info"] | {"version": pyodide["version"]}, "packages": {}}, sort_keys=True)


def build(target: Path, *, cache: Path, say: Say = print) -> list[Path]:
    """Puts everything a worker needs to start Python into `target`.

    Args:
        target: folder to fill, usually `dist/runtime`; made if missing.
        cache: folder that outlives the build; the downloads and the compiled archives are kept there.
        say: takes progress lines.

    Returns:
        The files written.

    Raises:
        FetchError: when a pinned file cannot be had or has the wrong hash.
    """
    target.mkdir(parents=True, exist_ok=True)
    compiled = archives(cache, say)
    written = []
    for origin in [*(fetch(name, cache, say) for name in CORE), *(compiled / name for name in ARCHIVES)]:
        written.append(Path(shutil.copyfile(origin, target / origin.name)))
    for name, text in {"pyodide-lock.json": lock(), "NOTICE.txt": _notice(fetch("numpy.whl", cache, say))}.items():
        written.append(target / name)
        written[-1].write_text(text)
    return written


def archives(cache: Path, say: Say = print) -> Path:
    """Folder with the compiled archives; they are made once for one content of their inputs.

    Raises:
        FetchError: as `build`.
    """
    programs = [HERE / "bytecode.mjs", HERE / "bytecode.py"]
    inputs = hashlib.sha256()
    for name in (*CORE, "python_stdlib.zip", "numpy.whl"):
        inputs.update(pin(name).sha256.encode())
    inputs.update(json.dumps(tomllib.loads(PINS.read_text())["trim"]).encode())
    for program in programs:
        inputs.update(program.read_bytes())
    done = cache / "runtime" / inputs.hexdigest()[:16]
    if done.is_dir():
        return done
    pyodide = stock(cache, say)
    wheel = fetch("numpy.whl", cache, say)
    say("  compiling the standard library and NumPy inside Pyodide (about 15 s, once)")
    done.parent.mkdir(exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=done.parent))
    node.run(programs[0], [pyodide, wheel, programs[1], PINS, fresh])
    _replace(fresh, done)
    return done


def application(sources: Path, cache: Path, say: Say = print) -> Path:
    """The archive `sources` with its modules compiled for the browser's Python: imported in half the time.

    It is made once for one content of the archive.

    Raises:
        FetchError: as `build`.
    """
    programs = [HERE / "bytecode-app.mjs", HERE / "bytecode.py"]
    inputs = hashlib.sha256(pin("pyodide.asm.wasm").sha256.encode())
    for path in (*programs, sources):
        inputs.update(path.read_bytes())
    done = cache / "runtime" / f"app-{inputs.hexdigest()[:16]}.zip"
    if not done.exists():
        pyodide = stock(cache, say)
        done.parent.mkdir(parents=True, exist_ok=True)
        fresh = done.with_suffix(f".{os.getpid()}")
        node.run(programs[0], [pyodide, programs[1], sources, fresh])
        os.replace(fresh, done)
    return done


def stock(cache: Path, say: Say = print) -> Path:
    """Folder with Pyodide as released, whole standard library included: the compiler, and the home of the wasm tests.

    Raises:
        FetchError: as `build`.
    """
    folder = cache / "pyodide" / pin("pyodide.asm.wasm").sha256[:16]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent))
        for name in (*CORE, "python_stdlib.zip"):
            shutil.copyfile(fetch(name, cache, say), fresh / name)
        (fresh / "pyodide-lock.json").write_text(lock())
        _replace(fresh, folder)
    return folder


def _replace(fresh: Path, final: Path) -> None:
    """Gives a finished folder its name; a concurrent run that was first made the same one."""
    try:
        os.rename(fresh, final)
    except OSError:
        if not final.is_dir():
            raise
        shutil.rmtree(fresh)


def _notice(wheel: Path) -> str:
    """Whose work this folder holds, with the licence that NumPy wants to travel with its binaries."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/LICENSE.txt"))
        licence = archive.read(name).decode()
    version = tomllib.loads(PINS.read_text())["pyodide"]["version"]
    return (
        f"Pyodide {version}, Mozilla Public License 2.0, https://github.com/pyodide/pyodide (unchanged: pyodide.*)\n"
        "CPython's standard library, PSF License 2, https://docs.python.org/3/license.html (compiled, a subset)\n"
        "NumPy, https://numpy.org, compiled and trimmed; its licence:\n\n" + licence
    )
