"""Formulas of many pages, typeset in one go: each leaves a mark in its page that is filled at the end."""

import re
from pathlib import Path

from web.builder import maths
from web.builder.course import CourseError

SHORT = 40  # characters of TeX
MARK = re.compile("\ue000(\\d+)\ue001")
HEADER = re.compile('(<th[^>]*>(?:<span class="whole">)?)\ue000(\\d+)\ue001(?=(?:</span>)?</th>)')


class Formulas:
    """Collects formulas while pages are rendered."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool], int] = {}
        self._places: list[str] = []
        self._html: list[str] = []

    def mark(self, tex: str, *, display: bool, place: str) -> str:
        """What stands in the page until `fill`; the same formula is typeset once."""
        key = (tex.strip(), display)
        if key not in self._known:
            self._known[key] = len(self._known)
            self._places.append(place)
        mark = f"\ue000{self._known[key]}\ue001"
        # A short formula in a line is not broken at its equals sign.
        return f'<span class="whole">{mark}</span>' if not display and len(tex) <= SHORT else mark

    def typeset(self, cache: Path) -> None:
        """Typesets all that was collected.

        Raises:
            CourseError: names the place of the formula that KaTeX cannot parse, with KaTeX's own message.
        """
        try:
            self._html = maths.typeset([tex for tex, _ in self._known], cache, display=[d for _, d in self._known])
        except maths.FormulaError as error:
            place = self._places[error.index] if error.index is not None else "a formula"
            raise CourseError(f"{place}: {error}") from error

    def fill(self, html: str) -> str:
        """The page with its formulas; one that is all of a table's header is named, for it is read with every cell."""
        html = HEADER.sub(lambda found: found[1] + _named(self._html[int(found[2])]), html)
        return MARK.sub(lambda found: self._html[int(found[1])], html)


def _named(formula: str) -> str:
    """A typeset formula whose MathML carries its own characters as its name."""
    name = re.sub("<[^>]*>", "", formula.partition("<annotation")[0])
    return formula.replace("<math ", f'<math aria-label="{name}" ', 1)


def localised(tex: str, language: str) -> str:
    """TeX with its decimal marks as the language writes them; a comma in braces gets no space after it."""
    return re.sub(r"(?<=\d)\.(?=\d)", "{,}", tex) if language == "ru" else tex
