"""The words of a lab or of the site in one language, and numbers written as that language writes them."""

import math
import string
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LANGUAGES = ("ru", "en")

# Decimal mark, thousands mark, what stands between a number and its percent sign.
MARKS = {"ru": (",", "\u00a0", "\u00a0"), "en": (".", ",", "")}
# A large number written out with more characters than this is written in powers of ten instead.
LONGEST, LARGE = 13, 1e6
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Writer(string.Formatter):
    """`str.format` whose numbers follow the language: 1 234,5 and 57 % or 1,234.5 and 57%, a true minus sign.

    >>> Writer("ru").format("{share:.1%} of {count:,d}", share=-0.575, count=1234).replace("\\u00a0", "_")
    '−57,5_% of 1_234'
    """

    def __init__(self, language: str, options: Mapping[str, str] | None = None) -> None:
        self.decimal, self.thousands, self.percent = MARKS[language]
        self.options = options or {}

    def format_field(self, value: Any, format_spec: str) -> str:
        """The value in the language's own spelling; a name among `options` becomes its translation."""
        if isinstance(value, str):
            return self.options.get(value, value)
        if not math.isfinite(value):
            return "—" if math.isnan(value) else "∞" if value > 0 else "−∞"
        if format_spec == "sup":
            return self.raised(value)
        if format_spec.endswith("d"):
            value = int(value)
        text = format(value, format_spec)
        if len(text) > LONGEST and abs(value) >= LARGE and format_spec.endswith(("d", "f")):
            text = format(float(value), f"{'+' if format_spec.startswith('+') else ''}.3g")
        if set(text) <= {"-", "+", "0", ".", "%"}:
            text = text.lstrip("-+")  # a zero, rounded off or not, has no sign
        if "e" in text:
            text = text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
        swapped = text.translate({ord(","): "\0", ord("."): self.decimal})
        return swapped.replace("\0", self.thousands).replace("%", self.percent + "%").replace("-", "−")

    def raised(self, value: float) -> str:
        """An exponent: raised digits where there are some, else in brackets after a caret.

        >>> Writer("en").format("2{n:sup}, e{x:sup}", n=10, x=0.5)
        '2¹⁰, e^(0.5)'
        """
        text = format(value, "g")
        return text.translate(RAISED) if set(text) <= set("-0123456789") else f"^({self.format_field(value, 'g')})"


def load(folder: Path, language: str) -> dict[str, Any]:
    """The TOML file of one language in a folder."""
    return tomllib.loads((folder / f"{language}.toml").read_text(encoding="utf-8"))
