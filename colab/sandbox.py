"""Runs a program's harness in a subprocess of its own, as isolated as the operating system allows.

What it promises on Linux (x86-64 and arm64), for programs that are clumsy or greedy:

- limits on wall-clock and processor time, address space, output, and open files, enforced from outside the program;
- no new processes or threads, no writing to files, no network: the kernel refuses every system call that is not on a
  short list, and a process group is killed as a whole;
- an empty environment, an empty working directory, no site packages, a hash seed of its own;
- expected results never enter the process, so a program that rewrites its own harness gains nothing.

What it does not promise: protection from a program that attacks the kernel or the interpreter itself. Files that the
user may read stay readable, though nothing read can leave except as a result. It is no container: hostile code from
strangers belongs in a virtual machine. On other POSIX systems only the resource limits hold, and on Windows nothing
does, so there `run_isolated` refuses. Which measures were in force is written in every `Run`, before the program
starts.
"""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files

from pycore.domain import DomainError
from pycore.verify.program import Limits, ProgramTest, ProgramVerdict, Run
from pycore.verify.program import verify_program as verify_in

# The reserve for the interpreter's own report around the program's output.
_REPORT_RESERVE = 2**16


def verify_program(
    source: str,
    tests: Sequence[ProgramTest],
    *,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> ProgramVerdict:
    """Judges a program by its tests, each run in a fresh subprocess.

    Args:
        source: the program's text.
        tests: visible and hidden tests.
        limits: bounds of each run; `limits.runs` interpreters with different hash seeds must agree.

    Returns:
        The verdict; its `isolation` lists the measures that were in force.

    Raises:
        DomainError: bad arguments, or a system without POSIX resource limits.

    >>> verify_program("def double(n): return 2 * n", [ProgramTest("double", (21,), 42)]).reward
    1.0
    """
    return verify_in(source, tests, run=run_isolated, limits=limits)


def run_isolated(request: str, limits: Limits) -> Run:
    """One request in one fresh interpreter.

    Args:
        request: from `pycore.verify.program.requests`.
        limits: bounds of this run.

    Returns:
        How the interpreter ended, its report, and the isolation in force.

    Raises:
        DomainError: a system without POSIX resource limits.
    """
    if os.name != "posix":
        raise DomainError("os.name", os.name, "posix: there is no isolation elsewhere")
    with tempfile.TemporaryDirectory(prefix="program-") as empty, tempfile.TemporaryFile() as asked:
        asked.write(request.encode("utf-8", "surrogatepass"))
        asked.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _program(limits)],
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=empty,
            env={},
            start_new_session=True,
        )
        try:
            return _collected(process, limits)
        finally:
            _kill(process)


def _program(limits: Limits) -> str:
    """Guard, then harness: one text, so that the new interpreter imports nothing of ours from disk."""
    guard = files("colab").joinpath("sandbox_guard.py").read_text("utf-8")
    harness = files("pycore.verify.program").joinpath("harness.py").read_text("utf-8")
    start = f"guarded({limits.cpu_seconds}, {limits.memory_bytes}, {limits.open_files})\n"
    answer = "_answer = observe(_request)\nos.write(1, _answer.encode())\nos._exit(0)\n"
    return "\n".join([guard, harness, "import os\n_request = read_request()", start, answer])


def _collected(process: "subprocess.Popen[bytes]", limits: Limits) -> Run:
    assert process.stdout is not None
    deadline = time.monotonic() + limits.wall_seconds
    most = limits.output_bytes + _REPORT_RESERVE
    received = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return Run("timeout", isolation=_split(received)[0])
            chunk = os.read(process.stdout.fileno(), 2**16)
            if not chunk:
                break
            received += chunk
            if len(received) > most:
                return Run("output", isolation=_split(received)[0])
    isolation, report = _split(received)
    try:
        code = process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Run("timeout", isolation=isolation)
    if code == -signal.SIGXCPU:
        return Run("timeout", isolation=isolation)
    return Run("done", report, isolation) if code == 0 else Run("broken", isolation=isolation)


def _split(received: bytes | bytearray) -> tuple[tuple[str, ...], str]:
    """The guard's first line, written before the program ran, and whatever came after it."""
    first, _, rest = bytes(received).partition(b"\n")
    measures = first.decode("ascii", "replace") if rest or received.endswith(b"\n") else ""
    return tuple(measure for measure in measures.split(";") if measure), rest.decode("utf-8", "replace")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has already ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
