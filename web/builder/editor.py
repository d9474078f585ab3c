"""The code editor as one script: CodeMirror's pinned packages and `web/editor`, bundled by esbuild."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

from web.builder import BuildError, fetch, node
from web.builder.source import Say

ENTRY = Path(__file__).parents[1] / "editor" / "editor.js"
BUNDLER = "esbuild-wasm.tgz"


def bundle(cache: Path, say: Say = print) -> Path:
    """Path of the bundled script; it is made once for one content of its inputs.

    Raises:
        FetchError: a pinned package cannot be had.
        BuildError: the bundler refuses.
    """
    packages: dict[str, str] = tomllib.loads(fetch.PINS.read_text())["editor"]["package"]
    inputs = hashlib.sha256(ENTRY.read_bytes() + Path(__file__).read_bytes())
    for file in (BUNDLER, *packages.values()):
        inputs.update(fetch.pin(file).sha256.encode())
    done = cache / "runtime" / f"editor-{inputs.hexdigest()[:16]}.js"
    if done.exists():
        return done
    say("  bundling the code editor (once)")
    done.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=done.parent) as folder:
        modules = Path(folder, "node_modules")
        for name, file in packages.items():
            (modules / name).parent.mkdir(parents=True, exist_ok=True)
            (modules / name).symlink_to(fetch.unpack(file, cache, say).absolute(), target_is_directory=True)
        shutil.copyfile(ENTRY, Path(folder, ENTRY.name))
        program = fetch.unpack(BUNDLER, cache, say).absolute() / "bin" / "esbuild"
        # The packages are found from their links, not from where these lead: side by side, as npm would lay them.
        options = [
            "--bundle",
            "--minify",
            "--format=esm",
            "--target=es2022",
            "--preserve-symlinks",
            "--legal-comments=none",
        ]
        made = subprocess.run(
            [node.tool("node"), str(program), ENTRY.name, *options, "--outfile=bundle.js"],
            cwd=folder,
            capture_output=True,
            text=True,
            env=os.environ | {"NODE_NO_WARNINGS": "1"},
        )
        if made.returncode:
            raise BuildError(f"esbuild could not bundle the editor:\n{made.stderr[-2000:]}")
        os.replace(Path(folder, "bundle.js"), done)
    return done


def notice(cache: Path) -> str:
    """Whose work the bundle holds."""
    packages = tomllib.loads(fetch.PINS.read_text())["editor"]["package"]
    listed = "\n".join(fetch.pin(file).sources[0].removeprefix("npm:") for file in packages.values())
    licence = (fetch.unpack(packages["@codemirror/state"], cache) / "LICENSE").read_text(encoding="utf-8")
    return f"editor.js holds these packages, by Marijn Haverbeke and others:\n{listed}\n\n{licence}"
