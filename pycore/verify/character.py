"""Characters of an answer: typographic variants become ASCII, invisible ones are refused."""

import re
import unicodedata

from pycore.verify.contract import NumericContract
from pycore.verify.verdict import Reason, Refusal

_MINUS = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
_SUPERSCRIPT = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_VULGAR = {
    chr(code): "\\frac{{{}}}{{{}}}".format(*unicodedata.normalize("NFKC", chr(code)).split("\u2044"))
    for code in (0xBC, 0xBD, 0xBE, *range(0x2150, 0x215F), 0x2189)
}
_TABLE = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(_MINUS, "-")
    | dict.fromkeys("\u2044\u2215", "/")
    | dict.fromkeys("\u00d7\u00b7\u22c5\u2217", "*")
    | {"\u221e": "\\infty", "\u2019": "'"}
    | _VULGAR
)
# Characters outside ASCII that can end a number, for the search of the last one.
NUMERIC = tuple(chr(code) for code in range(0xFF10, 0xFF1A)) + tuple(_VULGAR)
_SPACE = str.maketrans(dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))), " "))
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]++")
# Categories without a picture: control, format (bidirectional, zero-width), surrogate, private, unassigned.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def plain(text: str, contract: NumericContract) -> str | Refusal:
    """The answer in ASCII as far as the contract translates it.

    Args:
        text: an answer, at most `contract.max_answer` characters.
        contract: `unicode` and `foreign_digit` decide what is translated.

    Returns:
        The translated text, or a refusal naming the first invisible character.

    >>> plain("−4２", NumericContract())
    '-42'
    """
    hidden = _CONTROL.search(text)
    if hidden:
        return _invisible(hidden.group())
    if text.isascii():
        return text
    for character in text:
        if character > "~" and unicodedata.category(character) in _INVISIBLE:
            return _invisible(character)
    text = text.translate(_SPACE)
    if contract.unicode:
        text = _RAISED.sub(
            lambda run: "^{" + "".join(_SUPERSCRIPT[c] for c in run.group()) + "}", text.translate(_TABLE)
        )
    if contract.foreign_digit:
        text = "".join(_digit(character) for character in text)
    return text


def _digit(character: str) -> str:
    value = unicodedata.decimal(character, None) if character > "~" else None
    return character if value is None else str(value)


def _invisible(character: str) -> Refusal:
    return Refusal(Reason.PARSE_ERROR, f"invisible character U+{ord(character):04X} inside the answer")
