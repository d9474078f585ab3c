"""Oracle: the stated ranges, and JSON for what a contract becomes."""

import json
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction

import pytest

from pycore.domain import DomainError
from pycore.verify import COURSE, NumericContract, Source

CHANGES = {
    "sources": ("marker",),
    "marker": "Answer:",
    "decimal_comma": "either",
    "percent": "drop",
    "unit": "any",
    "tolerance": "both",
    "absolute_tolerance": 0,
    "relative_tolerance": 0,
    "max_text": 10,
    "max_answer": 10,
    "max_digits": 10,
    "max_exponent": 10,
    "foreign_digit": True,
}


def test_every_field_changes_the_hash():
    digests = {COURSE.digest()}
    for field in fields(NumericContract):
        digests.add(replace(COURSE, **{field.name: CHANGES.get(field.name, False)}).digest())
    assert len(digests) == len(fields(NumericContract)) + 1


def test_the_hash_is_the_same_on_every_machine():
    # Recorded once: passports of earlier runs quote it. It changes only with a new VERSION or a new field.
    assert COURSE.digest() == "f4943d17cf9fbc54e1966c919a9860689f6a5ffd72a267333d9bb3d13e68e72a"


def test_a_contract_survives_json():
    contract = NumericContract(sources="marker", relative_tolerance="1/3", decimal_comma="decimal")
    again = NumericContract.from_dict(json.loads(json.dumps(contract.to_dict())))
    assert again == contract
    assert again.digest() == contract.digest()
    assert again.sources == (Source.MARKER,)


def test_a_tolerance_is_the_fraction_it_is_written_as():
    for written in (1e-6, "1e-6", Fraction(1, 10**6), "0.000001"):
        assert NumericContract(absolute_tolerance=written).absolute_tolerance == Fraction(1, 1_000_000)


@pytest.mark.parametrize(
    "given",
    [{"sources": 5}, {"sources": None}]
    + [{"relative_tolerance": value} for value in ("1e-999999999", "1e999999999", "1e-5000", Fraction(1, 10**5000))],
)
def test_a_contract_from_elsewhere_is_refused_and_not_computed(given):
    with pytest.raises(DomainError):
        NumericContract.from_dict(given)


def test_a_contract_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        COURSE.marker = "###"


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("sources", (), "one or more different sources"),
        ("sources", ("boxed", "boxed"), "different"),
        ("sources", ("box",), "one of boxed, marker, last_number"),
        ("decimal_comma", "maybe", "one of groups, decimal, either"),
        ("unit", None, "one of refuse, listed, any"),
        ("group", 1, "True or False"),
        ("absolute_tolerance", -1, r"a number in \[0, 1\]"),
        ("absolute_tolerance", float("nan"), r"a number in \[0, 1\]"),
        ("relative_tolerance", True, r"a number in \[0, 1\]"),
        ("relative_tolerance", "x", r"a number in \[0, 1\]"),
        ("max_digits", 4001, "an integer from 1 to 4000"),
        ("max_digits", 10.0, "an integer from 1 to 4000"),
        ("max_text", 0, "an integer from 1"),
        ("max_exponent", True, "an integer from 0"),
        ("marker", "", "1 to 40 characters"),
        ("marker", " x:", "without spaces"),
        ("marker", "answer", "does not end in a letter or digit"),
    ],
)
def test_a_rule_outside_its_range_is_refused_by_name(field, value, allowed):
    with pytest.raises(DomainError, match=allowed) as caught:
        NumericContract(**{field: value})
    assert caught.value.argument == field


def test_unknown_fields_and_versions_are_refused():
    with pytest.raises(DomainError, match="the fields absolute_tolerance, assignment"):
        NumericContract.from_dict({"tolerence": "exact"})
    with pytest.raises(DomainError, match="numeric/2"):
        NumericContract.from_dict({"version": "numeric/0"})
