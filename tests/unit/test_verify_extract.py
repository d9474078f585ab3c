"""Oracle: hand-written texts in which a reader sees at once which characters are the answer, or that there is none."""

import pytest

from pycore.verify import BOXED_ONLY, MARKER_ONLY, NumericContract, Reason, Source, verify_numeric


def boxed(answer):
    return f"The answer is \\boxed{{{answer}}}."


def reason(text, reference="42", **rules):
    return verify_numeric(text, reference, contract=NumericContract(**rules)).reason


def test_the_last_closed_box_counts():
    assert verify_numeric("\\boxed{41} \\boxed{42} \\boxed{4", "42").correct
    assert verify_numeric("\\boxed{42} \\boxed{41}", "42").reason is Reason.WRONG


def test_nested_braces_end_where_the_box_ends():
    verdict = verify_numeric("so \\boxed{\\frac{1}{2}} and }", "0.5")
    assert verdict.correct
    assert verdict.span.text == "\\frac{1}{2}"


def test_the_span_points_into_the_text():
    text = "first 7, then \\boxed{ 42 } metres"
    span = verify_numeric(text, "42").span
    assert (span.source, text[span.start : span.end]) == (Source.BOXED, span.text) == ("boxed", " 42 ")


def test_a_box_inside_a_box_with_other_text_is_ambiguous():
    assert reason("\\boxed{41 \\boxed{42}}") is Reason.AMBIGUOUS
    assert reason("\\boxed{ \\boxed{42} }") is Reason.CORRECT


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{\\boxed{42}+1}",
        "\\boxed{\\boxed{42}00}",
        "\\boxed{ \\boxed{ \\boxed{42} } % }",
        "\\boxed{41 \\boxed{\\boxed{42}}}",
        "\\boxed{41 \\boxed{1}\\boxed{42}}",
        "\\boxed{41 \\boxed \\boxed{42}}",
        "\\boxed{-{\\boxed{42}}}",
    ],
)
def test_whatever_stands_around_a_box_inside_a_box_makes_it_ambiguous(text):
    assert reason(text) is Reason.AMBIGUOUS


def test_boxes_that_end_together_are_one():
    assert reason("\\boxed{\\boxed{\\boxed{42}}}") is Reason.CORRECT
    assert reason("\\text{so {\\boxed{42}}} and \\boxed{41} and \\boxed{42}") is Reason.CORRECT


def test_an_answer_inside_the_thought_does_not_count():
    assert reason("<think>\\boxed{42}</think>\\boxed{41}") is Reason.WRONG
    assert reason("<think>\\boxed{42}") is Reason.NO_ANSWER
    assert reason("<think>\\boxed{42}</think> done") is Reason.NO_ANSWER
    assert reason("<think>\\boxed{42}</think> done", skip_thought=False) is Reason.CORRECT


def test_only_what_follows_the_last_thought_counts():
    assert reason("<think>1</think>\\boxed{41}<think>2</think>\\boxed{42}") is Reason.CORRECT
    assert reason("<think>1</think>\\boxed{42}<think>2</think>") is Reason.NO_ANSWER


def test_an_escaped_brace_does_not_close_the_box():
    verdict = verify_numeric("\\boxed{\\{42\\}} }", "42")
    assert (verdict.span.text, verdict.reason) == ("\\{42\\}", Reason.PARSE_ERROR)


def test_the_first_source_that_is_present_decides():
    both = "#### 41\nso \\boxed{42}"
    assert reason(both) is Reason.CORRECT
    assert reason(both, sources=("marker", "boxed")) is Reason.WRONG
    assert reason("\\boxed{words} 42") is Reason.PARSE_ERROR


def test_a_contract_without_fallback_asks_for_its_own_form():
    assert verify_numeric("it is 42", "42", contract=BOXED_ONLY).reason is Reason.NO_ANSWER
    assert verify_numeric("\\boxed{42}", "42", contract=MARKER_ONLY).reason is Reason.NO_ANSWER
    assert verify_numeric("#### 42", "42", contract=MARKER_ONLY).correct


def test_the_whole_line_after_the_marker_is_the_answer():
    assert reason("#### 42 43") is Reason.PARSE_ERROR
    assert reason("####\n42") is Reason.NO_ANSWER
    assert reason("#### 41\n#### 42\nbye") is Reason.CORRECT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so it costs $1,234.50.", "1234.5"),
        ("that is 3 million.", "3000000"),
        ("x = -7", "-7"),
        ("about 1.5×10³ grams", "1500"),
        ("it takes 1 1/2 cups", "3/2"),
        ("答案是42。", "42"),
        ("The answer is **42**", "42"),
        ("it's 42!", "42"),
    ],
)
def test_the_last_free_number_is_read_whole(text, expected):
    assert verify_numeric(text, expected).correct


@pytest.mark.parametrize("text", ["40 + 2", "5-3", "sqrt(4)", "x >= 5", "10:30", "GPT4", "2^{x", "- 42", "7 -5", "√9"])
def test_a_number_inside_an_expression_or_a_word_is_no_answer(text):
    assert reason(text) is Reason.AMBIGUOUS


@pytest.mark.parametrize("hyphen", "-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d")
def test_every_minus_of_the_grammar_is_a_minus_in_running_text(hyphen):
    for text in (f"\\boxed{{{hyphen}42}}", f"so {hyphen}42"):
        assert reason(text) is Reason.WRONG
        assert verify_numeric(text, "-42").correct


@pytest.mark.parametrize(
    "text",
    ["-(42)", "2 * (42)", "(2)(42)", "-|42|", "(42) + x", "minus 42", "It is negative 42.", "минус 42", "±42", "7 ± 42"]
    + [f"x {command} 42" for command in ("\\ne", "\\leq", "\\pm", "\\sqrt", "\\cdot")]
    + [
        f"42 {command}"
        for command in ("\\pi", "\\cdot x", "\\sqrt x", "π", "hundred", "dozen", "per cent", "млн", "тыс.")
    ]
    + ["42‰", "42万", "4万42", "1..42", "(42)%"],
)
def test_a_sign_a_factor_or_a_relation_beside_the_last_number_makes_it_another_one(text):
    assert reason(text) is Reason.AMBIGUOUS


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\u2060", "\u202e", "\ufeff", "\ud800"])
def test_a_hidden_character_beside_the_last_number_is_refused(hidden):
    for text in (f"4{hidden}2", f"-{hidden}2", f"2{hidden}4"):
        assert not verify_numeric(text, "2").correct
        assert not verify_numeric(text, "4").correct


@pytest.mark.parametrize(
    "text",
    [
        "(42)",
        "so x = (42)",
        "\\[ 42 \\]",
        "x \\implies 42",
        "\\quad 42 \\text{ cm}",
        "| 42 |",
        "\\left( 42 \\right)",
        "costs $42.",
    ],
)
def test_what_leaves_the_last_number_as_it_is_does_not_matter(text):
    assert reason(text) is Reason.CORRECT
