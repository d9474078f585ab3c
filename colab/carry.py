"""Which files a notebook has to take along: those its cells import, and those that these import."""

import ast
from collections.abc import Iterable, Iterator, Mapping


def imported(code: str) -> Iterator[str]:
    """Dotted names that a piece of code imports; for `from a import b` both `a` and `a.b`, which may be a module.

    >>> list(imported("import math\\nfrom web import labs"))
    ['math', 'web', 'web.labs']
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def bound(code: str) -> Iterator[str]:
    """Names that a piece of code gives a value at its top level, the variables of comprehensions among them.

    >>> sorted(bound("import a.b\\nx = 1\\ndef f(y):\\n    z = y"))
    ['a', 'f', 'x']
    """
    waiting: list[ast.AST] = [ast.parse(code)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        waiting += ast.iter_child_nodes(node)


def closure(sources: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The part of `sources` that importing `names` loads, by path in alphabetical order.

    Args:
        sources: path of a Python file to its text; other files are ignored.
        names: dotted names; those that `sources` does not hold belong to others.

    >>> closure({"a/__init__.py": "", "a/b.py": "import c", "c.py": "", "d.py": ""}, ["a.b", "math"])
    {'a/__init__.py': '', 'a/b.py': 'import c', 'c.py': ''}
    """
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        parts = waiting.pop().split(".")
        stem = "/".join(parts)
        # Importing a.b.c runs the packages a and a.b first.
        packages = ["/".join([*parts[:depth], "__init__.py"]) for depth in range(1, len(parts) + 1)]
        for path in (*packages, f"{stem}.py"):
            if path in sources and path not in found:
                found[path] = sources[path]
                waiting += imported(sources[path])
    return dict(sorted(found.items()))
