"""Oracle: each lab's Frame, computed natively; the printed numbers are read back from the language's own spelling."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from nbclient.exceptions import CellExecutionError

from pycore.scenario import Scenario
from web import labs
from web.labs import engine
from web.labs.texts import LANGUAGES, MARKS

from .conftest import pictures, printed

STATES = {
    "signal": ("", "p=0.9&G=16&B=8&spread=0.3&correlation=0.2&groups=50&seed=5", "p=0&G=2"),
    "advantage": (
        "",
        "rewards=1,0.5,-3&other=2,2&scale=none&ddof=1",
        "rewards=1,1&other=0&baseline=leave_one_out&eps=1",
    ),
    "clip": ("", "ratio=3.2&size=0.5&dual=true&cap=2.5", "low=0&high=0&ratio=0.05"),
    "dashboard": ("healthy=false",),
    "train": ("updates=2&batch=2&G=4&every=2",),
}
TAKEN = [(lab, language, query) for lab, queries in STATES.items() for query in queries for language in LANGUAGES]
OTHERS = [
    pytest.param(lab, language, engine.query_of(lab, state), marks=pytest.mark.full)
    for lab in labs.names()
    if lab not in STATES
    for language in LANGUAGES
    for state in labs.load(lab).presets.values()
]
# A run warms up first, which takes its seconds: one language shows it.
TAKEN = [one for one in TAKEN if one[:2] != ("train", "ru")]


def number(text, language):
    """The number written in a language's spelling, and half a unit of its last place."""
    decimal, thousands, _ = MARKS[language]
    plain = text.replace(thousands, "").replace(decimal, ".").replace("−", "-").replace("∞", "inf")
    scale = 0.01 if plain.endswith("%") else 1.0
    plain = plain.removesuffix("%").removesuffix("°").removeprefix("×").strip(" \u00a0")
    if plain == "—":  # undefined
        return float("nan"), 0.0
    return scale * float(plain), scale * 0.5 * 10.0 ** -len(plain.partition(".")[2])


@pytest.mark.parametrize(("lab", "language", "query"), [*TAKEN, *OTHERS])
def test_it_runs_from_top_to_bottom_and_prints_the_labs_numbers(lab, language, query, book, run):
    done = run(book(lab, language, query))
    lines = printed(done).splitlines()
    asked = engine.answer(lab, language, query)
    assert asked["problems"] == []
    frame = labs.load(lab).frame(asked["controls"], end=True)  # a notebook takes a process to its end
    shown = engine.show(lab, language, frame, asked["controls"])
    assert shown["summary"] in lines
    words = engine.words(lab, language)
    columns = words["table"]["columns"]
    end = lines.index(next(line for line in lines if line.split() == " ".join(head(columns)).split()))
    rows = [line.split("  ") for line in lines[end + 1 : end + 1 + len(shown["table"])]]
    rows = [[cell.strip(" ") for cell in row if cell.strip(" ")] for row in rows]
    assert rows == shown["table"]
    for name, cells in zip(columns, zip(*rows, strict=True), strict=True):
        for cell, value in zip(cells, np.asarray(frame.rows[name]).tolist(), strict=True):
            if isinstance(value, str):
                assert cell == words.get("names", {}).get(value, value)
            else:
                read, half = number(cell, language)
                assert (
                    read == value
                    or (read != read and value != value)
                    or abs(read - value) <= half * (1 + 1e-9) + 1e-6 * abs(value)
                )
    assert pictures(done) == sum("alt" in figure for figure in words["figures"].values())
    assert "≠" not in printed(done)


def head(columns):
    return [column["header"] for column in columns.values()]


def edited(book, marker, old, new):
    """Changes the code cell that contains `marker`, as a learner would."""
    cell = next(cell for cell in book.cells if cell.cell_type == "code" and marker in cell.source)
    assert old in cell.source
    cell.source = cell.source.replace(old, new)
    return book


def test_a_pasted_code_wins_over_the_fields_and_a_changed_file_is_told(book, run):
    code = Scenario("signal", {"p": 0.02, "G": 4}, seed=3).to_code()
    made = edited(book("signal", "ru", ""), "scenario_code =", 'scenario_code = ""', f"scenario_code = {code!r}")
    made = edited(made, "%%writefile rlvr_lab/pycore/groups.py", "\nimport", "\n# a note\nimport")
    text = printed(run(made))
    assert engine.answer("signal", "ru", "p=0.02&G=4&seed=3")["summary"] in text
    (changed,) = [line for line in text.splitlines() if "≠" in line]
    assert "pycore/groups.py" in changed


def test_a_pasted_address_is_understood(book, run):
    address = '"https://example.org/rlvr/en/labs/clip/?ratio=0.5&low=0.1#lab"'
    made = edited(book("clip", "en", "ratio=3"), "scenario_code =", 'scenario_code = ""', f"scenario_code = {address}")
    assert engine.answer("clip", "en", "ratio=0.5&low=0.1")["summary"] in printed(run(made))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("p = 0.1 ", "p = 1.5 ", "p = 1.5: allowed is 0..1"),
        ("G = 8 ", "G = 8.5 ", "G = 8.5: allowed is 2..64"),
        ('scenario_code = ""', 'scenario_code = "bGFiPXNpZ25hbA.00000000"', "malformed: code"),
    ],
)
def test_a_bad_value_is_named_with_its_bounds(old, new, message, book, run):
    made = edited(book("signal", "en", ""), "scenario_code =", old, new)
    with pytest.raises(CellExecutionError) as caught:
        run(made)
    assert caught.value.ename in ("DomainError", "ScenarioError")
    assert message in caught.value.evalue


def test_a_labs_notebook_writes_no_file_that_imports_beyond_numpy_and_matplotlib(book):
    found = set()
    for lab in labs.names():
        for cell in book(lab, "en", "").cells:
            if cell.cell_type == "code" and cell.source.startswith("%%writefile ") and ".py\n" in cell.source:
                for node in ast.walk(ast.parse(cell.source.partition("\n")[2])):
                    names = [node.module] if isinstance(node, ast.ImportFrom) else []
                    names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                    found |= {name.partition(".")[0] for name in names}
    assert found - set(sys.stdlib_module_names) == {"numpy", "matplotlib", "pycore", "web", "colab"}


def test_the_cells_files_compile():
    top = Path(labs.HERE).parents[1]
    for path in (top / "colab/cells").glob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
