"""Oracle: files of known kind, written by the journal and by TRL, and what only looks like one."""

from pathlib import Path

import pytest

from pycore import journal, trainer_log
from pycore.domain import DomainError
from pycore.journal import Header, write
from pycore.run_file import MOST_FILES, kind_of, read_all, read_any
from pycore.train.record import Record

FOLDER = Path(__file__).with_name("trl")
OURS = write(Header("run"), [Record("end", 3)])
STATE, LOG = ((FOLDER / f"{name}.json").read_text(encoding="utf-8") for name in ("trainer_state", "log_history"))


@pytest.mark.parametrize("before", ["", "\ufeff", "\n\n  "])
@pytest.mark.parametrize(("text", "kind"), [(OURS, "journal"), (STATE, "trainer_state"), (LOG, "log_history")])
def test_a_file_tells_its_kind_by_its_content(text, kind, before):
    assert kind_of(before + text) == kind


def test_each_kind_is_read_by_its_own_reader():
    assert read_any(OURS) == journal.read(OURS)
    # NaN is equal to nothing, not even to itself: compared as text.
    assert repr(read_any(STATE)) == repr(trainer_log.read(STATE))
    assert repr(read_any(LOG)) == repr(trainer_log.read(LOG))


def test_the_recorded_journal_of_the_site_is_read():
    recorded = Path(__file__).parents[2] / "web" / "recorded" / "collapse-0.jsonl"
    assert read_any(recorded.read_text(encoding="utf-8")).finished


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.98])
@pytest.mark.parametrize("text", [OURS, STATE, LOG])
def test_a_file_cut_anywhere_is_refused_with_a_place(text, share):
    cut = text.rstrip()[: max(1, int(len(text.rstrip()) * share))]
    with pytest.raises(DomainError, match=r"line \d|character \d|trainer_state"):
        read_any(cut)


@pytest.mark.parametrize(
    "text", ["", " ", "<!doctype html>", "PK\x03\x04", '{"cells": []}', '{"a": ', "null", "\x00" * 100, "{" * 100_000]
)
def test_a_file_of_another_kind_is_told_what_is_taken(text):
    with pytest.raises(DomainError, match="journal/1"):
        read_any(text)


def test_bytes_are_not_taken_for_text():
    with pytest.raises(DomainError, match="bytes"):
        read_any(b"[]")  # type: ignore[arg-type]


def test_of_several_files_a_bad_one_does_not_spoil_the_others():
    opened = read_all([("a.json", STATE), ("a.json", LOG), ("b.jsonl", OURS[:20]), ("b.jsonl", OURS)])
    assert list(opened.journals) == ["a.json", "a.json (2)", "b.jsonl (2)"]
    assert list(opened.refused) == ["b.jsonl"]
    assert "line 1" in str(opened.refused["b.jsonl"])


def test_too_many_files_are_refused_together():
    with pytest.raises(DomainError, match=f"at most {MOST_FILES}"):
        read_all([("a", LOG)] * (MOST_FILES + 1))


def test_too_much_text_is_refused_unread(monkeypatch):
    monkeypatch.setattr("pycore.run_file.MOST_CHARACTERS", 100)
    with pytest.raises(DomainError, match="100 together"):
        read_all([("a", LOG), ("b", "[]")])
