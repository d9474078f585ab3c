"""Oracle: how the two languages write numbers (GOST and newspaper usage), spelled out by hand."""

import math

import pytest

from web.labs.texts import Writer

NO_BREAK, MINUS = "\u00a0", "\u2212"


@pytest.mark.parametrize(
    ("template", "value", "ru", "en"),
    [
        ("{0:,d}", 1234567, f"1{NO_BREAK}234{NO_BREAK}567", "1,234,567"),
        ("{0:,.1f}", 1234.56, f"1{NO_BREAK}234,6", "1,234.6"),
        ("{0:.1%}", 0.5695, f"57,0{NO_BREAK}%", "57.0%"),
        ("{0:.2f}", -0.5, f"{MINUS}0,50", f"{MINUS}0.50"),
        ("{0:.2f}", -0.001, "0,00", "0.00"),
        ("{0:.0%}", -0.001, f"0{NO_BREAK}%", "0%"),
        ("{0:d}", 8.0, "8", "8"),
        ("{0:.3g}", 1e-6, f"1e{MINUS}6", f"1e{MINUS}6"),
        ("{0:.3g}", 1e10, "1e10", "1e10"),
        ("{0:.2f}", math.nan, "—", "—"),
        ("{0:,.0f}", math.inf, "∞", "∞"),
        ("{0:,.0f}", -math.inf, f"{MINUS}∞", f"{MINUS}∞"),
        ("{0:.1%}", math.inf, "∞", "∞"),
        ("{0:.1%}", math.nan, "—", "—"),
        ("{0:,d}", math.inf, "∞", "∞"),
        ("{0}", "A", "A", "A"),
    ],
)
def test_numbers_are_written_as_the_language_writes_them(template: str, value: object, ru: str, en: str) -> None:
    assert Writer("ru").format(template, value) == ru
    assert Writer("en").format(template, value) == en


def test_a_name_becomes_its_translation() -> None:
    assert Writer("ru", {"mean": "среднее"}).format("{what}", what="mean") == "среднее"


def test_the_text_around_a_number_keeps_its_own_marks() -> None:
    assert Writer("ru").format("a. b, c-d {x:.1f}%", x=1.5) == "a. b, c-d 1,5%"


@pytest.mark.parametrize(
    ("template", "value", "ru", "en"),
    [
        ("{0:,.0f}", 6.4e301, "6,4e301", "6.4e301"),
        ("{0:,.1f}", 1.234e12, "1,23e12", "1.23e12"),
        ("{0:.4f}", 5.184705528587072e21, "5,18e21", "5.18e21"),
        ("{0:+.3f}", -2.5e15, f"{MINUS}2,5e15", f"{MINUS}2.5e15"),
        ("{0:+.3f}", 2.5e15, "+2,5e15", "+2.5e15"),
        ("{0:d}", 10**14, "1e14", "1e14"),
        # What may still be read at a glance is written out.
        ("{0:,d}", 1234567890, f"1{NO_BREAK}234{NO_BREAK}567{NO_BREAK}890", "1,234,567,890"),
        ("{0:.12f}", 0.5, "0,500000000000", "0.500000000000"),
    ],
)
def test_a_number_too_long_to_read_is_written_in_powers_of_ten(template: str, value: float, ru: str, en: str) -> None:
    assert Writer("ru").format(template, value) == ru
    assert Writer("en").format(template, value) == en
