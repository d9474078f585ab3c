"""Second layer: an answer's text becomes one exact number, or a reason why it does not."""

import re
from fractions import Fraction

from pycore.verify.character import plain
from pycore.verify.contract import NumericContract, Percent, Unit
from pycore.verify.number import Refused, quantity
from pycore.verify.unit import (
    CURRENCY_SIGNS,
    DEGREE_WORDS,
    PERCENT_WORDS,
    SCALES,
    currency_name,
    unit_name,
)
from pycore.verify.verdict import Number, Reason, Refusal

_SMALL_INTEGER = re.compile(r"-?+[0-9]{1,18}")
_WRAPPING = r"\\(?:text|mathrm|textrm|textbf|mathbf|mbox|boxed|textnormal)\s*+\{"
_WRAPPER = re.compile(rf"(?:{_WRAPPING}|\{{)")
_WORDS = re.compile(rf"{_WRAPPING}([^{{}}]*+)\}}")
_MATH = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_CLOSERS = frozenset("}$)].")
_MAX_WRAPPERS = 16
_ASSIGNMENT = re.compile(r"[A-Za-z](?:_[0-9A-Za-z]|_\{[0-9A-Za-z]{1,8}\})?+\s*+=\s*+")
_CURRENCY = re.compile(rf"\\?+([{re.escape(CURRENCY_SIGNS)}])\s*+")
_BEGINS_PLAIN = re.compile(r"[0-9.]|\\frac")
_SIGN = re.compile(r"([+-])\s*+")
_ENDLESS = re.compile(r"[+-]?+\s*+(?:\\infty|\\?inf(?:inity)?+|\\?nan)(?![a-z0-9])", re.IGNORECASE)
_DEGREE = re.compile(r"\^\s*+(?:\{\s*+\\circ\s*+\}|\\circ(?![a-z]))|\\degree(?![a-z])")
# TeX's spaces and two of its ways to keep a comma tight; `\!` draws nothing.
_SPACING = (("{,}", ","), ("\\!", ""), ("\\,", " "), ("\\;", " "), ("\\:", " "), ("\\ ", " "), ("~", " "))
_TYPESET = re.compile(r"~|\{,\}|\\[!,;: dtc]")
_STYLES = (("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\cfrac", "\\frac"), ("\\displaystyle", ""))


def canonicalise(text: str, contract: NumericContract) -> Number | Refusal:
    """The exact number that an answer writes.

    Args:
        text: an extracted answer, any string.
        contract: the rules.

    Returns:
        The number with its unit, or a refusal; never an exception, in time linear in the text.

    >>> canonicalise("\\\\frac{-3}{4}", NumericContract()).value
    Fraction(-3, 4)
    >>> canonicalise("40+2", NumericContract()).detail
    'not a number alone: +2'
    """
    if _SMALL_INTEGER.fullmatch(text) and contract.max_digits >= 18:
        return Number(Fraction(int(text)))
    if len(text) > contract.max_answer:
        return Refusal(Reason.TOO_LONG, f"an answer of {len(text)} characters, at most {contract.max_answer} are read")
    translated = plain(text, contract)
    if isinstance(translated, Refusal):
        return translated
    try:
        return _number(_unwrapped(translated), contract)
    except Refused as refused:
        return refused.refusal


def _unwrapped(text: str) -> str:
    """The text without TeX's spacing and without what encloses it as a whole."""
    if _TYPESET.search(text):
        for old, new in _SPACING + _STYLES:
            text = text.replace(old, new)
    text = text.strip()
    for _ in range(_MAX_WRAPPERS):
        inner = _inside(text)
        if inner is None:
            return text
        text = inner.strip()
    return text


def _inside(text: str) -> str | None:
    if text[-1:] not in _CLOSERS:
        return None
    if text[-1:] == "}":
        opening = _WRAPPER.match(text)
        # A brace inside would make it uncertain which one the last brace closes, unless they nest to the very end.
        if opening and _nests(text, opening.end()):
            return text[opening.end() : -1]
    for left, right in _MATH:
        if len(text) > len(left) + len(right) and text.startswith(left) and text.endswith(right):
            if text[-len(right) - 1] == "\\" and right != "\\)":
                return None
            return text[len(left) : -len(right)]
    if text[-1:] == "." and text[-2:-1] not in (".", ""):
        return text[:-1]
    return None


def _nests(text: str, start: int) -> bool:
    """Whether the brace opened before `start` is the one that the last character closes."""
    depth, position = 1, start
    while depth:
        closing = text.find("}", position)
        if closing < 0:
            return False
        depth += text.count("{", position, closing) - 1
        position = closing + 1
    return position == len(text)


def _number(text: str, contract: NumericContract) -> Number:
    if not text:
        raise Refused(Reason.NO_ANSWER, "an empty answer")
    position, sign, unit = 0, "", ""
    if not _BEGINS_PLAIN.match(text):
        if contract.assignment and (assignment := _ASSIGNMENT.match(text)):
            position = assignment.end()
        if _ENDLESS.match(text, position):
            raise Refused(Reason.OUT_OF_DOMAIN, "infinity and NaN are not numbers")
        sign, position = _sign(text, position)
        if contract.currency and (currency := _CURRENCY.match(text, position)):
            unit, position = currency.group(1), currency.end()
            if not sign:
                sign, position = _sign(text, position)
    top, bottom, end, decimal = quantity(text, position, contract)
    value = Fraction(-top if sign == "-" else top, bottom)
    if end < len(text):
        factor, named = _suffix(text[end:], contract)
        if unit and named:
            raise Refused(Reason.PARSE_ERROR, f"two units: {unit} and {named}")
        value, unit = value if factor == 1 else value * factor, named or unit
    if too_large(value, contract):
        raise Refused(Reason.OUT_OF_DOMAIN, f"a value of more than {contract.max_digits} digits")
    return Number(value, decimal and value.denominator != 1, unit)


def too_large(value: Fraction, contract: NumericContract) -> bool:
    """Whether factors of ten and fractions made more digits than any one literal may have.

    >>> too_large(Fraction(10) ** 4000, NumericContract())
    True
    """
    limit = contract.max_digits * 3.3219281  # = log2(10)
    return value.numerator.bit_length() > limit or value.denominator.bit_length() > limit


def _sign(text: str, position: int) -> tuple[str, int]:
    sign = _SIGN.match(text, position)
    return (sign.group(1), sign.end()) if sign else ("", position)


def _suffix(text: str, contract: NumericContract) -> tuple[Fraction, str]:
    """Factor and unit name of what follows the number.

    Raises:
        Refused: anything that the contract does not drop.
    """
    words = _WORDS.sub(r" \1 ", text)
    words = _DEGREE.sub(" ° ", words).replace("\\%", "%").replace("\\$", "$").strip()
    factor = Fraction(1)
    if not words:
        return factor, ""
    first, *rest = words.split(None, 1)
    if contract.scale_word and first.lower() in SCALES:
        factor, words = Fraction(SCALES[first.lower()]), rest[0].strip() if rest else ""
    if not words:
        return factor, ""
    if words.lower() in PERCENT_WORDS and contract.percent is not Percent.REFUSE:
        return (factor / 100 if contract.percent is Percent.HUNDREDTH else factor), ""
    if contract.degree and words.lower() in DEGREE_WORDS:
        return factor, "°"
    if contract.currency and (name := currency_name(words)):
        return factor, name
    if contract.unit is Unit.LISTED and (name := unit_name(words)):
        return factor, name
    if contract.unit is Unit.ANY and not any(character.isdigit() or character in "+-*/^=\\" for character in words):
        return factor, ""
    raise Refused(Reason.PARSE_ERROR, f"not a number alone: {words[:40]}")
