"""Oracle: Python's own import of the same files from a folder that holds nothing else."""

import doctest
import importlib
import sys

from colab import carry
from colab.carry import bound, closure, imported

FILES = {
    "able/__init__.py": "from able import first\n",
    "able/first.py": "import json\nfrom able.inner.deep import VALUE\n",
    "able/inner/__init__.py": "",
    "able/inner/deep.py": "def late():\n    from able import second\n\n\nVALUE = 1\n",
    "able/second.py": "",
    "able/unused.py": "",
    "able/words.toml": "x = 1",
    "baker.py": "import able.first as first, os.path\n",
}


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(carry).failed == 0


def test_the_closure_is_what_python_loads(tmp_path, monkeypatch):
    carried = closure(FILES, ["baker"])
    assert set(carried) == set(FILES) - {"able/unused.py", "able/words.toml"}
    assert all(FILES[path] == text for path, text in carried.items())
    for path, text in carried.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("baker")
    assert sys.modules["able.first"].VALUE == 1
    for name in [name for name in sys.modules if name.partition(".")[0] in ("able", "baker")]:
        del sys.modules[name]


def test_modules_that_belong_to_others_are_left_out():
    assert closure(FILES, ["numpy", "able.nothing"]).keys() >= {"able/__init__.py"}
    assert closure(FILES, ["numpy", "json"]) == {}


def test_a_relative_import_names_nothing_outside():
    assert list(imported("from . import x")) == []


def test_every_way_to_give_a_name_a_value_at_the_top_is_seen():
    loops = "a, (b, *c) = 1, (2, 3)\nfor d in []: e = 1\nwith open('f') as f: pass\n"
    code = loops + "class G:\n    h = 1\ni: int = 1\n(j := 2)"
    assert set(bound(code)) == {"a", "b", "c", "d", "e", "f", "G", "i", "j"}
