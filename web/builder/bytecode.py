"""Runs inside Pyodide at build time: turns Python sources into small archives of the bytecode that this very Python reads.

Bytecode belongs to one Python version, so the interpreter that will run in the browser has to write it. Every choice here keeps
the result a function of its input alone: fixed dates, sorted members, hash-based `.pyc` files that carry no file times.
"""

import ast
import importlib
import importlib._bootstrap_external as external
import importlib.util
import sys
import zipfile
from collections.abc import Callable

STDLIB = "/lib/python313.zip"
SITE_PACKAGES = "/lib/python3.13/site-packages"

# What the site promises to be importable, beside what Pyodide itself loads at start. Whatever these import comes along.
PROMISED = """
    __future__ abc array ast asyncio base64 bisect binascii calendar cmath codecs collections.abc concurrent.futures contextlib
    contextvars copy csv dataclasses datetime decimal difflib enum errno fractions functools gc glob graphlib hashlib heapq hmac
    html importlib.abc importlib.machinery importlib.metadata importlib.resources importlib.util inspect io itertools json
    keyword linecache locale logging marshal math numbers operator os pathlib pickle platform pprint queue random re reprlib
    secrets shutil statistics string struct sys tempfile textwrap threading time timeit tokenize tomllib traceback types typing
    unicodedata urllib.parse warnings weakref zipfile zlib
""".split()

# Imported only inside functions, or by name at run time, so that loading the promised modules does not show them.
LAZY = """
    _strptime pyodide.http importlib.readers importlib.simple importlib.resources.readers importlib.resources._itertools
    importlib.resources.simple concurrent.futures.thread stringprep
    encodings.ascii encodings.latin_1 encodings.idna encodings.punycode encodings.utf_16 encodings.utf_8_sig
    encodings.unicode_escape encodings.raw_unicode_escape encodings.cp437
""".split()

# Part of the interpreter binary: the files are only there to be read.
FROZEN = {"importlib/_bootstrap.py", "importlib/_bootstrap_external.py"}


def loaded_sources(members: list[str]) -> set[str]:
    """Archive members that the promised modules and this interpreter itself have loaded."""
    for name in PROMISED:
        importlib.import_module(name)
    wanted = {name.replace(".", "/") for name in [*sys.modules, *LAZY]}
    return {m for m in members if m.removesuffix(".py").removesuffix("/__init__") in wanted} - FROZEN


def without_docstrings(source: bytes, path: str) -> ast.Module:
    """The module's tree with every docstring that nothing can miss emptied: half of NumPy's bytecode is prose."""
    tree = ast.parse(source, path)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                first.value.value = ""
    return tree


def pyc(source: bytes, path: str, *, optimize: int, docstrings: bool) -> bytes:
    """An unchecked hash-based `.pyc`: nobody compares it with a source that is not there."""
    tree = ast.parse(source, path) if docstrings else without_docstrings(source, path)
    code = compile(tree, path, "exec", dont_inherit=True, optimize=optimize)
    return bytes(external._code_to_hash_pyc(code, importlib.util.source_hash(source), False))  # type: ignore[attr-defined]


def archive(
    origin: str, target: str, keep: Callable[[str], bool], root: str, *, optimize: int, docstrings: bool = True
) -> None:
    """Writes the kept members of a zip to another one, sources compiled as if they lay below `root`."""
    with zipfile.ZipFile(origin) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(n for n in old.namelist() if not n.endswith("/") and keep(n)):
            data = old.read(name)
            if name.endswith(".py"):
                if "/_add_newdocs" in name and not docstrings:
                    data = b""  # nothing but the docstrings of NumPy's C functions
                data = pyc(data, f"{root}/{name}", optimize=optimize, docstrings=docstrings)
                name += "c"
            new.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)


# Tests, headers, compilers, masked arrays and names kept for old code: nothing here is reached by computing.
NUMPY_UNUSED = tuple(
    """
    numpy/f2py/ numpy/distutils/ numpy/_pyinstaller/ numpy/doc/ numpy/typing/ numpy/testing/ numpy/ma/ numpy/core/ numpy/compat/
    numpy/_core/include/ numpy/_core/lib/ numpy/conftest.py numpy/matlib.py numpy/_configtool.py numpy/linalg/lapack_lite.
    """.split()
)


def numpy_member(name: str) -> bool:
    """Whether a member of the NumPy wheel goes into the browser's archive."""
    if "/tests/" in name or "_tests." in name or "_simd." in name or name.startswith(NUMPY_UNUSED):
        return False
    return name.endswith((".py", ".so"))


def main(stdlib: str, numpy: str, target: str) -> None:
    """Writes `python_stdlib.zip` and `numpy.zip` into the folder `target`."""
    with zipfile.ZipFile(stdlib) as whole:
        kept = loaded_sources(whole.namelist())
    # -OO is safe for the standard library, which is released with that option tested; NumPy needs its docstrings to be
    # strings, if only empty ones, and keeps its assertions.
    archive(stdlib, f"{target}/python_stdlib.zip", kept.__contains__, STDLIB, optimize=2)
    archive(numpy, f"{target}/numpy.zip", numpy_member, SITE_PACKAGES, optimize=0, docstrings=False)
