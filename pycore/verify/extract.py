"""First layer: where in a text the answer stands. Time is linear in the text, whatever the text is."""

import re

from pycore.verify.contract import NumericContract, Source
from pycore.verify.free_number import last_number
from pycore.verify.verdict import Reason, Refusal, Span

_BOX = "\\boxed"
_OPENING = re.compile(r"\s*+\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
# A text may leave boxes open, but not so many that looking for a closed one becomes the attack.
MAX_OPEN_BOXES = 64


def extract(text: str, contract: NumericContract) -> Span | Refusal:
    """The answer's span under the contract's sources, in their order.

    A source that is present decides, even when what it holds is no answer: a text whose last box holds words is not
    searched for numbers.

    Args:
        text: a whole response.
        contract: sources, marker, thought rule and caps.

    Returns:
        The span, or a refusal with reason no_answer, ambiguous or too_long.

    >>> extract("so \\\\boxed{6\\\\cdot 7} or \\\\boxed{42}", NumericContract()).text
    '42'
    """
    start = answer_start(text, contract)
    if isinstance(start, Refusal):
        return start
    for source in contract.sources:
        if source is Source.BOXED:
            found = last_box(text, start, contract)
        elif source is Source.MARKER:
            found = after_marker(text, start, contract)
        else:
            found = last_number(text, start, contract)
        if found is not None:
            return found
    return Refusal(Reason.NO_ANSWER, "none of " + ", ".join(contract.sources) + " is present")


def answer_start(text: str, contract: NumericContract) -> int | Refusal:
    """Where the part of the text begins that may hold an answer: after the last thought, if thoughts are skipped.

    >>> answer_start("<think>41</think>42", NumericContract())
    17
    """
    if len(text) > contract.max_text:
        return Refusal(Reason.TOO_LONG, f"{len(text)} characters, at most {contract.max_text} are read")
    if not contract.skip_thought:
        return 0
    end_of_thought = text.rfind("</think>")
    start = 0 if end_of_thought < 0 else end_of_thought + len("</think>")
    return Refusal(Reason.NO_ANSWER, "the thought never ends") if text.find("<think>", start) >= 0 else start


def last_box(text: str, start: int, contract: NumericContract) -> Span | Refusal | None:
    """The content of the last box that closes; None when no box was ever opened.

    Boxes are tried from the last to the first. A box that does not close before the next one opens, or before the end
    when it is the last, never closes at all: no stretch of text is read twice.
    """
    limit, opened = len(text), 0
    while (box := text.rfind(_BOX, start, limit)) >= 0:
        opening = _OPENING.match(text, box + len(_BOX), limit)
        if opening:
            opened += 1
            end = _closing(text, opening.end(), min(limit, opening.end() + contract.max_answer + 1))
            if end is not None:
                span = Span(Source.BOXED, opening.end(), end, text[opening.end() : end])
                return _outermost(text, start, box, span, contract)
            if limit - opening.end() > contract.max_answer:
                return Refusal(Reason.TOO_LONG, f"the last box holds more than {contract.max_answer} characters")
            if opened == MAX_OPEN_BOXES:
                return Refusal(Reason.NO_ANSWER, f"the last {opened} boxes never close")
        limit = box
    return Refusal(Reason.NO_ANSWER, "the box never closes") if opened else None


def _closing(text: str, start: int, limit: int) -> int | None:
    first = text.find("}", start, limit)
    if first < 0:
        return None
    if text.find("{", start, first) < 0 and text[first - 1] != "\\":
        return first
    depth = 1
    for brace in _BRACE.finditer(text, start, limit):
        token = brace.group()
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return brace.start()
    return None


def _outermost(text: str, start: int, box: int, span: Span, contract: NumericContract) -> Span | Refusal:
    """Refuses a box that stands inside another one together with more text: `\\boxed{41 \\boxed{42}}`."""
    previous = text.rfind(_BOX, start, box)
    opening = _OPENING.match(text, previous + len(_BOX), box) if previous >= 0 else None
    if opening is None or box - opening.end() > contract.max_answer:
        return span
    if _closing(text, opening.end(), box) is None and text[opening.end() : box].strip():
        return Refusal(Reason.AMBIGUOUS, "the last box stands inside another one")
    return span


def after_marker(text: str, start: int, contract: NumericContract) -> Span | Refusal | None:
    """What follows the last marker on its line; None when there is no marker.

    >>> after_marker("so 6\\n#### 42 ", 0, NumericContract()).text
    '42'
    """
    found = text.rfind(contract.marker, start)
    if found < 0:
        return None
    begin = found + len(contract.marker)
    end = text.find("\n", begin)
    end = len(text) if end < 0 else end
    answer = text[begin : min(end, begin + contract.max_answer + 1)].strip()
    if end - begin > contract.max_answer:
        return Refusal(Reason.TOO_LONG, f"more than {contract.max_answer} characters follow the marker")
    if not answer:
        return Refusal(Reason.NO_ANSWER, "nothing follows the marker")
    begin = text.index(answer, begin)
    return Span(Source.MARKER, begin, begin + len(answer), answer)
