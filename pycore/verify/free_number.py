"""The last number of running text, if it stands free enough to be an answer."""

import re

from pycore.verify.character import NUMERIC
from pycore.verify.contract import NumericContract, Source
from pycore.verify.unit import PERCENT_WORDS, SCALES
from pycore.verify.verdict import Reason, Refusal, Span

_DIGITS = r"[0-9０-９]"
_SPACE = "[ \u00a0\u202f\u2009]"
_MINUS = "[-+\u2212\u2013]"
_LITERAL = (
    rf"(?:{_DIGITS}{{1,3}}(?:{_SPACE}{_DIGITS}{{3}}(?!{_DIGITS}))++|{_DIGITS}++)(?:,{_DIGITS}++)*+(?:\.{_DIGITS}++)?+"
)
_VULGAR = "[" + "".join(character for character in NUMERIC if not re.match(_DIGITS, character)) + "]"
_ARGUMENT = r"(?:\{[^{}]{1,4000}+\}|[0-9])"
_FRACTION = rf"\\[dtc]?+frac\s*+{_ARGUMENT}\s*+{_ARGUMENT}"
_RAISED = rf"(?:\^\s*+(?:\{{{_MINUS}?+{_DIGITS}++\}}|{_MINUS}?+{_DIGITS}++)|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]++)"
_TIMES = r"\s*+(?:\\times|\\cdot|[×·*x])\s*+10"
_WORD = "|".join(sorted([*SCALES, *(PERCENT_WORDS - {"%"})], key=len, reverse=True))
_CANDIDATE = re.compile(
    rf"(?:(?<![\w)\]}}]){_MINUS})?+(?:\\?+[$€£¥₽₹])?+"
    rf"(?:{_FRACTION}|{_VULGAR}|(?:{_LITERAL}|\.{_DIGITS}++)"
    rf"(?:\s?+/\s?+{_LITERAL}|{_SPACE}{_DIGITS}++/{_DIGITS}++|{_SPACE}?+{_VULGAR}|\s?+{_FRACTION}"
    rf"|[eE]{_MINUS}?+{_DIGITS}++|{_TIMES}{_RAISED}|{_RAISED})?+)"
    rf"(?:\s?+\\?+%|\s(?:{_WORD})(?!\w))?+",
    re.IGNORECASE,
)
_RELATIONS = frozenset("!<>≠≤≥≈~")
_OPERATORS = _RELATIONS - {"!"} | frozenset("+-\u2212\u2013*/^×·÷√\\")
_SIGNS = frozenset("+-\u2212\u2013")
_GLUE = frozenset("_^{\\")
_MAX_EMPHASIS = 3
_NEAR = 40
_WINDOW = 240


def last_number(text: str, start: int, contract: NumericContract) -> Span | Refusal | None:
    """The last number of the text after `start`; None when it has no digit.

    A digit that is part of a word, of arithmetic, of a ratio or of a comparison is not an answer, and no earlier number
    is taken instead.

    >>> last_number("between 3 and 4.", 0, NumericContract()).text
    '4'
    >>> last_number("that is 40 + 2", 0, NumericContract()).reason
    <Reason.AMBIGUOUS: 'ambiguous'>
    """
    digits = "0123456789" if text.isascii() else (*"0123456789", *NUMERIC)
    last = max(text.rfind(digit, start) for digit in digits)
    if last < 0:
        return None
    begin = _window(text, start, last, contract)
    if begin is None:
        return Refusal(
            Reason.TOO_LONG, f"the last number has more than {contract.max_answer} characters before a space"
        )
    candidates = list(_CANDIDATE.finditer(text, begin, min(len(text), last + _WINDOW)))
    found = candidates[-1] if candidates else None
    if found is None or not found.start() <= last < found.end():
        return Refusal(Reason.AMBIGUOUS, "the last digit is not part of a number")
    if found.start() == begin and begin > start and _joins(text, begin):
        return Refusal(Reason.TOO_LONG, "the last number is too long to be read as one")
    if not _stands_free(text, start, found.start(), found.end()):
        return Refusal(Reason.AMBIGUOUS, "the last number is part of a word or an expression")
    return Span(Source.LAST_NUMBER, found.start(), found.end(), found.group())


def _window(text: str, start: int, last: int, contract: NumericContract) -> int | None:
    """Where to begin reading so that no number is cut: after a space, or at the start of the text."""
    for width in (_WINDOW, contract.max_answer):
        if last - width <= start:
            return start
        for position in range(last - width, last):
            if text[position].isspace():
                return position + 1
    return None


def _joins(text: str, begin: int) -> bool:
    return text[begin - 2 : begin - 1].isdigit()


def _stands_free(text: str, start: int, begin: int, end: int) -> bool:
    for _ in range(_MAX_EMPHASIS):  # **42** and _42_
        if begin > start and text[begin - 1] in "*_" and text[end : end + 1] == text[begin - 1]:
            begin, end = begin - 1, end + 1
    before, after = text[max(start, begin - _NEAR) : begin], text[end : end + _NEAR]
    if _attached(before[-1:]) or _attached(after[:1]):
        return False
    if before[-1:] in "([{" and _attached(before[-2:-1]):
        return False  # sqrt(4)
    ahead, behind = before.rstrip(), after.lstrip()
    if ahead[-1:] == "=":
        return ahead[-2:-1] not in _RELATIONS
    if ahead[-1:] == ":":
        return not ahead[-2:-1].isdigit()
    if ahead[-1:].isdigit() and text[begin] in _SIGNS:
        return False  # 5 -3
    return ahead[-1:] not in _OPERATORS and behind[:1] not in _OPERATORS - {"-", "\u2013", "\\"}


def _attached(character: str) -> bool:
    """Whether a character next to a digit makes both one word; scripts written without spaces do not."""
    return (character.isalnum() and not "\u2e80" <= character <= "\ud7ff") or character in _GLUE
