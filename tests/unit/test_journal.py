"""Oracle: the round trip, and lines spoiled on purpose."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore import journal
from pycore.domain import DomainError
from pycore.journal import Header, read, record_line, write
from pycore.train.record import Record

HEADER = Header("run", {"seed": 1}, {"data": {"name": "sums"}}, {"numpy": "2.2.5"})
FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e299, max_value=1e299)
RECORDS = st.lists(
    st.builds(
        Record,
        kind=st.sampled_from(["update", "timing", "samples"]),
        update=st.just(0),
        metrics=st.dictionaries(st.sampled_from(["loss", "other"]), FLOATS),
        series=st.dictionaries(st.sampled_from(["a", "b_2"]), st.lists(FLOATS, max_size=3)),
        detail=st.dictionaries(st.text(max_size=3), st.none() | st.text(max_size=5) | st.integers() | FLOATS),
    ),
    max_size=4,
)


@given(RECORDS)
def test_what_is_written_is_read_back_exactly(records):
    found = read(write(HEADER, records))
    assert found.header == HEADER
    assert list(found.records) == records
    assert (found.ignored, found.finished) == (0, False)


def test_what_could_not_be_measured_is_null_and_comes_back_as_nan():
    line = record_line(Record("update", 1, metrics={"kl": math.nan}, series={"by": [math.inf, 1.0]}))
    assert json.loads(line)["metrics"] == {"kl": None}
    found = read(write(HEADER, [Record("update", 1, metrics={"kl": math.nan})]))
    assert math.isnan(found.records[0].metrics["kl"])


def test_a_line_separator_inside_a_string_does_not_end_the_line():
    record = Record("samples", 1, detail={"text": "a\u2028b\u0085c"})
    assert read(write(HEADER, [record])).records == (record,)


def test_lines_of_a_kind_that_a_later_version_may_know_are_counted():
    text = write(HEADER, [Record("end", 3)]) + '{"kind": "weather", "mood": "fine"}\n'
    found = read(text)
    assert (found.ignored, found.finished) == (1, True)


HEAD = journal.header_line(HEADER)


def after(line: str) -> str:
    return f"{HEAD}\n{line}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header"),
        ("[]", "line 1"),
        ('{"journal": "journal/2"}', "journal/1"),
        ("<html>", "line 1"),
        ('{"journal": "journal/1", "recipe": []}', "recipe"),
        ('{"journal": "journal/1", "title": 3}', "title"),
        (after('{"kind": "update"'), "line 2"),
        (after('{"kind": "update"}'), "update = None"),
        (after('{"kind": "update", "update": true}'), "update = True"),
        (after('{"kind": "update", "update": -1}'), "update = -1"),
        (after('{"kind": "update", "update": 1.5}'), r"update = 1\.5"),
        (after('{"kind": 3}'), "kind = 3"),
        (after('{"kind": "evaluation", "update": 1}'), "split"),
        (after('{"kind": "evaluation", "update": 1, "split": "test"}'), "split"),
        (after('{"kind": "update", "update": 1, "metrics": {"accuracy": 1.5}}'), r"metrics\.accuracy = 1\.5"),
        (after('{"kind": "update", "update": 1, "metrics": {"entropy": -1}}'), r"metrics\.entropy"),
        (after('{"kind": "update", "update": 1, "metrics": {"loss": "1"}}'), r"metrics\.loss"),
        (after('{"kind": "update", "update": 1, "metrics": {"loss": true}}'), r"metrics\.loss"),
        (after('{"kind": "update", "update": 1, "metrics": {"loss": 1e999}}'), r"metrics\.loss"),
        (after('{"kind": "update", "update": 1, "metrics": {"loss": NaN}}'), "line 2"),
        (after('{"kind": "update", "update": 1, "metrics": {"loss": %s}}' % ("9" * 5000)), "line 2"),
        (after('{"kind": "update", "update": 1, "metrics": {"loss": %s}}' % ("9" * 400)), r"metrics\.loss"),
        (after('{"kind": "update", "update": 1, "metrics": {"<b>": 1}}'), "metrics"),
        (after('{"kind": "update", "update": 1, "metrics": [1]}'), "metrics"),
        (after('{"kind": "update", "update": 1, "series": {"a": 1}}'), r"series\.a"),
        (after('{"kind": "update", "update": 1, "series": {"a": ["x"]}}'), r"series\.a"),
        (after('{"kind": "update", "update": 1, "detail": []}'), "detail"),
        (after('{"kind": "update", "update": 1, "detail": {"a": "%s"}}' % ("x" * 20_001)), "characters"),
        (after('{"kind": "update", "update": 1, "detail": ' + '{"a":' * 500 + "1" + "}" * 500 + "}"), "nested"),
        (after("[" * 900_000), "nested"),
        (after("x" * 1_000_001), "characters"),
        (after('{"kind": "end", "update": 5}\n{"kind": "end", "update": 4}'), "at least 5"),
        ("\n" * 300_000, "lines"),
    ],
)
def test_a_spoiled_journal_is_refused_with_the_line_and_the_field(text, message):
    with pytest.raises(DomainError, match=message):
        read(text)


def test_too_many_names_and_too_long_a_series_are_refused():
    names = {f"m{number}": 1.0 for number in range(journal.MOST_NAMES + 1)}
    with pytest.raises(DomainError, match="100 names"):
        read(write(HEADER, [Record("update", 1, metrics=names)]))
    with pytest.raises(DomainError, match="10000 numbers"):
        read(write(HEADER, [Record("update", 1, series={"a": [0.0] * 10_001})]))


@given(st.text(max_size=200))
def test_no_text_does_anything_but_be_refused(text):
    with pytest.raises(DomainError):
        read(after(text) if text.strip() and not text.lstrip().startswith("{") else "x" + text)
