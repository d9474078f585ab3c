"""`python -m web.builder build|serve|picture|tsc`, run from the top of the repository by `build.py`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from web.builder import BuildError, node, serve
from web.builder.fetch import unpack


def build(dist: Path) -> None:
    """Builds the site beside `dist` and puts it in its place in one step, so that no half of it is ever served."""
    from web.builder import site  # Panel and Bokeh load with it: `serve` must not wait for them

    fresh, old = (dist.parent / ".cache" / f"{dist.name}.{state}.{os.getpid()}" for state in ("new", "old"))
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        site.build(fresh)
        if dist.exists():
            dist.rename(old)
        fresh.rename(dist)
    finally:
        for folder in (fresh, old):
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Runs one command."""
    command, *arguments = sys.argv[1:] or ["--help"]
    if command == "serve":
        serve.main(arguments)
    elif command == "picture":
        from web.builder import picture  # needs the `test` extra

        picture.take(Path("dist"), Path("web/picture.png"))
    elif command == "tsc":
        compiler = unpack("typescript.tgz", Path(".cache")) / "bin/tsc"
        sys.exit(subprocess.run([node.tool("node"), str(compiler), *arguments]).returncode)
    elif command == "build" and not arguments:
        try:
            build(Path("dist").absolute())
        except BuildError as error:
            sys.exit(f"The build stopped: {error}")
    else:
        sys.exit("usage: python -m web.builder build | picture | tsc [ARGS] | serve [ARGS]")


if __name__ == "__main__":
    main()
