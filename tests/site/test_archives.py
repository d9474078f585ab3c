"""Oracle: Python's own import in a folder that holds nothing else: a page has two archives, its lab needs no more."""

import subprocess
import sys
from pathlib import Path

import pytest

from web import labs
from web.builder import carry, documents

TOP = Path(__file__).parents[2]
ANSWER = """
import sys
sys.path.insert(0, sys.argv[1])
from web.labs import engine, stream
for language in ("ru", "en"):
    answer = engine.answer(sys.argv[2], language, "")
    assert not answer.get("fault") and not answer["problems"], answer
assert engine.__file__.startswith(sys.argv[1])
"""


def alone(folder: Path, archives: list[str], code: str, lab: str) -> subprocess.CompletedProcess[str]:
    """Runs code that finds only what stands in these archives, and the files that the lab reads."""
    texts = {path: text for name in archives for path, text in carry.application()[name].items()}
    contents = {path: text.encode() for path, text in texts.items()}
    contents |= {path: (TOP / path).read_bytes() for path in labs.load(lab).files}
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    command = [sys.executable, "-I", "-c", code, str(folder), lab]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("lab", labs.names())
def test_a_lab_answers_with_its_own_archive_and_the_first_one_alone(lab: str, tmp_path: Path) -> None:
    done = alone(tmp_path, ["app", f"labs/{lab}"], ANSWER, lab)
    assert done.returncode == 0, done.stderr


def test_the_first_archive_alone_does_not_hold_the_labs(tmp_path: Path) -> None:
    assert "No module named 'web.labs.signal'" in alone(tmp_path, ["app"], ANSWER, "signal").stderr


def test_what_exports_a_lab_needs_no_more_than_its_own_archive_beside_them(tmp_path: Path) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import web.labs.export"
    done = alone(tmp_path, ["app", "export", "labs/train"], code, "train")
    assert done.returncode == 0, done.stderr


def test_a_document_is_kept_by_what_it_is_made_of_and_is_the_same_when_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ("signal", "en", "p=0.3")
    made = documents.prepare([state, state], tmp_path)[state]
    assert made.document == documents.prerender(*state).document
    (kept,) = tmp_path.iterdir()
    written = kept.stat().st_mtime_ns
    assert documents.prepare([state], tmp_path)[state].document == made.document
    assert kept.stat().st_mtime_ns == written
    changed = carry.application() | {"labs/signal": carry.application()["labs/signal"] | {"web/labs/signal/lab.py": ""}}
    monkeypatch.setattr(carry, "application", lambda: changed)
    assert f"{documents._digest(state)}.pickle" != kept.name
