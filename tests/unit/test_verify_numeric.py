"""Oracle: Python's Fraction for values, the published suites for verdicts, hand-made attacks for the promises."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.verify import NumericContract, Reason, verify_numeric

MEGABYTE = 1_000_000


def boxed(answer):
    return f"The answer is \\boxed{{{answer}}}."


def reason(text, reference="42", **rules):
    return verify_numeric(text, reference, contract=NumericContract(**rules)).reason


def test_the_course_example_three_sevenths_is_paid():
    verdict = verify_numeric("\\boxed{3/7}", "0.428571")
    assert verdict.reward == 1.0
    assert verdict.value == Fraction(3, 7)
    assert verdict.difference == Fraction(3, 7) - Fraction(428571, 10**6)
    assert verdict.allowed == Fraction(1, 10**6)


def test_whole_numbers_compare_exactly_beyond_the_precision_of_floats():
    assert float("12345678901234567891") == float("12345678901234567890")
    assert not verify_numeric(boxed("12345678901234567891"), "12345678901234567890").correct
    assert verify_numeric(boxed("7" * 4000), "7" * 4000).correct
    assert not verify_numeric(boxed("7" * 3999 + "8"), "7" * 4000).correct


def test_fractions_compare_exactly():
    assert verify_numeric(boxed(f"{10**30 + 1}/{3 * 10**30 + 3}"), "1/3").correct
    assert not verify_numeric(boxed(f"{10**30}/{3 * 10**30 + 3}"), "1/3").correct


def test_a_decimal_that_is_whole_gets_no_tolerance():
    assert not verify_numeric(boxed("1000001.0"), "1000000").correct
    assert verify_numeric(boxed("1000000.0"), "1000000").correct


def test_zero_is_not_paid_for_a_tiny_reference():
    assert not verify_numeric(boxed("0"), "0.0000001").correct
    assert not verify_numeric(boxed("-0.0000001"), "0.0000001").correct
    assert verify_numeric(boxed("0.0000001"), "0").correct


@pytest.mark.parametrize(
    ("answer", "reference", "rule", "paid"),
    [
        ("100.00005", "100", "either", True),  # off by 5e-5: relative 5e-7, absolute too much
        ("100.00005", "100", "both", False),
        ("0.0500005", "0.05", "either", True),  # off by 5e-7: absolute within, relative 1e-5
        ("0.0500005", "0.05", "both", False),
        ("0.5000001", "0.5", "both", True),
        ("0.5000001", "0.5", "exact", False),
        ("0.50", "0.5", "exact", True),
    ],
)
def test_the_tolerance_rule_decides_how_both_tolerances_combine(answer, reference, rule, paid):
    assert verify_numeric(boxed(answer), reference, contract=NumericContract(tolerance=rule)).correct is paid


@pytest.mark.parametrize(
    ("comma", "answer", "value"),
    [
        ("groups", "1,234", 1234),
        ("groups", "3,14", None),
        ("groups", "0,123", None),
        ("decimal", "1,234", Fraction(1234, 1000)),
        ("decimal", "3,14", Fraction(314, 100)),
        ("decimal", "1 234,5", Fraction(12345, 10)),
        ("decimal", "1,234,567", None),
        ("either", "1,234", 1234),
        ("either", "3,14", Fraction(314, 100)),
        ("either", "1,234.5", Fraction(12345, 10)),
    ],
)
def test_the_comma_means_what_the_contract_says(comma, answer, value):
    contract = NumericContract(decimal_comma=comma)
    assert verify_numeric(boxed(answer), "1", contract=contract).value == value


@pytest.mark.parametrize(
    ("rules", "answer", "reference"),
    [
        ({"percent": "drop"}, "50%", "50"),
        ({"unit": "any"}, "18 red apples", "18"),
        ({"foreign_digit": True}, "٤٢", "42"),
    ],
)
def test_a_lenient_rule_pays_what_the_course_refuses(rules, answer, reference):
    assert not verify_numeric(boxed(answer), reference).correct
    assert verify_numeric(boxed(answer), reference, contract=NumericContract(**rules)).correct


@pytest.mark.parametrize(
    ("rules", "answer", "reference"),
    [
        ({"group": False}, "1,234", "1234"),
        ({"percent": "refuse"}, "50%", "1/2"),
        ({"unit": "refuse"}, "18 cm", "18"),
        ({"currency": False}, "$18", "18"),
        ({"degree": False}, "90^\\circ", "90"),
        ({"fraction": False}, "1/2", "0.5"),
        ({"fraction": False}, "\\frac12", "0.5"),
        ({"mixed": False}, "1 1/2", "1.5"),
        ({"scientific": False}, "1.5e3", "1500"),
        ({"power": False}, "2^{10}", "1024"),
        ({"scale_word": False}, "3 million", "3000000"),
        ({"assignment": False}, "x = 42", "42"),
        ({"unicode": False}, "−7", "-7"),
    ],
)
def test_every_rule_of_the_grammar_can_be_switched_off(rules, answer, reference):
    assert verify_numeric(boxed(answer), reference).correct
    assert not verify_numeric(boxed(answer), reference, contract=NumericContract(**rules)).correct


def test_units_are_compared_and_never_converted():
    assert reason(boxed("100 cm"), "1 m") is Reason.UNIT_MISMATCH
    assert reason(boxed("5 cm"), "5 m") is Reason.UNIT_MISMATCH
    assert reason(boxed("$5"), "5€") is Reason.UNIT_MISMATCH
    assert reason(boxed("5 centimeters"), "5 cm") is Reason.CORRECT
    assert reason(boxed("5"), "5 cm") is Reason.CORRECT


@pytest.mark.parametrize(
    "answer", ["nan", "inf", "-Infinity", "\\infty", "∞", "1/0", "0^0", "1e5000", "9^{9999999999}"]
)
def test_nan_infinity_and_what_has_no_value_are_out_of_domain(answer):
    assert reason(boxed(answer)) is Reason.OUT_OF_DOMAIN
    assert reason(boxed("42"), answer) is Reason.BAD_REFERENCE


@pytest.mark.parametrize("character", ["\u200b", "\u202e", "\u00ad", "\x00", "\x1b", "\ud800", "\ue000", "\ufeff"])
def test_an_invisible_character_inside_the_answer_is_refused(character):
    verdict = verify_numeric(boxed(f"4{character}2"), "42")
    assert verdict.reason is Reason.PARSE_ERROR
    assert f"U+{ord(character):04X}" in verdict.detail


@pytest.mark.parametrize("reference", ["\\pi", "", "(42)", None, True, float("nan"), float("inf"), 1j, b"42"])
def test_a_reference_that_is_no_number_refuses_every_text(reference):
    verdict = verify_numeric(boxed("42"), reference)
    assert (verdict.reason, verdict.reward, verdict.answer) == (Reason.BAD_REFERENCE, 0.0, None)


def test_a_reference_beyond_the_caps_is_bad_too():
    # Outside parametrize: pytest would print it, and Python prints no more than 4300 digits.
    assert verify_numeric(boxed("42"), 10**5000).reason is Reason.BAD_REFERENCE
    assert verify_numeric(boxed("42"), "9" * MEGABYTE).reason is Reason.BAD_REFERENCE


@pytest.mark.parametrize("reference", ["0.1", 0.1, np.float64(0.1), Fraction(1, 10)])
def test_a_float_reference_means_the_number_it_is_written_as(reference):
    verdict = verify_numeric(boxed("1/10"), reference)
    assert verdict.correct
    assert verdict.reference.value == Fraction(1, 10)


@pytest.mark.parametrize("reference", [42, np.int64(42), Fraction(42), 42.0, "42"])
def test_a_whole_reference_may_have_any_numeric_type(reference):
    assert verify_numeric(boxed("42"), reference).correct
    assert not verify_numeric(boxed("42.0000001"), 43).correct


@pytest.mark.parametrize("text", [None, 42, b"\\boxed{42}", ["\\boxed{42}"]])
def test_what_is_not_text_has_no_answer(text):
    assert verify_numeric(text, "42").reason is Reason.NO_ANSWER


def test_a_wrong_contract_is_the_callers_mistake():
    with pytest.raises(DomainError, match="a NumericContract"):
        verify_numeric("42", "42", contract={"sources": ["boxed"]})


def test_caps_end_in_too_long():
    assert reason("x" * 11 + "\\boxed{42}", max_text=20) is Reason.TOO_LONG
    assert reason("\\boxed{" + "0" * 30 + "42}", max_answer=20) is Reason.TOO_LONG
    assert reason(boxed("123456"), max_digits=5) is Reason.TOO_LONG
    assert reason(boxed("10^5"), max_exponent=4) is Reason.OUT_OF_DOMAIN
    assert reason(boxed("10^5"), max_digits=4) is Reason.OUT_OF_DOMAIN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9" * MEGABYTE, Reason.TOO_LONG),
        ("\\boxed{" + "9" * MEGABYTE + "}", Reason.TOO_LONG),
        ("x" * MEGABYTE, Reason.NO_ANSWER),
        ("x " * (MEGABYTE // 2) + "\\boxed{42}", Reason.CORRECT),
        ("\\boxed{42}" * 100_000, Reason.CORRECT),
        ("\\boxed{" * 100_000, Reason.NO_ANSWER),
        ("\\boxed{" * 100_000 + "42" + "}" * 100_000, Reason.CORRECT),
        ("\\boxed" + "{" * 1000 + "42" + "}" * 1000, Reason.PARSE_ERROR),
        ("*" * (MEGABYTE // 2) + "42" + "*" * (MEGABYTE // 2), Reason.TOO_LONG),
        ("\u202e" * MEGABYTE, Reason.NO_ANSWER),
        ("\ud800" * MEGABYTE, Reason.NO_ANSWER),
        ("\x00" * MEGABYTE, Reason.NO_ANSWER),
        ("x" * 3_000_000, Reason.TOO_LONG),
    ],
    ids=lambda value: str(value)[:12].encode("unicode_escape").decode(),
)
def test_a_hostile_text_is_judged_like_any_other(text, expected):
    assert reason(text) is expected


@pytest.mark.parametrize(
    "code", ["__import__('os')", "{x.__class__}", "9**9**9", "9^9^9", "%s%n", "eval('42')", "42;42"]
)
def test_code_is_text(code):
    assert reason(boxed(code)) is Reason.PARSE_ERROR


def test_the_trace_shows_the_layers_in_order():
    verdict = verify_numeric("6*7 is \\boxed{84/2}", "42")
    assert [layer.name for layer in verdict.trace] == ["extract", "canonicalise", "compare", "reward"]
    assert [layer.gave for layer in verdict.trace][:2] == ["84/2", "42"]
    assert all(layer.passed for layer in verdict.trace)


@pytest.mark.parametrize(
    ("text", "reference", "names"),
    [
        ("nothing", "42", ["extract", "reward"]),
        (boxed("4 2"), "42", ["extract", "canonicalise", "reward"]),
        (boxed("41"), "42", ["extract", "canonicalise", "compare", "reward"]),
        (boxed("42"), "\\pi", ["reference", "reward"]),
    ],
)
def test_the_trace_ends_at_the_layer_that_decided(text, reference, names):
    trace = verify_numeric(text, reference).trace
    assert [layer.name for layer in trace] == names
    assert not trace[-1].passed


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_text_and_no_reference_raises(text, reference):
    for read in (text, boxed(text), f"#### {text}"):
        verdict = verify_numeric(read, reference)
        assert verdict == verify_numeric(read, reference)
        assert verdict.reward == float(verdict.reason is Reason.CORRECT)
        shown = verdict.to_dict()
        assert json.loads(json.dumps(shown)) == shown
        json.dumps(shown, ensure_ascii=False).encode()  # no lone surrogate may reach JavaScript


def test_a_verdict_with_as_many_digits_as_allowed_can_be_printed():
    verdict = verify_numeric(boxed("0." + "7" * 3999), f"{'7' * 3999}/{'9' * 3998}1")
    assert "about 2^" in json.dumps(verdict.to_dict())
    assert "Fraction" in repr(verdict)
