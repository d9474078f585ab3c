"""Oracle: integer addition, every response of the grammar written out, and the course's numeric verifier."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore import arithmetic
from pycore.domain import DomainError
from pycore.verify import MARKER_ONLY, verify_numeric

OPERAND = st.integers(10, 99)
END, PAD = arithmetic.END, arithmetic.PAD
CARRIES = (arithmetic.CARRY, arithmetic.CARRY + 1)


def every_response() -> np.ndarray:
    """All responses that the grammar allows, PAD after the end."""
    rows = []
    for units in range(10):
        rows.append([units, END])
        for first, tens in itertools.product(CARRIES, range(10)):
            rows.append([units, first, tens, END])
            rows += [[units, first, tens, second, last, END] for second in CARRIES for last in range(10)]
    return np.array([row + [PAD] * (6 - len(row)) for row in rows])


RESPONSES = every_response()


@pytest.mark.parametrize("pair", [(27, 58), (67, 58), (10, 10), (99, 99), (45, 55), (12, 34)])
def test_every_response_is_judged_as_the_numeric_verifier_judges_its_text(pair):
    total = sum(pair)
    verdict = arithmetic.judge([pair], RESPONSES[None])
    paid = {}
    for row, correct, form in zip(RESPONSES, verdict.correct[0], verdict.form[0], strict=True):
        said = arithmetic.spoken(row)
        assert bool(said) == form
        if said not in paid:
            paid[said] = verify_numeric(f"#### {said}", total, contract=MARKER_ONLY).correct
        assert correct == paid[said]
    accepted = {tuple(row) for row in RESPONSES[verdict.correct[0]]}
    ways, distinct = arithmetic.accepted_answers([pair])
    assert accepted == {tuple(row) for row in ways[0][distinct[0]]}
    assert len(accepted) == (4 if total > 99 else 2)


@given(OPERAND, OPERAND)
def test_the_true_answer_earns_everything(a, b):
    verdict = arithmetic.judge([(a, b)], arithmetic.answers([(a, b)])[:, None])
    assert verdict.reward[0, 0] == pytest.approx(sum(arithmetic.WEIGHTS.values()), rel=1e-15)
    assert arithmetic.spoken(arithmetic.answers([(a, b)])[0]) == str(a + b)


@given(OPERAND, OPERAND)
def test_a_consistent_first_step_is_the_carry_of_the_units_and_decides_the_tens(a, b):
    verdict = arithmetic.judge([(a, b)], RESPONSES[None])
    carry = (a % 10 + b % 10) // 10
    for row, form, consistent in zip(RESPONSES[::7], verdict.form[0, ::7], verdict.consistent[0, ::7], strict=True):
        expected = form and row[1] == CARRIES[carry] and row[2] == (a // 10 + b // 10 + carry) % 10
        assert consistent == expected


def test_the_reward_by_hand():
    responses = [
        [5, CARRIES[1], 8, END, PAD, PAD],  # right, and the step as well
        [5, CARRIES[0], 8, END, PAD, PAD],  # right, the step wrong
        [6, CARRIES[1], 8, END, PAD, PAD],  # wrong units, the step right
        [5, CARRIES[1], 8, CARRIES[0], 0, END],  # 085: no canonical length
        [5, END, PAD, PAD, PAD, PAD],
        [5, CARRIES[1], 8, PAD, PAD, PAD],  # cut before its end
    ]
    reward = arithmetic.judge([(27, 58)], [responses]).reward[0]
    assert reward == pytest.approx([1.15, 1.05, 0.15, 0, 0, 0], abs=1e-15)


@given(OPERAND, OPERAND)
def test_difficulty_counts_the_carries_of_the_written_sum(a, b):
    units = a % 10 + b % 10 > 9
    assert arithmetic.carries([(a, b)])[0] == units + (a // 10 + b // 10 + units > 9)


def test_the_grammar_allows_what_can_be_an_answer_and_forces_the_end():
    grammar = arithmetic.grammar()
    assert grammar.free.tolist() == [True] * 5 + [False]
    answers = arithmetic.answers([(a, b) for a in range(10, 100, 7) for b in range(10, 100)])
    inside = answers != PAD
    assert grammar.allowed[np.arange(6), np.where(inside, answers, END)][inside].all()
    assert arithmetic.grammar(3).allowed.shape == (3, 16)


def test_a_prompt_reads_as_written():
    assert arithmetic.text(arithmetic.encode_prompts([(90, 18)])[0]) == "9 0 + 1 8 ="


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arithmetic.encode_prompts([(9, 10)]), r"pairs = 9\.0"),
        (lambda: arithmetic.encode_prompts([(10.5, 10)]), r"pairs = 10\.5"),
        (lambda: arithmetic.encode_prompts([10, 10]), r"pairs\.shape"),
        (lambda: arithmetic.judge([(10, 10)], [[16]]), r"tokens = 16"),
        (lambda: arithmetic.judge([(10, 10)], [[[1] * 7]]), r"tokens\.shape"),
        (lambda: arithmetic.judge([(10, 10)], [[[1]], [[1]]]), r"tokens\.shape"),
        (lambda: arithmetic.grammar(7), "max_tokens = 7"),
    ],
)
def test_what_lies_outside_is_refused_by_name(call, message):
    with pytest.raises(DomainError, match=message):
        call()
