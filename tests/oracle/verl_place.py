"""verl 0.9.1 in a folder of its own, and programs that run with it: installed once, in the repository's cache."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).parents[2]
LISTED = Path(__file__).with_name("verl.txt")


def folder() -> Path:
    """The folder with verl, made when it is not there yet (26 MB, a few seconds).

    Raises:
        RuntimeError: when it cannot be installed, with the end of what pip said.
    """
    name = hashlib.sha256(LISTED.read_bytes() + sys.version.encode()).hexdigest()[:12]
    place = TOP / ".cache" / f"verl-{name}"
    place.parent.mkdir(exist_ok=True)
    with open(place.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may want it at once
        if not place.exists():
            fresh = place.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", fresh, "-r", LISTED]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"verl could not be installed:\n{done.stderr[-2000:]}")
            fresh.rename(place)
    return place


def ask(questions: Any) -> Any:
    """What `tests/oracle/verl_probe.py` answers, in a process of its own; questions and answers are JSON values."""
    environment = os.environ | {"PYTHONPATH": f"{folder()}{os.pathsep}{TOP}", "CUDA_VISIBLE_DEVICES": ""}
    program = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("verl_probe.py"))]
    done = subprocess.run(program, input=json.dumps(questions), env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    return json.loads(done.stdout.rpartition("\n@")[2])
