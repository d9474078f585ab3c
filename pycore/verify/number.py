"""The grammar of one unsigned number: integers, decimals, fractions, mixed numbers, powers, exactly and in linear time.

    quantity   = fraction | literal [ "/" literal | mixed | exponent | times ten | power ]
    literal    = digits with separators [ "." digits ] | "." digits
    fraction   = "\\frac" argument argument          argument = digit | "{" [sign] literal "}"
    mixed      = whole (space whole "/" whole | "\\frac" argument argument)
    exponent   = ("e" | "E") [sign] digits
    times ten  = ("*" | "x" | "\\times" | "\\cdot") "10" "^" raised
    power      = "^" raised                         raised = [sign] digits | "{" [sign] digits "}"

Every pattern below uses possessive quantifiers: none of them can backtrack.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from pycore.verify.contract import DecimalComma, NumericContract
from pycore.verify.verdict import Reason, Refusal

_LITERAL = re.compile(r"([0-9]++(?: [0-9]{3}(?![0-9]))*+(?:,[0-9]++)*+)?+(?:\.([0-9]*+))?+")
_EXPONENT = re.compile(r"[eE]([+-]?+[0-9]++)")
_RAISED = re.compile(r"\s*+\^\s*+(?:\{\s*+([+-]?+[0-9]++)\s*+\}|([+-]?+[0-9]++))")
_TIMES_TEN = re.compile(r"\s*+(?:\\times(?![a-z])|\\cdot(?![a-z])|\*|x)\s*+10(?=\s*+\^)")
_SLASH = re.compile(r"\s*+/\s*+")
_FRACTION = re.compile(r"\\frac(?![a-z])\s*+")
_ARGUMENT = re.compile(r"([0-9])|\{\s*+([+-]?+)\s*+")
_MIXED = re.compile(r" ++([0-9]++)\s*+/\s*+([0-9]++)")
_SPACES = re.compile(r"\s*+")
_CLOSE = re.compile(r"\s*+\}\s*+")


class Refused(Exception):
    """Carries a refusal out of the grammar; never leaves this package."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.refusal = Refusal(reason, detail)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An unsigned value, where its text ends, and whether it was written as a decimal."""

    value: Fraction
    end: int
    decimal: bool


def quantity(text: str, start: int, contract: NumericContract) -> Quantity:
    """The quantity that begins at `start`.

    Raises:
        Refused: no number there, or one that the contract does not read.

    >>> quantity("1 1/2 cm", 0, NumericContract())
    Quantity(value=Fraction(3, 2), end=5, decimal=False)
    """
    if text.startswith("\\frac", start):
        return _fraction(text, start, contract)
    literal = _LITERAL.match(text, start)
    assert literal is not None  # both of its parts are optional
    whole, decimals, end = literal.group(1), literal.group(2), literal.end()
    value, decimal = _literal_value(whole, decimals, contract)
    if end == len(text):
        return Quantity(value, end, decimal)
    if contract.fraction and (slash := _SLASH.match(text, end)):
        return _ratio(text, value, decimal, whole, slash.end(), contract)
    if contract.scientific and (exponent := _EXPONENT.match(text, end)):
        return Quantity(value * _ten_to(exponent.group(1), contract), exponent.end(), decimal)
    if contract.scientific and (times := _TIMES_TEN.match(text, end)):
        raised = _RAISED.match(text, times.end())
        if raised:
            return Quantity(value * _ten_to(raised.group(1) or raised.group(2), contract), raised.end(), decimal)
    if contract.power and (raised := _RAISED.match(text, end)):
        return Quantity(_power(value, raised.group(1) or raised.group(2), contract), raised.end(), decimal)
    if contract.mixed and contract.fraction and whole is not None and decimals is None:
        return _mixed(text, value, end, contract)
    return Quantity(value, end, decimal)


def _literal_value(whole: str | None, decimals: str | None, contract: NumericContract) -> tuple[Fraction, bool]:
    if not whole and not decimals:
        raise Refused(Reason.PARSE_ERROR, "no number where one should begin")
    if whole and not whole.isdigit():
        whole, decimals = _separated(whole, decimals, contract)
    digits = (whole or "") + (decimals or "")
    if len(digits) > contract.max_digits:
        raise Refused(Reason.TOO_LONG, f"{len(digits)} digits, at most {contract.max_digits} are read")
    if not decimals:
        return Fraction(int(digits)), False
    return Fraction(int(digits), 10 ** len(decimals)), True


def _separated(whole: str, decimals: str | None, contract: NumericContract) -> tuple[str, str | None]:
    """Digits and decimals of a literal with spaces or commas in it."""
    before, comma, after = whole.partition(",")
    spaced = before.split(" ")
    if len(spaced) > 1 and not (contract.group and _grouped(spaced)):
        raise Refused(Reason.PARSE_ERROR, "spaces between digits that do not separate thousands")
    before = "".join(spaced)
    if not comma:
        return before, decimals
    several = "," in after
    if contract.decimal_comma is not DecimalComma.DECIMAL and len(spaced) == 1 and contract.group:
        groups = whole.split(",")
        if _grouped(groups):
            return "".join(groups), decimals
    if several or decimals is not None:
        raise Refused(Reason.PARSE_ERROR, "commas that do not separate thousands")
    if contract.decimal_comma is DecimalComma.GROUPS:
        raise Refused(Reason.AMBIGUOUS, "a comma that may be a decimal point")
    return before, after


def _grouped(groups: list[str]) -> bool:
    first = groups[0]
    return 1 <= len(first) <= 3 and first[0] != "0" and all(len(group) == 3 for group in groups[1:])


def _ratio(
    text: str, top: Fraction, decimal: bool, whole: str | None, start: int, contract: NumericContract
) -> Quantity:
    literal = _LITERAL.match(text, start)
    assert literal is not None
    below, below_decimal = _literal_value(literal.group(1), literal.group(2), contract)
    if whole and " " in whole:
        raise Refused(Reason.AMBIGUOUS, "thousands or a mixed number before the fraction bar")
    return Quantity(_divide(top, below), literal.end(), decimal or below_decimal)


def _fraction(text: str, start: int, contract: NumericContract) -> Quantity:
    head = _FRACTION.match(text, start)
    if head is None or not contract.fraction:
        raise Refused(Reason.PARSE_ERROR, "fractions are not read here")
    top, position, top_decimal = _argument(text, head.end(), contract)
    below, position, below_decimal = _argument(text, position, contract)
    return Quantity(_divide(top, below), position, top_decimal or below_decimal)


def _argument(text: str, start: int, contract: NumericContract) -> tuple[Fraction, int, bool]:
    opening = _ARGUMENT.match(text, start)
    if opening is None:
        raise Refused(Reason.PARSE_ERROR, "a fraction without two numbers")
    if opening.group(1):
        return Fraction(int(opening.group(1))), _past_spaces(text, opening.end()), False
    literal = _LITERAL.match(text, opening.end())
    assert literal is not None
    value, decimal = _literal_value(literal.group(1), literal.group(2), contract)
    closing = _CLOSE.match(text, literal.end())
    if closing is None:
        raise Refused(Reason.PARSE_ERROR, "a fraction of something that is not a number")
    return -value if opening.group(2) == "-" else value, closing.end(), decimal


def _mixed(text: str, whole: Fraction, end: int, contract: NumericContract) -> Quantity:
    """A whole number followed by a proper fraction; the whole number alone when none follows."""
    plain = _MIXED.match(text, end)
    if plain:
        top, _ = _literal_value(plain.group(1), None, contract)
        below, _ = _literal_value(plain.group(2), None, contract)
        part, end = _divide(top, below), plain.end()
    elif text.startswith("\\frac", _past_spaces(text, end)):
        fraction = _fraction(text, _past_spaces(text, end), contract)
        if fraction.decimal:
            raise Refused(Reason.AMBIGUOUS, "a product or a mixed number")
        part, end = fraction.value, fraction.end
    else:
        return Quantity(whole, end, False)
    if not 0 < part < 1:
        raise Refused(Reason.AMBIGUOUS, "a whole number before a fraction that is not between 0 and 1")
    return Quantity(whole + part, end, False)


def _past_spaces(text: str, start: int) -> int:
    spaces = _SPACES.match(text, start)
    return spaces.end() if spaces else start


def _divide(top: Fraction, below: Fraction) -> Fraction:
    if below == 0:
        raise Refused(Reason.OUT_OF_DOMAIN, "division by zero")
    return top / below


def _exponent(digits: str, contract: NumericContract) -> int:
    # Six digits are beyond every cap, so longer ones need not be converted at all.
    exponent = int(digits) if len(digits) <= 7 else contract.max_exponent + 1
    if abs(exponent) > contract.max_exponent:
        raise Refused(Reason.OUT_OF_DOMAIN, f"an exponent beyond {contract.max_exponent}")
    return exponent


def _ten_to(digits: str, contract: NumericContract) -> Fraction:
    exponent = _exponent(digits, contract)
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def _power(base: Fraction, digits: str, contract: NumericContract) -> Fraction:
    exponent = _exponent(digits, contract)
    if base.denominator != 1:
        raise Refused(Reason.PARSE_ERROR, "a power of something that is not a whole number")
    if base == 0 and exponent <= 0:
        raise Refused(Reason.OUT_OF_DOMAIN, "zero to a power that is not positive")
    # 0.30103 = log10(2): the size is known before the power is taken.
    if base.numerator.bit_length() * abs(exponent) * 0.30103 > contract.max_digits + 1:
        raise Refused(Reason.OUT_OF_DOMAIN, f"a power of more than {contract.max_digits} digits")
    return base**exponent
