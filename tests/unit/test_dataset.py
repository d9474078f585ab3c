"""Oracle: lines in the published forms of GSM8K and MATH, written here, and lines spoiled on purpose."""

import json

import pytest

from colab.export import dataset
from colab.export.dataset import Rejected, Row, Source, apart, arithmetic, passport, read_rows, split, write
from pycore.domain import DomainError

GSM8K = '{"question": "Ann has 40 pens and buys 32. How many?", "answer": "40 + 32 = <<40+32=72>>72 pens.\\n#### 72"}'
MATH = r'{"problem": "What is $\\frac{1}{2} + \\frac{1}{4}$?", "solution": "It is $\\boxed{\\frac{3}{4}}$."}'


@pytest.mark.parametrize(
    ("line", "form", "answer"),
    [
        (GSM8K, "gsm8k", "72"),
        (MATH, "math", r"\frac{3}{4}"),
        ('{"question": "Six times seven?", "answer": 42}', "plain", "42"),
        ('{"question": "Two thousand?", "answer": "2,000"}', "plain", "2,000"),
    ],
)
def test_each_form_is_read_for_its_question_and_its_number(line, form, answer):
    rows, rejected = read_rows(line, form)
    assert ([row.answer for row in rows], rejected) == ([answer], [])


def test_what_is_left_out_is_listed_with_line_and_reason():
    lines = [
        '{"question": "a?", "answer": "1"}',
        '{"question": "a?", ',
        "[1]",
        '{"answer": "1"}',
        '{"question": "b?"}',
        '{"question": "c?", "answer": "\\\\pi"}',
        '{"question": "c?", "answer": "' + "9" * 5000 + '"}',
        '{"question": "d?", "answer": true}',
        "",
        '{"question": " A? ", "answer": "2"}',
    ]
    rows, rejected = read_rows("\n".join(lines), "plain")
    assert [row.question for row in rows] == ["a?"]
    reasons = (
        "bad_line",
        "bad_line",
        "no_question",
        "no_answer",
        "not_a_number",
        "not_a_number",
        "no_answer",
        "repeated",
    )
    assert rejected == [Rejected(line, why) for line, why in zip((2, 3, 4, 5, 6, 7, 8, 10), reasons, strict=True)]


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        ("", "plain", "empty"),
        ("<html>", "plain", "line 1: bad_line"),
        (GSM8K, "math", "line 1: no_question"),
        (GSM8K, "aime", "gsm8k, math, plain"),
    ],
)
def test_a_file_without_one_problem_says_what_is_wanted(text, form, message):
    with pytest.raises(DomainError, match=message):
        read_rows(text, form)


def test_what_is_written_is_read_back():
    rows, _ = read_rows(f"{GSM8K}\n", "gsm8k")
    assert read_rows(write(rows), "plain") == (rows, [])


def test_a_row_keeps_its_side_when_others_come_and_both_sides_share_no_question():
    rows = [Row(f"{n:016x}", f"{n}?", str(n)) for n in range(200)]
    train, held_out = split(rows, 40, seed=3)
    assert (len(train), len(held_out)) == (160, 40)
    assert not {row.id for row in train} & {row.id for row in held_out}
    later, _ = split(rows[:-1], 39 if rows[-1] in held_out else 40, seed=3)
    assert len(set(later) ^ set(train)) <= 2
    assert split(rows, 40, seed=4)[1] != held_out


@pytest.mark.parametrize("held_out", [0, 2, -1])
def test_a_side_without_problems_is_refused(held_out):
    with pytest.raises(DomainError, match="held_out"):
        split([Row("a", "a?", "1"), Row("b", "b?", "2")], held_out, 0)


def test_held_out_problems_are_taken_out_of_the_training_set():
    train, _ = read_rows('{"question": "A?", "answer": 1}\n{"question": "b?", "answer": 2}', "plain")
    held_out, _ = read_rows('{"question": "a?  ", "answer": 1}', "plain")
    assert [row.question for row in apart(train, held_out)[0]] == ["b?"]


def test_the_sums_are_right_and_no_unordered_pair_stands_on_two_sides():
    sides = arithmetic(300, 100, seed=1)
    pairs = [{frozenset(row.question[8:-1].split(" + ")) for row in side} for side in sides]
    assert [len(side) for side in sides] == [300, 100]
    assert not pairs[0] & pairs[1]
    assert all(sum(map(int, row.question[8:-1].split(" + "))) == int(row.answer) for side in sides for row in side)


@pytest.mark.parametrize("field", ["name", "license", "origin"])
def test_a_source_without_name_licence_or_origin_is_refused(field):
    with pytest.raises(DomainError, match=field):
        Source(**{"name": "GSM8K", "license": "MIT", "origin": "a copy", field: " "})


def test_licence_and_split_stand_in_the_passport_and_only_the_run_is_missing():
    train, held_out = arithmetic(20, 10)
    made = passport(Source("mine", "CC BY 4.0", "ours"), train, held_out, seed=5, rejected=2, max_prompt_tokens=64)
    assert (made.license, made.split_seed, made.training_prompts, made.held_out_prompts) == ("CC BY 4.0", 5, 20, 10)
    assert [name for name, _ in made.missing()] == ["initial_success", "max_response_tokens"]
    assert json.loads(made.to_json())["split_rule"].startswith("by the smallest SHA-256")
    assert "file of their own" in str(passport(dataset.ARITHMETIC, train, held_out, seed=None, rejected=0).split_rule)
