"""Oracle: programs that try what they must not; the kernel, not the harness, refuses them."""

import os
import sys
import threading
from pathlib import Path

import pytest

from colab import sandbox
from colab.sandbox import run_isolated, verify_program
from pycore.verify.program import Limits, ProgramReason, ProgramTest, requests

TESTS = [ProgramTest("f", (1,), 2), ProgramTest("f", (5,), 6, hidden=True)]
LIMITS = Limits(wall_seconds=20, cpu_seconds=1)
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="system-call filters are Linux's")


def verdict(body, *, before="", limits=LIMITS):
    """The verdict on a function that does something and then returns the right result."""
    return verify_program(f"{before}\ndef f(x):\n    {body}\n    return x + 1\n", TESTS, limits=limits)


def test_a_right_program_is_paid_and_names_its_isolation():
    judged = verdict("pass")
    assert judged.reward == 1.0
    assert "limit on processor time" in judged.isolation
    assert "limit on address space" in judged.isolation


@LINUX
def test_on_linux_every_measure_is_in_force():
    judged = verdict("pass")
    assert "system calls: no network, no processes, no writing to files" in judged.isolation
    assert {"limit on processes", "limit on file size 0", "limit on open files"} <= set(judged.isolation)


@LINUX
@pytest.mark.parametrize(
    "attempt",
    [
        "import os; os.fork()",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.execv('/bin/true', ['true'])",
        "import threading; threading.Thread(target=print).start()",
        "import socket; socket.socket()",
        "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
        "open('left', 'w')",
        "open('/dev/null', 'a')",
        "import os; os.mkdir('left')",
        "import os; os.unlink(__import__('sys').executable)",
        "import os; os.chmod('.', 0o777)",
        "import os; os.kill(os.getppid(), 9)",
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (99, 99))",
        "import ctypes; assert ctypes.CDLL(None).unshare(0) == 0",
        "import os; open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    ],
)
def test_a_forbidden_attempt_fails(attempt):
    judged = verdict(attempt)
    assert judged.reason is ProgramReason.EXCEPTION
    assert any(word in judged.detail for word in ("PermissionError", "can't start new thread", "ValueError", "Assert"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while True: pass", "timeout"),
        ("[0] * 10 ** 10", "memory"),
        ("a = []\n    while True: a.append(bytearray(10 ** 6))", "memory"),
        ("while True: print('x' * 1000)", "output"),
        ("import os\n    while True: os.write(1, b'x' * 10000)", "output"),
        ("import os; os._exit(0)", "broken"),
        ("import ctypes; ctypes.string_at(0)", "broken"),
        ("import random; x = random.random()", "nondeterministic"),
        ("x = hash('a')", "nondeterministic"),
        ("f(x)", "exception"),
    ],
)
def test_a_program_that_goes_wrong_gets_its_reason(body, reason):
    assert verdict(body).reason == reason


def test_sleeping_uses_no_processor_and_still_ends():
    judged = verdict("import time; time.sleep(60)", limits=Limits(wall_seconds=0.7))
    assert judged.reason is ProgramReason.TIMEOUT


def test_the_environment_is_empty(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "42")
    # Python itself may add LC_CTYPE inside the process; nothing comes from outside.
    assert verdict("import os; assert set(os.environ) <= {'LC_CTYPE'}, set(os.environ)").correct


def test_the_working_directory_is_empty_and_disappears():
    judged = verdict("import os; assert os.listdir() == []; raise Exception(os.getcwd())")
    folder = judged.detail.split("Exception: ")[1].split(" (line")[0]
    assert folder.startswith("/")
    assert not Path(folder).exists()


def test_no_third_party_package_is_importable():
    assert "ModuleNotFoundError" in verdict("import numpy").detail


def test_the_standard_library_is():
    assert verdict("pass", before="import math, json, re, itertools, collections, heapq, fractions, decimal").correct


def test_a_report_written_by_the_program_is_not_believed():
    forged = b'{"failed": "correct", "detail": "", "results": []}'
    assert verdict(f"import os; os.write(1, {forged!r}); os._exit(0)").reason is ProgramReason.BROKEN


def test_the_isolation_cannot_be_forged_by_the_program():
    (run,) = [
        run_isolated(request, LIMITS)
        for request in requests("import os\nos.write(1, b'vm;\\n')", TESTS[:1], Limits(runs=1))
    ]
    assert "vm" not in run.isolation
    assert run.isolation[0] == "empty environment"


def test_an_expected_value_is_nowhere_in_the_process():
    tests = [ProgramTest("f", (1,), 918273645)]
    source = (
        "import gc, sys\n"
        "def f(x):\n"
        "    seen = [o for o in gc.get_objects() if isinstance(o, dict)]\n"
        "    return next((v for d in seen for v in d.values() if v == 900000000 + 18273645), 0)\n"
    )
    assert verify_program(source, tests, limits=LIMITS).reason is ProgramReason.WRONG


def test_it_works_beside_other_threads():
    """Timeouts by signal would fail outside the main thread."""
    found = []
    worker = threading.Thread(target=lambda: found.append(verdict("while True: pass", limits=Limits(cpu_seconds=1))))
    worker.start()
    worker.join(60)
    assert found[0].reason is ProgramReason.TIMEOUT


def test_no_file_descriptor_is_left_open():
    verdict("pass")
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    verdict("pass")
    verdict("while True: pass")
    assert not before or len(os.listdir("/proc/self/fd")) == before


READER = """
import os, re
def f(x):
    pid = os.getppid()
    with open(f"/proc/{pid}/maps") as lines, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for low, high in (line.split()[0].split("-") for line in lines if " rw" in line):
            try:
                memory.seek(int(low, 16))
                found = re.search(rb"RESULT-[0-9]{7}-END", memory.read(min(int(high, 16) - int(low, 16), 2**26)))
            except OSError:
                continue
            if found:
                return found.group().decode()
"""


@LINUX
@pytest.mark.parametrize("namespaces", [True, False])
def test_an_expected_value_cannot_be_read_from_the_memory_of_the_parent(namespaces, monkeypatch):
    # Many containers refuse user namespaces, so the other measures must suffice; this is the guard as it runs there.
    granted = sandbox._program
    refused = "library.unshare(_NEW_USER | _NEW_NET | _NEW_IPC) == 0"
    assert refused in granted(LIMITS)
    if not namespaces:
        monkeypatch.setattr(sandbox, "_program", lambda limits: granted(limits).replace(refused, "False"))
    judged = verify_program(READER, [ProgramTest("f", (1,), f"RESULT-{7_000_000 + os.getpid()}-END")], limits=LIMITS)
    assert judged.reason is ProgramReason.EXCEPTION
    assert "PermissionError" in judged.detail
