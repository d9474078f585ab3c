"""Oracle: the native run. The unit tests and docstring examples pass in the browser's Python too, every one of them."""

import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from web.builder import node, runtime
from web.builder.fetch import fetch

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache"
TARGETS = ["pycore", "tests/unit"]
WASM = {"sys_platform": "emscripten", "platform_system": "Emscripten", "python_version": "3.13", "extra": ""}


def needed(name: str) -> set[str]:
    """A distribution and all that it requires inside Pyodide."""
    requirements = map(Requirement, distribution(name).requires or [])
    wanted = [r.name for r in requirements if r.marker is None or r.marker.evaluate(WASM)]
    return {name}.union(*map(needed, wanted))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """The installed pytest and hypothesis with what they need, as one archive: the same code that tests natively."""
    target = tmp_path / "packages.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for name in needed("pytest") | needed("hypothesis"):
            for file in distribution(name).files or []:
                assert file.suffix != ".so", f"{name} is not pure Python: it cannot run in the browser"
                if file.parts[0] != ".." and file.suffix != ".pyc":
                    archive.write(file.locate(), file.as_posix())
    return target


def test_unit_tests_and_docstrings_pass_inside_the_browsers_python(packages: Path, tmp_path: Path) -> None:
    collect = [sys.executable, "-m", "pytest", "--collect-only", *TARGETS]
    listed = subprocess.run(collect, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    expected = {line for line in listed.splitlines() if "::" in line}
    assert expected

    runtime.build(tmp_path / "runtime", cache=CACHE)
    script = Path(__file__).with_name("run.mjs")
    inputs = [
        tmp_path / "runtime",
        runtime.stock(CACHE) / "python_stdlib.zip",
        fetch("numpy.whl", CACHE),
        packages,
        ROOT,
    ]
    command = [node.tool("node"), str(script), *map(str, inputs), *TARGETS]
    passed = set()
    output = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            output.append(line[:500])
            if test := line.partition("@passed ")[2].strip():
                passed.add(test)
            print(line[:500], end="", flush=True)
    tail = "".join(output[-80:])
    assert run.returncode == 0, tail
    assert passed == expected, tail
