"""Oracle: the native build. The browser's Python writes the same bytes, and so does the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pycore.scenario import Scenario
from web import labs
from web.builder import node, runtime, site
from web.labs import export

from .test_runs import TAKEN

TOP = Path(__file__).parents[2]


def test_the_browsers_python_writes_the_same_bytes(tmp_path, files):
    runtime.build(tmp_path / "runtime", cache=TOP / ".cache")
    (tmp_path / "sources.json").write_text(files, encoding="utf-8")
    target = tmp_path / "made.json"
    inputs = [tmp_path / "runtime", site.whole_application(), tmp_path / "sources.json", json.dumps(TAKEN), target]
    node.run(Path(__file__).with_name("export.mjs"), inputs)
    made = json.loads(target.read_text(encoding="utf-8"))
    for request, text in zip(TAKEN, made, strict=True):
        assert text.encode() == export.notebook(*request, files).encode(), request


def command(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    program = [sys.executable, "-m", "colab", *arguments]
    return subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("written", [Scenario.to_query, Scenario.to_code])
def test_the_command_line_writes_the_same_bytes(written, tmp_path, files):
    scenario = Scenario("advantage", {"rewards": (1.0, 0.5), "scale": "none"})
    done = command(tmp_path, written(scenario), "--language", "ru")
    assert done.stdout.strip() == "advantage-ru.ipynb", done.stderr
    assert (tmp_path / "advantage-ru.ipynb").read_bytes() == export.notebook(
        "advantage", "ru", "rewards=1,0.5&scale=none", files
    ).encode()


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ("lab=signal&p=2", "out_of_range: p = 2, allowed is 0..1"),
        ("lab=none", f"unknown_lab: lab = none, allowed is {', '.join(labs.catalogue())}"),
        ("nonsense", "malformed: code = nonsense"),
    ],
)
def test_the_command_line_says_what_is_wrong_and_what_would_do(scenario, message, tmp_path):
    done = command(tmp_path, scenario)
    assert done.returncode == 1
    assert message in done.stderr
    assert "The nearest valid scenario is lab=" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
