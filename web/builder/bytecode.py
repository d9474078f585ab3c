"""Runs inside Pyodide at build time: turns Python sources into small archives of bytecode.

Bytecode belongs to one Python version, so the interpreter that will run in the browser has to write it. Every choice
here keeps the result a function of its input alone: fixed dates, sorted members, hash-based `.pyc` files without times.
"""

import ast
import importlib
import importlib._bootstrap_external as external
import importlib.util
import sys
import tomllib
import zipfile
from collections.abc import Callable

STDLIB = "/lib/python313.zip"
SITE_PACKAGES = "/lib/python3.13/site-packages"
HOME = "/home/pyodide"

# Part of the interpreter binary: the files are only there to be read.
FROZEN = {"importlib/_bootstrap.py", "importlib/_bootstrap_external.py"}


def loaded_sources(members: list[str], promised: list[str], lazy: list[str]) -> set[str]:
    """Archive members that this interpreter has loaded once the promised modules are imported, and the lazy ones."""
    for name in promised:
        importlib.import_module(name)
    wanted = {name.replace(".", "/") for name in [*sys.modules, *lazy]}
    return {m for m in members if m.removesuffix(".py").removesuffix("/__init__") in wanted} - FROZEN


def without_docstrings(source: bytes, path: str) -> ast.Module:
    """The module's tree with every docstring that nothing can miss emptied: half of NumPy's bytecode is prose.

    A class keeps a dot: `dataclass` writes a docstring for a class that has none, which takes longer than all the
    rest of what it does.
    """
    tree = ast.parse(source, path)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                blank = "." if isinstance(node, ast.ClassDef) else ""
                first.value.value = blank if isinstance(first.value.value, str) else first.value.value
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


def application(origin: str, target: str) -> None:
    """Compiles the site's own modules; what they would show of themselves is read from their sources, not from here."""
    archive(origin, target, lambda _: True, HOME, optimize=0, docstrings=False)


def main(stdlib: str, numpy: str, trim: str, target: str) -> None:
    """Writes `python_stdlib.zip` and `numpy.zip` into the folder `target`, trimmed as a TOML text says."""
    rules = tomllib.loads(trim)["trim"]
    with zipfile.ZipFile(stdlib) as whole:
        kept = loaded_sources(whole.namelist(), rules["promised"], rules["lazy"])

    def needed(name: str) -> bool:
        unused = name.startswith(tuple(rules["numpy_unused"])) or any(
            part in name for part in rules["numpy_unused_parts"]
        )
        return name.endswith((".py", ".so")) and not unused

    # -OO is safe for the standard library, which is released with that option tested; NumPy needs its docstrings to be
    # strings, if only empty ones, and keeps its assertions.
    archive(stdlib, f"{target}/python_stdlib.zip", kept.__contains__, STDLIB, optimize=2)
    archive(numpy, f"{target}/numpy.zip", needed, SITE_PACKAGES, optimize=0, docstrings=False)
