"""Runs inside Pyodide: pytest over the mounted repository, with one `@outcome node-id` line for each test."""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder

import numpy


class Whole:
    """Finds what the trimmed archives lack; being last, it never replaces what they have."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        parent = name.rpartition(".")[0].replace(".", "/")
        return PathFinder.find_spec(name, [f"{top}/{parent}".rstrip("/") for top in ("/whole/stdlib.zip", "/whole")])


class Report:
    """Prints what became of each test, for the native test that counts."""

    @staticmethod
    def pytest_runtest_logreport(report: object) -> None:
        if report.when == "call" or report.outcome != "passed":  # type: ignore[attr-defined]
            print(f"@{report.outcome} {report.nodeid}", flush=True)  # type: ignore[attr-defined]


def main(arguments: list[str]) -> int:
    """Runs pytest in /repository and returns its exit status."""
    sys.meta_path.append(Whole)
    import pytest  # only findable from here on

    os.chdir("/repository")
    sys.path.insert(0, "/repository")
    print(f"Python {sys.version.split()[0]} on {sys.platform}, NumPy {numpy.__version__}", flush=True)
    options = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys", "--tb=short"]
    return int(pytest.main([*options, *arguments], plugins=[Report()]))
