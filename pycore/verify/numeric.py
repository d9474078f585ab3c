"""The verifier of numbers: extract, canonicalise, compare, reward."""

from fractions import Fraction
from math import isfinite
from numbers import Integral

from pycore.domain import DomainError
from pycore.verify.canonical import canonicalise, too_large
from pycore.verify.compare import allowed_difference
from pycore.verify.contract import COURSE, NumericContract
from pycore.verify.extract import extract
from pycore.verify.verdict import Number, Reason, Refusal, Span, Verdict

Reference = str | int | Fraction | float
_NONE = Fraction(0)


def verify_numeric(text: str, reference: Reference, *, contract: NumericContract = COURSE) -> Verdict:
    """Judges whether the answer in a text equals the reference.

    Args:
        text: a whole response, any string; what is not a string has no answer.
        reference: the right value, as text under the same grammar or as a number.
        contract: the rules; everything that decides the verdict is in it.

    Returns:
        The verdict with reward 1.0 or 0.0, reason, span, exact value and trace. The same arguments always give the same
        verdict, in time linear in the text. A reference that is not a number refuses every text with `bad_reference`.

    Raises:
        DomainError: only when `contract` is not a NumericContract; never because of text or reference.

    >>> verify_numeric("Half of 84 is \\\\boxed{42}.", "84/2").reason
    <Reason.CORRECT: 'correct'>
    >>> verify_numeric("\\\\boxed{12345678901234567891}", "12345678901234567890").reward
    0.0

    Source: curriculum 1.3 and 1.4; what is not understood (roots, intervals, sets, arithmetic) is refused, not guessed.
    """
    if not isinstance(contract, NumericContract):
        raise DomainError("contract", contract, "a NumericContract")
    known = canonical_reference(reference, contract)
    if isinstance(known, Refusal):
        return Verdict(known.reason, known.detail)
    if not isinstance(text, str):
        return Verdict(Reason.NO_ANSWER, "the response is not text", reference=known)
    span = extract(text, contract)
    if isinstance(span, Refusal):
        return Verdict(span.reason, span.detail, reference=known)
    answer = canonicalise(span.text, contract)
    if isinstance(answer, Refusal):
        return Verdict(answer.reason, answer.detail, span, reference=known)
    return _compared(span, answer, known, contract)


def canonical_reference(reference: Reference, contract: NumericContract) -> Number | Refusal:
    """The reference as an exact number, or a refusal with reason `bad_reference`.

    >>> canonical_reference("\\\\pi", NumericContract()).reason
    <Reason.BAD_REFERENCE: 'bad_reference'>
    """
    if isinstance(reference, str):
        number = canonicalise(reference, contract)
        if isinstance(number, Refusal):
            return Refusal(Reason.BAD_REFERENCE, f"the reference is not a number: {number.detail}")
        return number
    if isinstance(reference, Integral | Fraction) and not isinstance(reference, bool):
        value = Fraction(int(reference)) if isinstance(reference, Integral) else reference
        if too_large(value, contract):
            return Refusal(Reason.BAD_REFERENCE, f"the reference has more than {contract.max_digits} digits")
        return Number(value)
    if isinstance(reference, float) and isfinite(reference):
        # As it is written: a reference of 0.1 means one tenth, not the nearest binary fraction.
        value = Fraction(float.__repr__(reference))
        return Number(value, value.denominator != 1)
    return Refusal(Reason.BAD_REFERENCE, "the reference is neither text nor a finite number")


def _compared(span: Span, answer: Number, reference: Number, contract: NumericContract) -> Verdict:
    if answer.unit and reference.unit and answer.unit != reference.unit:
        detail = f"{answer.unit} is not {reference.unit}, and units are never converted"
        return Verdict(Reason.UNIT_MISMATCH, detail, span, answer, reference)
    if answer.value == reference.value:
        return Verdict(Reason.CORRECT, "", span, answer, reference, _NONE)
    if not (answer.approximate or reference.approximate):
        return Verdict(Reason.WRONG, "another number", span, answer, reference, _NONE)
    allowed = allowed_difference(answer, reference, contract)
    if abs(answer.value - reference.value) <= allowed:
        return Verdict(Reason.CORRECT, "", span, answer, reference, allowed)
    return Verdict(Reason.WRONG, "another number", span, answer, reference, allowed)
