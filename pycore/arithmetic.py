"""Sums of two two-digit numbers as a language: vocabulary, grammar, answers and the verifier that pays for them.

A prompt reads `a1 a0 + b1 b0 =`. A response writes the units digit first and the carry as an explicit step:

    27+58=   5 c1 8 EOS         units 5, carry 1, tens 8: the sum is 85
    67+58=   5 c1 2 c1 1 EOS    units 5, carry 1, tens 2, carry 1, hundreds 1: the sum is 125

Positions 0, 2 and 4 hold a digit; 1 and 3 a carry or the end; at 5 only the end is left.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import Index, Mask
from pycore.domain import Array, DomainError, integer
from pycore.policy import Grammar

TOKENS = (*"0123456789", "+", "=", "c0", "c1", "EOS", "PAD")
PLUS, EQUALS, CARRY, END, PAD = 10, 11, 12, 14, 15
PROMPT_LENGTH, RESPONSE_LENGTH = 6, 6
LOWEST, HIGHEST = 10, 99
WEIGHTS = {"correct": 1.0, "consistent": 0.1, "form": 0.05}
CHOICES = 4  # carries are not checked for correctness, so a three-digit sum can be written in four ways


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the verifier says of each response, arrays of shape (prompts, group).

    Attributes:
        correct: the digits say the right sum in its canonical length; carries are ignored.
        consistent: the first carry is the true one and the tens digit follows from it.
        form: the response parses: digits, carries and the end in a canonical order, no leading zero.
        reward: the sum of the components, weighted by `WEIGHTS`.
    """

    correct: Mask
    consistent: Mask
    form: Mask
    reward: Array

    @property
    def components(self) -> dict[str, Mask]:
        """The parts of the reward by name, before their weights."""
        return {"correct": self.correct, "consistent": self.consistent, "form": self.form}


def grammar(max_tokens: int = RESPONSE_LENGTH) -> Grammar:
    """Which tokens may stand where.

    Args:
        max_tokens: limit of a response, from 1 to 6; below 6 long answers are truncated.

    Raises:
        DomainError: a limit out of range.

    >>> grammar().allowed.sum(axis=1).tolist()
    [10, 3, 10, 3, 10, 1]
    """
    limit = int(integer("max_tokens", max_tokens, 1, RESPONSE_LENGTH))
    allowed = np.zeros((RESPONSE_LENGTH, len(TOKENS)), dtype=bool)
    allowed[0::2, :10] = True
    allowed[1::2, CARRY : END + 1] = True
    allowed[-1] = False
    allowed[-1, END] = True
    return Grammar(allowed[:limit], END, PAD)


def checked_pairs(pairs: ArrayLike) -> Index:
    """Operands as whole numbers.

    Raises:
        DomainError: another shape than (prompts, 2), or an operand outside 10..99.
    """
    operands = integer("pairs", pairs, LOWEST, HIGHEST)
    if operands.ndim != 2 or operands.shape[1] != 2 or operands.size == 0:
        raise DomainError("pairs.shape", operands.shape, "(prompts, 2), at least one prompt")
    return operands.astype(np.int64)


def encode_prompts(pairs: ArrayLike) -> Index:
    """Token ids of `a1 a0 + b1 b0 =`.

    Args:
        pairs: operands from 10 to 99, shape (prompts, 2).

    Returns:
        Shape (prompts, 6).

    >>> encode_prompts([[27, 58]]).tolist()
    [[2, 7, 10, 5, 8, 11]]
    """
    a, b = checked_pairs(pairs).T
    plus, equals = np.full_like(a, PLUS), np.full_like(a, EQUALS)
    return np.stack([a // 10, a % 10, plus, b // 10, b % 10, equals], axis=1)


def carries(pairs: ArrayLike) -> Index:
    """How many carries a sum needs: 0, 1 or 2; the difficulty of a prompt.

    >>> carries([[12, 34], [27, 58], [67, 58]]).tolist()
    [0, 1, 2]
    """
    a, b = checked_pairs(pairs).T
    return np.asarray((a % 10 + b % 10 > 9).astype(np.int64) + (a + b > 99))


def write_answers(units: Index, first: Index, tens: Index, second: Index, long: Mask) -> Index:
    """Responses in canonical order from their parts; `long` ones go on with the second carry and the hundreds.

    Returns:
        Token ids, PAD after the end, shape (responses, 6).

    >>> one = np.array([1])
    >>> write_answers(5 * one, one, 8 * one, one, one == 0).tolist()
    [[5, 13, 8, 14, 15, 15]]
    """
    columns = [
        units,
        CARRY + first,
        tens,
        np.where(long, CARRY + second, END),
        np.where(long, 1, PAD),
        np.where(long, END, PAD),
    ]
    return np.stack(columns, axis=1)


def answers(pairs: ArrayLike) -> Index:
    """The true response to each prompt, with its true carries.

    Returns:
        Token ids, PAD after the end, shape (prompts, 6).

    >>> [TOKENS[token] for token in answers([[67, 58]])[0]]
    ['5', 'c1', '2', 'c1', '1', 'EOS']
    """
    a, b = checked_pairs(pairs).T
    total = a + b
    long = total > 99
    return write_answers(total % 10, (a % 10 + b % 10 > 9).astype(np.int64), total // 10 % 10, long.astype(int), long)


def accepted_answers(pairs: ArrayLike) -> tuple[Index, Mask]:
    """Every response that is correct, whatever its carries: exact success rates come from their probabilities.

    Returns:
        (tokens of shape (prompts, 4, 6), which of the four are different answers, shape (prompts, 4)).

    >>> accepted_answers([[12, 34]])[1].tolist()
    [[True, True, False, False]]
    """
    a, b = checked_pairs(pairs).T
    total, long = a + b, a + b > 99
    ways = [
        write_answers(total % 10, np.full_like(a, first), total // 10 % 10, np.full_like(a, second), long)
        for second in (0, 1)
        for first in (0, 1)
    ]
    distinct = np.stack([np.ones_like(long), np.ones_like(long), long, long], axis=1)
    return np.stack(ways, axis=1), distinct


def judge(pairs: ArrayLike, tokens: ArrayLike) -> Judgement:
    """Verifies responses: the sum, the intermediate step and the form, each reported apart.

    Args:
        pairs: operands, shape (prompts, 2).
        tokens: sampled ids, PAD after the end, shape (prompts, group, up to 6).

    Returns:
        Judgement; a response without an end has no form and earns nothing.

    Raises:
        DomainError: operands or tokens out of range, shapes that do not fit.

    >>> judge([[27, 58]], [[[5, 13, 8, 14, 15, 15], [5, 12, 8, 14, 15, 15]]]).reward.round(2).tolist()
    [[1.15, 1.05]]

    Source: curriculum 5.4; the same verdicts as `pycore.verify.verify_numeric` on the answer's text.
    """
    operands = checked_pairs(pairs)
    given = integer("tokens", tokens, 0, len(TOKENS) - 1).astype(np.int64)
    if given.ndim != 3 or len(given) != len(operands) or given.shape[2] > RESPONSE_LENGTH:
        raise DomainError("tokens.shape", given.shape, f"({len(operands)}, group, up to {RESPONSE_LENGTH})")
    response = np.full((*given.shape[:2], RESPONSE_LENGTH), PAD)
    response[..., : given.shape[2]] = given
    units, first, tens, second, hundreds, last = np.moveaxis(response, -1, 0)
    start = (units < 10) & ((first == CARRY) | (first == CARRY + 1)) & (tens < 10)
    two = start & (second == END) & (tens > 0)
    three = start & ((second == CARRY) | (second == CARRY + 1)) & (hundreds < 10) & (hundreds > 0) & (last == END)
    form = two | three
    total = operands.sum(axis=1)[:, None]
    correct = form & (units + 10 * tens + 100 * np.where(three, hundreds, 0) == total)
    a, b = operands[:, :1], operands[:, 1:]
    carry = (a % 10 + b % 10 > 9).astype(np.int64)
    consistent = form & (first == CARRY + carry) & (tens == (a // 10 + b // 10 + carry) % 10)
    reward = WEIGHTS["correct"] * correct + WEIGHTS["consistent"] * consistent + WEIGHTS["form"] * form
    return Judgement(correct, consistent, form, reward)


def text(tokens: ArrayLike) -> str:
    """A row of token ids as a reader sees it.

    >>> text([5, 13, 8, 14, 15, 15])
    '5 c1 8 EOS'
    """
    ids = integer("tokens", tokens, 0, len(TOKENS) - 1).astype(np.int64)
    return " ".join(TOKENS[token] for token in ids if token != PAD)


def spoken(tokens: ArrayLike) -> str:
    """The number that a response states, as the digits say it, "" where it does not parse.

    >>> spoken([5, 13, 2, 13, 1, 14]), spoken([5, 14, 15, 15, 15, 15])
    ('125', '')
    """
    ids = integer("tokens", tokens, 0, len(TOKENS) - 1).astype(np.int64)
    if not judge([[LOWEST, LOWEST]], ids[None, None]).form[0, 0]:
        return ""
    return "".join(str(token) for token in ids[::-1] if token < 10)
