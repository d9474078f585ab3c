"""Oracle: the shipped cases, each with its expected verdict and reason written by hand."""

import json
from dataclasses import replace

import pytest

from pycore.domain import DomainError
from pycore.verify import BOXED_ONLY, COURSE
from pycore.verify.suite import KINDS, compare_contracts, parse_suite, run_suite, suite


@pytest.mark.parametrize("kind", KINDS)
def test_the_course_contract_makes_no_error_on_the_shipped_suites(kind):
    report = run_suite(suite(kind))
    assert [(case.text[:60], verdict.reason) for case, verdict in report.failures] == []
    (tally,) = report.tallies
    assert tally.cases == tally.right_answers + tally.wrong_answers >= 25


def test_positive_cases_are_paid_and_negative_ones_are_not():
    assert all(case.paid for case in suite("positive"))
    assert not any(case.paid for case in suite("negative"))


def test_no_case_is_there_twice():
    keys = [(case.text, case.reference) for case in suite()]
    assert len(keys) == len(set(keys))


def test_rates_are_counted_within_right_and_wrong_answers():
    lines = "\n".join(
        json.dumps({"text": text, "reference": "42", "expected": expected, "reason": "counting"})
        for text, expected in [("\\boxed{42}", 1), ("\\boxed{41}", 1), ("\\boxed{42}", 0), ("\\boxed{40}", 0), ("", 0)]
    )
    (tally,) = run_suite(parse_suite("policy", lines)).tallies
    assert (tally.false_positives, tally.false_positive_rate) == (1, 1 / 3)
    assert (tally.false_negatives, tally.false_negative_rate) == (1, 1 / 2)


def test_a_kind_without_wrong_answers_has_no_false_positive_rate():
    (tally,) = run_suite(suite("positive")).tallies
    assert tally.false_positive_rate is None
    assert tally.false_negative_rate == 0.0


@pytest.mark.parametrize(
    ("rules", "kind", "error"),
    [
        ({"unit": "any"}, "adversarial", "false_positives"),
        ({"skip_thought": False}, "adversarial", "false_positives"),
        ({"percent": "drop"}, "negative", "false_positives"),
        ({"absolute_tolerance": "1/100"}, "negative", "false_positives"),
        ({"tolerance": "exact"}, "positive", "false_negatives"),
        ({"fraction": False}, "positive", "false_negatives"),
        ({"group": False}, "positive", "false_negatives"),
        ({"unicode": False}, "positive", "false_negatives"),
    ],
)
def test_a_single_changed_rule_shows_up_as_its_kind_of_error(rules, kind, error):
    (tally,) = run_suite(suite(kind), replace(COURSE, **rules)).tallies
    assert getattr(tally, error) > 0


def test_two_contracts_differ_exactly_where_their_verdicts_do():
    differences = compare_contracts(suite("policy"), COURSE, BOXED_ONLY)
    assert differences
    assert all(pair.first.correct and not pair.second.correct for pair in differences)
    assert not compare_contracts(suite(), COURSE, COURSE)


def test_a_report_is_plain_json():
    report = run_suite(suite("adversarial"), replace(COURSE, unit="any")).to_dict()
    assert json.loads(json.dumps(report)) == report
    assert report["failures"][0]["verdict"] == "correct"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        '{"text": "x"}',
        '{"text": "x", "reference": "1", "expected": 2, "reason": ""}',
        '{"text": [["x"]]}',
    ],
)
def test_a_malformed_line_is_named(line):
    good = '{"text": "x", "reference": "1", "expected": 0, "reason": "words"}'
    with pytest.raises(DomainError, match="negative line 2"):
        parse_suite("negative", f"{good}\n{line}\n{good}")


def test_a_superfluous_field_is_refused():
    with pytest.raises(DomainError, match="no further fields"):
        parse_suite("negative", '{"text": "x", "reference": "1", "expected": 0, "reason": "a", "note": "b"}')


def test_an_unknown_kind_is_refused():
    with pytest.raises(DomainError, match="positive, negative, adversarial, policy"):
        suite("neutral")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"text": [["a", 1000000000000]], "reference": "1", "expected": 0}'])
def test_a_suite_from_elsewhere_is_measured_before_it_is_read(line):
    with pytest.raises(DomainError, match="line 1"):
        parse_suite("negative", line)
