"""The numbers that the course gives, each with the lab that shows it and the test that holds it to the lab's own Frame.

python -m tests.site.numbers        # the list as a table
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

COURSE = Path(__file__).parents[2] / "web" / "course"
HERE = Path(__file__).parent
LISTED = HERE / "numbers.toml"
BUILD = "the build"  # compares every number of a step with what is known, those that no lab shows as well


class Entry(NamedTuple):
    """One number: where it is given, as it is written there, the lab ("" for none), and the test of `tests/site`."""

    step: str
    name: str
    known: str
    lab: str
    file: str
    test: str


def given() -> Iterator[tuple[str, str, str]]:
    """Step, name and digits of every number that the course, or a paper that it quotes, gives."""
    for path in sorted(COURSE.glob("*/*/step.toml")):
        step = "/".join(path.parts[-3:-1])
        for name, number in tomllib.loads(path.read_text(encoding="utf-8")).get("numbers", {}).items():
            if isinstance(number, dict) and "known" in number:
                yield step, name, str(number["known"])


def listed() -> list[Entry]:
    """The list, in the order of the course."""
    rows = tomllib.loads(LISTED.read_text(encoding="utf-8"))
    found = []
    for step, name, known in given():
        where = rows.get(step, {}).get(name, "")
        lab, _, test = where.partition(": ")
        own = f"test_lab_{lab}.py"
        file = (
            own if f"def {test}(" in _text(own) else next((one for one in OTHERS if f"def {test}(" in _text(one)), "")
        )
        found.append(Entry(step, name, known, lab, file, test))
    return found


OTHERS = ("test_numbers.py", "test_labs.py")


def _text(file: str) -> str:
    path = HERE / file
    return path.read_text(encoding="utf-8") if path.exists() else ""


def holds(entry: Entry) -> bool:
    """Whether the number, up to its sign and to the digits given, is written in the test."""
    digits = len(entry.known.partition(".")[2])
    for node in ast.parse(_text(entry.file)).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry.test:
            numbers = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
            written = [abs(one) for one in numbers if isinstance(one, int | float) and not isinstance(one, bool)]
            return any(abs(one - abs(float(entry.known))) < 0.51 * 10.0**-digits for one in written)
    return False


def main() -> None:
    """Prints the list."""
    print(f"{'step':12} {'number':>9}  {'lab':18} test")
    for entry in listed():
        test = f"tests/site/{entry.file}::{entry.test}" if entry.lab else BUILD
        print(f"{re.sub('lesson-|part-', '', entry.step):12} {entry.known:>9}  {entry.lab or '-':18} {test}")


if __name__ == "__main__":
    main()
