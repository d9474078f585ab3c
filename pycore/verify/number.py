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
from typing import NamedTuple

from pycore.verify.contract import DecimalComma, NumericContract
from pycore.verify.verdict import Reason, Refusal

_LITERAL = re.compile(r"([0-9]++(?: [0-9]{3}(?![0-9]))*+(?:,[0-9]++)*+)?+(?:\.([0-9]*+))?+")
_EXPONENT = re.compile(r"[eE]([+-]?+[0-9]++)")
_RAISED = re.compile(r"\s*+\^\s*+(?:\{\s*+([+-]?+[0-9]++)\s*+\}|([+-]?+[0-9]++))")
_TIMES_TEN = re.compile(r"\s*+(?:\\times(?![a-z])|\\cdot(?![a-z])|\*|x)\s*+10(?=\s*+\^)")
_SLASH = re.compile(r"\s*+/\s*+")
_FRACTION = re.compile(r"\\frac(?![a-z])")
_ARGUMENT = re.compile(r"\s*+([0-9])|\s*+\{\s*+([+-]?+)\s*+")
_PLAIN_FRACTION = re.compile(r"[0-9]++\s*+/\s*+(?=[0-9])")
_SPACES = re.compile(r"\s*+")
_CLOSE = re.compile(r"\s*+\}")


class Refused(Exception):
    """Carries a refusal out of the grammar; never leaves this package."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.refusal = Refusal(reason, detail)


class Quantity(NamedTuple):
    """An unsigned value top/bottom, not yet reduced, where its text ends, and whether it was written as a decimal.

    Whole numbers and not Fractions on the way: arithmetic with those would reduce after every step.
    """

    top: int
    bottom: int
    end: int
    decimal: bool


def quantity(text: str, start: int, contract: NumericContract) -> Quantity:
    """The quantity that begins at `start`.

    Raises:
        Refused: no number there, or one that the contract does not read.

    >>> quantity("1 1/2 cm", 0, NumericContract())
    Quantity(top=3, bottom=2, end=5, decimal=False)
    """
    if text.startswith("\\frac", start):
        return _fraction(text, start, contract)
    literal = _LITERAL.match(text, start)
    assert literal is not None
    whole, decimals = literal.groups()
    end = literal.end()
    top, bottom = _literal_value(whole, decimals, contract)
    if end == len(text):
        return Quantity(top, bottom, end, bottom > 1)
    if contract.fraction and (slash := _SLASH.match(text, end)):
        if whole and " " in whole:
            raise Refused(Reason.AMBIGUOUS, "thousands or a mixed number before the fraction bar")
        below = _literal(text, slash.end(), contract)
        return _divide(Quantity(top, bottom, end, bottom > 1), below)
    if contract.scientific and (exponent := _EXPONENT.match(text, end)):
        return _scaled(Quantity(top, bottom, exponent.end(), bottom > 1), exponent.group(1), contract)
    if contract.scientific and (times := _TIMES_TEN.match(text, end)) and (raised := _RAISED.match(text, times.end())):
        return _scaled(Quantity(top, bottom, raised.end(), bottom > 1), raised.group(1) or raised.group(2), contract)
    if contract.power and (raised := _RAISED.match(text, end)):
        return _power(Quantity(top, bottom, raised.end(), bottom > 1), raised.group(1) or raised.group(2), contract)
    if contract.mixed and contract.fraction and whole is not None and decimals is None:
        return _mixed(text, top, end, contract)
    return Quantity(top, bottom, end, bottom > 1)


def _literal(text: str, start: int, contract: NumericContract) -> Quantity:
    literal = _LITERAL.match(text, start)
    assert literal is not None  # both of its parts are optional
    top, bottom = _literal_value(literal.group(1), literal.group(2), contract)
    return Quantity(top, bottom, literal.end(), bottom > 1)


def _literal_value(whole: str | None, decimals: str | None, contract: NumericContract) -> tuple[int, int]:
    if not whole and not decimals:
        raise Refused(Reason.PARSE_ERROR, "no number where one should begin")
    if whole and not whole.isdigit():
        whole, decimals = _separated(whole, decimals, contract)
    digits = (whole or "") + (decimals or "")
    if len(digits) > contract.max_digits:
        raise Refused(Reason.TOO_LONG, f"{len(digits)} digits, at most {contract.max_digits} are read")
    return int(digits), 10 ** len(decimals) if decimals else 1


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


def _fraction(text: str, start: int, contract: NumericContract) -> Quantity:
    head = _FRACTION.match(text, start)
    if head is None or not contract.fraction:
        raise Refused(Reason.PARSE_ERROR, "fractions are not read here")
    above = _argument(text, head.end(), contract)
    return _divide(above, _argument(text, above.end, contract))


def _argument(text: str, start: int, contract: NumericContract) -> Quantity:
    opening = _ARGUMENT.match(text, start)
    if opening is None:
        raise Refused(Reason.PARSE_ERROR, "a fraction without two numbers")
    if opening.group(1):
        return Quantity(int(opening.group(1)), 1, opening.end(), False)
    top, bottom, end, decimal = _literal(text, opening.end(), contract)
    closing = _CLOSE.match(text, end)
    if closing is None:
        raise Refused(Reason.PARSE_ERROR, "a fraction of something that is not a number")
    return Quantity(-top if opening.group(2) == "-" else top, bottom, closing.end(), decimal)


def _divide(above: Quantity, below: Quantity) -> Quantity:
    if below.top == 0:
        raise Refused(Reason.OUT_OF_DOMAIN, "division by zero")
    return Quantity(above.top * below.bottom, above.bottom * below.top, below.end, above.decimal or below.decimal)


def _mixed(text: str, whole: int, end: int, contract: NumericContract) -> Quantity:
    """A whole number followed by a proper fraction; the whole number alone when none follows."""
    spaces = _SPACES.match(text, end)
    begin = spaces.end() if spaces else end
    if text.startswith("\\frac", begin):
        part = _fraction(text, begin, contract)
    elif begin > end and (plain := _PLAIN_FRACTION.match(text, begin)):
        above = _literal(text, begin, contract)
        part = _divide(above, _literal(text, plain.end(), contract))
    else:
        return Quantity(whole, 1, end, False)
    if part.decimal or not 0 < part.top < part.bottom:
        raise Refused(Reason.AMBIGUOUS, "a whole number before something other than a fraction between 0 and 1")
    return part._replace(top=whole * part.bottom + part.top)


def _exponent(digits: str, contract: NumericContract) -> int:
    # Six digits are beyond every cap, so longer ones need not be converted at all.
    exponent = int(digits) if len(digits) <= 7 else contract.max_exponent + 1
    if abs(exponent) > contract.max_exponent:
        raise Refused(Reason.OUT_OF_DOMAIN, f"an exponent beyond {contract.max_exponent}")
    return exponent


def _scaled(base: Quantity, digits: str, contract: NumericContract) -> Quantity:
    exponent = _exponent(digits, contract)
    if exponent >= 0:
        return base._replace(top=base.top * 10**exponent)
    return base._replace(bottom=base.bottom * 10**-exponent, decimal=True)


def _power(base: Quantity, digits: str, contract: NumericContract) -> Quantity:
    exponent = _exponent(digits, contract)
    if base.bottom != 1:
        raise Refused(Reason.PARSE_ERROR, "a power of something that is not a whole number")
    if base.top == 0 and exponent <= 0:
        raise Refused(Reason.OUT_OF_DOMAIN, "zero to a power that is not positive")
    # 0.30103 = log10(2): the size is known before the power is taken.
    if base.top.bit_length() * abs(exponent) * 0.30103 > contract.max_digits + 1:
        raise Refused(Reason.OUT_OF_DOMAIN, f"a power of more than {contract.max_digits} digits")
    value = base.top ** abs(exponent)
    return base._replace(top=value) if exponent >= 0 else base._replace(top=1, bottom=value)
