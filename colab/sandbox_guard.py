"""The first thing an isolated interpreter runs: it gives up everything that a tiny function does not need.

Its text is executed by `colab.sandbox` in front of the harness. Each measure that the system grants is written, by
name, on the first line of standard output before any foreign code runs, so that the line cannot be forged afterwards.
"""

import ctypes
import os
import platform
import resource
import struct
import sys

_NEW_USER, _NEW_NET, _NEW_IPC = 0x10000000, 0x40000000, 0x08000000
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

# System calls that a running interpreter needs to compute, print and import modules; every other one is refused.
# Names and numbers are those of the kernel's own tables for the two architectures.
_CALLS = {
    "x86_64": (
        0xC000003E,
        257,  # openat, allowed for reading only
        "0 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 19 20 21 23 24 25 28 32 35 39 60 63 72 79 89 96 97 98 99 100 102 104"
        " 107 108 110 131 186 201 202 204 217 228 229 230 231 262 267 269 270 271 273 318 332 334 439",
    ),
    "aarch64": (
        0xC00000B7,
        56,
        "17 23 25 29 48 57 61 62 63 64 65 66 67 72 73 78 79 80 93 94 96 98 99 101 113 114 115 123 124 132 134 135 139"
        " 153 160 163 165 169 172 173 174 175 176 177 178 179 214 215 216 222 226 233 278 291 293 439",
    ),
}


def read_request() -> str:
    """Everything on standard input."""
    return sys.stdin.buffer.read().decode("utf-8", "surrogatepass")


def guarded(cpu_seconds: int, memory_bytes: int, open_files: int) -> None:
    """Applies every measure the system grants and reports which."""
    granted = ["empty environment", *_limited(cpu_seconds, memory_bytes, open_files)]
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        if library.unshare(_NEW_USER | _NEW_NET | _NEW_IPC) == 0:
            granted.append("own user, network and IPC namespaces")
        if _filtered(library):
            granted.append("system calls: no network, no processes, no writing to files")
    os.write(1, (";".join(granted) + "\n").encode())


def _limited(cpu_seconds: int, memory_bytes: int, open_files: int) -> "list[str]":
    # The hard processor limit is one second later: the soft one's signal says why the process ended.
    bounds = {
        "processor time": (resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1),
        "address space": (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        "file size 0": (resource.RLIMIT_FSIZE, 0, 0),
        "open files": (resource.RLIMIT_NOFILE, open_files, open_files),
        "core dumps": (resource.RLIMIT_CORE, 0, 0),
        "processes": (resource.RLIMIT_NPROC, 0, 0),
    }
    granted = []
    for name, (kind, soft, hard) in bounds.items():
        try:
            resource.setrlimit(kind, (soft, hard))
        except (OSError, ValueError):
            continue
        granted.append(f"limit on {name}")
    return granted


def _filtered(library: "ctypes.CDLL") -> bool:
    """Installs the system-call filter; False where the kernel or the architecture has none."""
    table = _CALLS.get(platform.machine())
    if table is None or struct.calcsize("P") != 8 or library.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    program = _bytecode(*table)
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    return bool(library.prctl(_SECCOMP, _FILTER, ctypes.create_string_buffer(header), 0, 0) == 0)


def _bytecode(architecture: int, open_at: int, allowed: str) -> bytes:
    """The filter in the kernel's packet-filter language: eight bytes an instruction."""
    load, equal, bits, end = 0x20, 0x15, 0x45, 0x06
    permit, refuse, kill = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # refuse answers EPERM

    def one(code: int, true: int, false: int, value: int) -> bytes:
        return struct.pack("@HBBI", code, true, false, value)

    numbers = [int(number) for number in allowed.split()]
    steps = [
        one(load, 0, 0, 4),  # the architecture, so that the numbers mean what they say
        one(equal, 1, 0, architecture),
        one(end, 0, 0, kill),
        one(load, 0, 0, 0),  # the system call's number
        one(equal, 0, 3, open_at),
        one(load, 0, 0, 32),  # its third argument: the flags
        one(bits, 0, len(numbers) + 2, _WRITING_FLAGS),
        one(end, 0, 0, refuse),
    ]
    # Each test jumps to the last instruction when it matches, and falls through to the next one otherwise.
    steps += [one(equal, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    return b"".join([*steps, one(end, 0, 0, refuse), one(end, 0, 0, permit)])
