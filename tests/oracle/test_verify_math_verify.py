"""Oracle: Math-Verify 0.9.0, an independent checker of mathematical answers built on SymPy.

Where both agree, both were probably right. Every disagreement on the shipped suites is listed in
`math_verify_disagreements.jsonl` with a verdict: ours, theirs (it understands more than our contract promises), or
policy (two honest contracts may differ).
"""

import json
import logging
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from math_verify import parse, verify

from pycore.verify import NumericContract, verify_numeric
from pycore.verify.suite import suite

RECORD = Path(__file__).with_name("math_verify_disagreements.jsonl")
LISTED = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()]
SECONDS = 6  # a power tower uses all of it


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def theirs(text, reference):
    gold = parse(f"${reference}$", parsing_timeout=SECONDS)
    return bool(verify(gold, parse(text, parsing_timeout=SECONDS), timeout_seconds=SECONDS))


def test_every_disagreement_on_the_suites_is_listed_with_a_verdict():
    found = []
    for case in suite():
        # Longer texts take Math-Verify minutes; they are attacks on the time, not on the value.
        if len(case.text) < 2000:
            ours = verify_numeric(case.text, case.reference).correct
            if ours != (other := theirs(case.text, case.reference)):
                found.append((case.kind, case.reason, ours, other))
    assert found == [(row["kind"], row["case"], row["ours"], row["math_verify"]) for row in LISTED]
    assert {row["right"] for row in LISTED} == {"ours", "theirs", "policy"}
    assert all(row["because"] for row in LISTED)


def test_math_verify_never_pays_less_where_our_contract_claims_too_much():
    """A wrong answer that we pay and they refuse would be our false positive: none is listed as theirs."""
    assert not [row for row in LISTED if row["ours"] and row["right"] == "theirs"]


VALUES = st.fractions(min_value=-10_000, max_value=10_000, max_denominator=500)


def written(value):
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


@settings(deadline=None, max_examples=150)
@given(VALUES, VALUES, st.booleans())
def test_both_agree_on_exact_values(answer, reference, same):
    answer = reference if same else answer
    text = f"The answer is $\\boxed{{{written(answer)}}}$."
    exact = NumericContract(tolerance="exact")
    assert verify_numeric(text, written(reference), contract=exact).correct is (answer == reference)
    if abs(answer - reference) > Fraction(1, 1000) or answer == reference:
        assert theirs(text, written(reference)) is (answer == reference)
