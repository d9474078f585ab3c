"""Oracle: the value a text was rendered from. Every allowed way of writing it must be paid, every mutation refused."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pycore.verify import NumericContract, verify_numeric

WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SIGNS = st.sampled_from(["-", "−", "–", "- "])
UNITS = st.sampled_from(["", " cm", "\\text{ kg}", "\\,\\mathrm{m}", " часов", "€", " dollars", "^\\circ", "°"])


def grouped(digits, separator):
    head = len(digits) % 3 or 3
    return separator.join([digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))])


@st.composite
def whole(draw, value):
    """A non-negative whole number in digits."""
    digits = str(value)
    separator = draw(st.sampled_from(["", ",", "{,}", ",\\!", " ", "\u202f", "\\,"]))
    written = grouped(digits, separator) if separator else "0" * draw(st.integers(0, 3)) + digits
    return draw(st.sampled_from([written, written.translate(WIDE)]))


@st.composite
def quotient(draw, value):
    """A non-negative fraction, perhaps not reduced."""
    times = draw(st.integers(1, 50))
    top, bottom = value.numerator * times, value.denominator * times
    forms = [f"{top}/{bottom}", f"{top} / {bottom}", f"{top}⁄{bottom}"]
    forms += [f"\\{name}{{{top}}}{{{bottom}}}" for name in ("frac", "dfrac", "tfrac")]
    if max(top, bottom) < 10:
        forms += [f"\\frac{top}{bottom}", f"\\frac {top} {bottom}"]
    whole_part, rest = divmod(top, bottom)
    if whole_part and rest:
        forms += [f"{whole_part} {rest}/{bottom}" if bottom < 100 and rest < 100 else forms[0]]
        forms += [f"{whole_part}\\frac{{{rest}}}{{{bottom}}}"]
    return draw(st.sampled_from(forms))


@st.composite
def decimal(draw, value):
    """A non-negative number with finitely many decimals: plain, scientific or TeX."""
    places = 0
    while (value * 10**places).denominator > 1:
        places += 1
    shift = draw(st.integers(0, 5))
    digits = str((value * 10**places).numerator).rjust(places + 1, "0")
    plain = (digits[:-places] + "." + digits[-places:] if places else digits) + (
        "" if not places else "0" * draw(st.integers(0, 3))
    )
    mantissa = (value * 10**places).numerator * 10**shift
    exponent = -places - shift
    forms = [plain, f"{mantissa}e{exponent}", f"{mantissa}E{exponent:+d}"]
    forms += [f"{mantissa}\\times 10^{{{exponent}}}", f"{mantissa} \\cdot 10^{{{exponent}}}"]
    forms += [f"{mantissa}×10{str(exponent).translate(RAISED)}"]
    if plain.startswith("0.") and len(plain) > 2:
        forms.append(plain[1:])
    if value.denominator == 1 and value < 10**6:
        forms.append(f"{value * 100}%")
    return draw(st.sampled_from(forms))


@st.composite
def rendered(draw, value):
    """A response whose answer is `value`, in some allowed way."""
    size = abs(value)
    ways = [quotient(size)]
    if size.denominator == 1:
        ways.append(whole(size.numerator))
    if 10**9 % size.denominator == 0:
        ways.append(decimal(size))
    answer = draw(st.one_of(ways))
    if value < 0:
        answer = draw(SIGNS) + answer
    unit = "" if answer.endswith("%") else draw(UNITS)
    wrapper = draw(st.sampled_from(["{}", "${}$", "\\text{{{}}}", " {} ", "{{{}}}", "x = {}"]))
    if "\\" in unit + answer and "text" in wrapper:
        wrapper = "{}"
    answer = wrapper.format(answer + unit)
    place = draw(
        st.sampled_from(["\\boxed{{{}}}", "so \\boxed{{{}}}.", "\\boxed{{7}} no: \\boxed {{{}}}", "7\n#### {}"])
    )
    thought = draw(st.sampled_from(["", "<think>\\boxed{7}</think>"]))
    return thought + place.format(answer)


VALUES = st.one_of(
    st.integers(-(10**12), 10**12).map(Fraction),
    st.integers(-(10**40), 10**40).map(Fraction),
    st.fractions(min_value=-1000, max_value=1000, max_denominator=997),
    st.builds(Fraction, st.integers(-(10**6), 10**6), st.sampled_from([2, 4, 5, 8, 10, 100, 1000])),
)


@settings(deadline=None)
@given(st.data(), VALUES)
def test_every_allowed_way_of_writing_a_value_is_paid(data, value):
    text = data.draw(rendered(value))
    verdict = verify_numeric(text, value)
    assert verdict.correct, (text, verdict.reason, verdict.detail)
    assert verdict.value == value


@settings(deadline=None)
@given(st.data(), VALUES, st.sampled_from([lambda v: v + 1, lambda v: v - 1, lambda v: -v - 1, lambda v: 10 * v + 1]))
def test_the_same_writing_of_another_value_is_refused(data, value, mutate):
    other = mutate(value)
    if other == value:
        other += 1
    text = data.draw(rendered(other))
    assert not verify_numeric(text, value, contract=NumericContract(tolerance="exact")).correct, text


@settings(deadline=None)
@given(st.data(), VALUES)
def test_a_neighbour_within_the_tolerance_of_a_float_is_refused_when_both_are_exact(data, value):
    neighbour = value + Fraction(1, 10**15 * value.denominator)
    text = data.draw(st.one_of(quotient(abs(neighbour))))
    assert not verify_numeric(f"\\boxed{{{'-' if neighbour < 0 else ''}{text}}}", value).correct


@settings(deadline=None)
@given(st.data(), VALUES, st.integers(0, 30))
def test_a_character_too_many_never_makes_a_wrong_answer_right(data, value, at):
    """Junk put into an answer may be refused or harmless; it must not turn it into another accepted value."""
    text = data.draw(rendered(value + 1))
    junk = data.draw(st.sampled_from(["\u200b", "\u202e", "x", "?", "\\", "}", "**", "==", "\ud800", "\x00"]))
    begin = text.rfind("\\boxed")
    position = max(begin, 0) + at
    broken = text[:position] + junk + text[position:]
    exact = NumericContract(tolerance="exact", sources=("boxed",))
    assert not verify_numeric(broken, value, contract=exact).correct or value == 7
