"""Oracle: what is on disk after the command. Runs the repository's own build.py as a user would."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def program() -> ModuleType:
    """build.py as a module; `build` is also the name of a well-known package, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location("rlvr_build", ROOT / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "build.py", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_the_second_build_does_nothing() -> None:
    assert build("build").returncode == 0
    before = (ROOT / "dist/manifest.json").stat()
    again = build("build")
    assert "Building" not in again.stdout
    assert (ROOT / "dist/manifest.json").stat() == before


def test_help_names_every_command_and_what_windows_needs() -> None:
    shown = build("--help")
    assert shown.returncode == 0
    for word in ("serve", "build", "test", "bench", "clean", "WSL"):
        assert word in shown.stdout


@pytest.mark.parametrize("arguments", [["frobnicate"], ["bench", "nothing-of-this-name"]])
def test_an_unknown_word_fails_with_the_list_of_known_ones(arguments: list[str]) -> None:
    done = build(*arguments)
    assert done.returncode == 1
    assert "bench" in done.stdout + done.stderr


def test_only_what_the_site_is_made_from_changes_its_hash(program: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "pycore").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "pycore/ratio.py").write_text("one")
    first = program.content(tmp_path)
    (tmp_path / "tests/test_ratio.py").write_text("a test")
    (tmp_path / "pycore/__pycache__").mkdir()
    (tmp_path / "pycore/__pycache__/ratio.pyc").write_text("bytecode")
    assert program.content(tmp_path) == first
    (tmp_path / "pycore/ratio.py").write_text("two")
    second = program.content(tmp_path)
    (tmp_path / "pycore/ratio.py").rename(tmp_path / "pycore/ratios.py")
    assert len({first, second, program.content(tmp_path)}) == 3


def test_a_second_build_waits_for_the_first(program: ModuleType) -> None:
    with program.only_one():
        command = [sys.executable, "build.py", "build"]
        second = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None
        assert "Another build is running here" in second.stdout.readline()
        assert second.poll() is None
    second.communicate()
    assert second.returncode == 0
