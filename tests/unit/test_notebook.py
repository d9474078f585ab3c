"""Oracle: Python's own parser reads back what was put into cells; the format's rules, checked by hand."""

import ast
import doctest
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colab import notebook
from colab.notebook import Form, build, form_cell, literal, span, to_json
from pycore.control import Choice, Number, Numbers, Switch
from pycore.domain import DomainError
from pycore.scenario import SEED, Scenario

CONTROLS = (
    Number("p", 0.5, low=0, high=1, step=0.1),
    Number("G", 8, low=2, high=64, step=1, integer=True),
    Numbers("rewards", (1, 0), low=-10, high=10, fewest=1, most=4),
    Choice("scale", ("std", "none"), "std"),
    Switch("dual"),
    SEED,
)
CELLS = """
# %% [native]
from elsewhere import NAME
# %% [markdown] ru
# # Привет, {{lab.title}}
# %% [markdown] en
# # Hello, {{lab.title}}
# %% [given]
LAB = "native"
# %% [files]
# %% [form]
stand_in = 1
# %%
from core import sum_up
answer = sum_up(values)
"""
SOURCES = {"core.py": "def sum_up(values):\n    return values\n", "words.toml": 'title = "слова"\n', "other.py": ""}
NASTY = [
    "'); import os #",
    '"""',
    "\\",
    "{{lab.title}}",
    "a\nimport os",
    "\u2028x = 1",
    "`|`",
    "#@param",
    "\ud800",
    "</script>",
]


def made(scenario=None, **changes):
    settings = {
        "language": "en",
        "cells": [CELLS],
        "sources": SOURCES,
        "controls": CONTROLS,
        "form": Form("Parameters", {"p": "Success"}, "Code"),
        "text": {"lab": {"title": "world"}},
        "data": ["words.toml"],
    }
    return build(scenario or Scenario("signal", {"p": 0.25}, seed=7), **(settings | changes))


def sources(book, kind):
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == kind]


def assigned(code):
    return {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(code).body[:-1]}


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(notebook).failed == 0


def test_a_small_notebook_has_the_cells_one_expects():
    given, core, words, form, answer = sources(made(), "code")
    assert sources(made(), "markdown") == ["# Hello, world", "#### `core.py`", "#### `words.toml`"]
    assert given == "LAB = 'signal'"
    assert core == "%%writefile rlvr_lab/core.py\n" + SOURCES["core.py"].rstrip("\n")
    assert words == "%%writefile rlvr_lab/words.toml\n" + SOURCES["words.toml"].rstrip("\n")
    assert assigned(form) == {
        "p": 0.25,
        "G": 8,
        "rewards": [1, 0],
        "scale": "std",
        "dual": False,
        "seed": 7,
        "scenario_code": "",
    }
    assert answer == "from core import sum_up\nanswer = sum_up(values)"


def test_the_same_input_gives_the_same_bytes_and_another_language_shares_the_ids_of_code():
    assert to_json(made()) == to_json(made())
    english, russian = made(), made(language="ru")
    assert sources(russian, "markdown")[0] == "# Привет, world"
    assert [cell["id"] for cell in english["cells"][1:]] == [cell["id"] for cell in russian["cells"][1:]]


def test_two_spellings_of_one_state_give_the_same_bytes():
    first, second = ({"p": p, "rewards": rewards} for p, rewards in ((1, (1, 0)), (1.0, (1.0, 0.0))))
    assert to_json(made(Scenario("signal", first))) == to_json(made(Scenario("signal", second)))


def test_ids_are_unique_and_well_formed_even_for_equal_cells():
    book = made(cells=[CELLS, "# %%\nx = 1\n# %%\nx = 1\n"])
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids)


def test_the_metadata_says_what_colab_and_jupyter_need_and_how_to_return():
    metadata = made()["metadata"]
    assert metadata["kernelspec"] == {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert metadata["colab"]["provenance"] == []
    assert "widgets" not in metadata
    assert "accelerator" not in metadata
    kept = Scenario.from_json(json.dumps(metadata["rlvr_lab"]["scenario"]), catalogue={"signal": CONTROLS})
    assert kept == Scenario("signal", {"p": 0.25}, seed=7).complete({"signal": CONTROLS})
    with_card = made(gpu="T4")["metadata"]
    assert (with_card["accelerator"], with_card["colab"]["gpuType"]) == ("GPU", "T4")


def test_only_files_that_the_cells_import_are_carried():
    text = to_json(made())
    assert "other.py" not in text
    assert "other.py" in to_json(made(roots=["other"]))


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (Scenario("signal", {"p": 1.5}), r"p = 1\.5: allowed is 0\.\.1"),
        (Scenario("signal", {"p": "1; import os"}), "p = "),
        (Scenario("signal", {"scale": "'); import os #"}), "scale = "),
        (Scenario("signal", {"x": 1}), "x = 1: allowed is p, G"),
    ],
)
def test_a_value_that_a_control_refuses_never_reaches_a_cell(scenario, message):
    with pytest.raises(DomainError, match=message):
        made(scenario)


@pytest.mark.parametrize("name", ["answer", "values", "sum_up", "print", "class", "LAB"])
def test_a_control_named_as_something_else_of_the_notebook_gets_a_variable_of_its_own(name):
    cells = made(Scenario("signal", {name: True}), controls=[Switch(name)])["cells"]
    (form,) = ["".join(cell["source"]) for cell in cells if "scenario_code = " in "".join(cell["source"])]
    names: dict[str, object] = {}
    exec(compile(form, "form", "exec"), names)
    assert names["values"] == {name: True}
    assert names[f"{name}_"] is True
    assert name == "values" or name not in names


def test_a_control_whose_name_no_variable_can_have_is_refused():
    with pytest.raises(DomainError, match="control = 'a-b'"):
        made(Scenario("signal"), controls=[Switch("a-b")])


def test_a_placeholder_without_text_and_a_missing_file_are_refused():
    with pytest.raises(DomainError, match=r"lab\.title"):
        made(text={"lab": {}})
    with pytest.raises(DomainError, match=r"gone\.toml"):
        made(data=["gone.toml"])


@pytest.mark.parametrize("nasty", NASTY)
def test_nasty_words_stay_words(nasty):
    controls = [Choice("scale", ("std", nasty), "std")]
    book = made(
        Scenario("signal", {"scale": nasty}),
        controls=controls,
        form=Form(nasty, {"scale": nasty}, nasty),
        text={"lab": {"title": nasty}},
    )
    form = next(code for code in sources(book, "code") if "#@title" in code)
    assert assigned(form) == {"scale": nasty, "scenario_code": ""}
    json.loads(to_json(book).encode("utf-8"))


@given(st.text(), st.text())
def test_whatever_the_words_are_the_form_holds_assignments_only(value, label):
    controls = [Choice("scale", ("std", value), "std")]
    code = form_cell(Form(label, {"scale": label}, label), controls, {"scale": value})
    assert assigned(code) == {"scale": value, "scenario_code": ""}
    assert [type(node) for node in ast.parse(code).body] == [ast.Assign] * 3


@given(st.text())
def test_a_code_span_ends_where_it_should(text):
    shown = span(text)
    assert shown[0] == shown[-1] == "`"
    assert not set("`\n\r\u2028") & set(shown[1:-1])
    assert len(re.findall(r"(?<!\\)\|", shown)) == 0


@given(st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_literal_reads_back(value):
    assert ast.literal_eval(literal(value)) == value


@given(st.text(st.characters(), max_size=200))
def test_a_carried_file_is_written_exactly_as_it_was(text):
    book = made(sources=SOURCES | {"words.toml": text})
    written = sources(book, "code")[2]
    if written.startswith("%%"):
        # What IPython does: the rest of the cell, its last line ended.
        assert written.partition("\n")[2] + "\n" == text
    else:
        assert ast.parse(written).body[0].value.args[0].value == text


@pytest.mark.parametrize("text", ["", "\n", "no end", "two ends\n\n", "carriage\r\n"])
def test_a_file_that_the_magic_would_change_is_written_by_a_literal(text):
    written = sources(made(sources=SOURCES | {"words.toml": text}), "code")[2]
    assert written == f"Path('rlvr_lab/words.toml').write_text({text!r}, encoding='utf-8', newline='')"
