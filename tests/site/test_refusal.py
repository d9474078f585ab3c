"""Oracle: a Russian sentence holds no English one; what a learner wrote or a file calls its fields stays as it is."""

import ast
import re
from itertools import starmap
from pathlib import Path

import pytest

from pycore import control, journal, rows, trainer_log, untrusted
from pycore.domain import DomainError
from web.dashboard import desk, opening
from web.labs import engine, refusal

# Whose refusals a page shows: files on the dashboard, the learner's own rows, addresses.
SPEAKERS = (journal, trainer_log, untrusted, rows, control, opening)
# What stays Latin in Russian: formats, names in files, and what stands for a value in the phrases below.
LATIN = {"JSON", "CSV", "log", "history", "null", "true", "false"}


def latin(text: str) -> set[str]:
    """The Latin words of a sentence, without those that stay."""
    return set(re.findall(r"[A-Za-z]{2,}", text)) - LATIN


def phrases() -> list[str]:
    """What the speakers say is allowed, read from their code, every open place filled with a number."""
    found = []
    for module in SPEAKERS:
        for call in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("DomainError", "EntryError"):
                found.append(_filled(call.args[2]))
    return found


def _filled(said: ast.expr) -> str:
    if isinstance(said, ast.Constant):
        return str(said.value)
    if isinstance(said, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in said.values)
    return _filled(said.left) + "7" if isinstance(said, ast.BinOp) else "7"


def test_everything_that_a_file_may_be_refused_for_is_said_in_russian() -> None:
    assert len(phrases()) > 40
    # A number's bounds are one open place there, and two here.
    spoken = {phrase.replace("a number 7", "a number from 7 to 7") for phrase in phrases()}
    assert {phrase for phrase in spoken if latin(refusal.said(phrase, "ru"))} == set()
    assert all(refusal.said(phrase, "en") == phrase for phrase in spoken)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", set()),
        ("\ufeff\r\n", set()),
        ("[" * 100_000, set()),
        ("{}", {"journal"}),
        ("null", set()),
        ("<img src=x onerror=alert(1)>", {"img", "src", "onerror", "alert"}),
        ('{"journal": "journal/2"}', {"journal"}),
        ('{"journal": "journal/1", "title": 5}', {"title"}),
        ('{"journal": "journal/1"}\n{"kind": "update", "update": -1}', {"update"}),
        ('{"journal": "journal/1"}\n{"kind": 7}\n', {"kind", "update", "evaluation", "timing", "samples", "end"}),
        ('{"journal": "journal/1"}\n{"kind": "update", "update": 1, "metrics": []}\n', {"metrics"}),
        ('{"log_history": {}}', {"log"}),
        ("x" * 2_000_000, {"x" * 60}),
    ],
    ids=range(13),
)
def test_a_refused_file_is_refused_in_the_language_of_the_page(text: str, kept: set[str]) -> None:
    with pytest.raises(DomainError) as caught:
        opening.read(text)
    assert latin(refusal.sentence(caught.value, "ru")) <= kept
    assert desk.open_file("<b>.jsonl", text, "en") != desk.open_file("<b>.jsonl", text, "ru")


def test_a_learners_own_words_are_not_taken_for_ours() -> None:
    assert "text" in refusal.sentence(DomainError("p", "text", "0..1"), "ru", "p")


def test_a_broken_address_gets_a_few_remarks_and_each_of_them_once() -> None:
    address = "p=0.1&p=0.2&p=0.3&" + "&".join(starmap("x{}={}".format, enumerate(range(400))))
    state, said, _ = engine.state_of("signal", "ru", address)
    assert state["p"] == 0.1
    assert len(said) == engine.MOST_TOLD + 1
    assert said[0].startswith("«Вероятность успеха» (p) задано дважды")
    assert said[-1] == "И ещё замечаний к адресу: 397."  # two for p count once each: 1 + 1 + 400 - 5
    assert "“Success probability” (p)" in engine.state_of("signal", "en", address)[1][0]


def test_a_teachers_wish_may_be_spelled_in_an_address_s_own_way() -> None:
    assert engine.state_of("signal", "ru", "%68ide=p&lock=G&lock=B")[1:] == ([], {"hide": ["p"], "lock": ["G", "B"]})
