"""How many different answers a policy really has: effective support, distinct answers under a budget, strategies."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import scalar, whole
from pycore.domain import Array, DomainError, integer
from pycore.pass_at_k import expected_pass_at_k, pass_at_k
from pycore.tilt import distribution


def effective_support(probability: ArrayLike, order: float = 1.0) -> float:
    """Number of equally likely answers with the same diversity (Hill number).

    Args:
        probability: of each answer, sums to 1, shape (answers,).
        order: >= 0: 0 counts every possible answer, 1 is exp(entropy), 2 is one over the chance that two answers
            agree, inf is one over the largest probability.

    Returns:
        From 1 to the number of possible answers, never rising with the order.

    Raises:
        DomainError: probabilities that do not sum to 1, a negative order.

    >>> effective_support([0.5, 0.5, 0.0]), round(effective_support([0.9, 0.1]), 3)
    (2.0, 1.384)

    Source: Hill (1973).
    """
    p = distribution("probability", probability)
    p = p[p > 0]
    power = scalar("order", order, 0, np.inf)
    if power == np.inf:
        return float(1 / p.max())
    # The limit; closer to 1 the general formula divides rounding by almost nothing.
    if abs(power - 1) < 1e-8:
        return float(np.exp(-(p * np.log(p)).sum()))
    # Scaling by the largest probability keeps high powers away from underflow.
    top = np.log(p.max())
    log_sum = power * top + np.log(np.exp(power * (np.log(p) - top)).sum())
    return float(np.exp(log_sum / (1 - power)))


def expected_distinct(probability: ArrayLike, draws: int) -> float:
    """Expected number of different answers among independent draws: the support under a budget.

    Args:
        probability: of each answer, sums to 1, shape (answers,).
        draws: >= 1.

    Returns:
        sum over answers of 1 - (1 - p)^draws, from 1 to draws.

    Raises:
        DomainError: probabilities that do not sum to 1, draws < 1.

    >>> expected_distinct([0.5, 0.5], 2)
    1.5

    Source: counting argument.
    """
    return float(expected_pass_at_k(distribution("probability", probability), whole("draws", draws, 1)).sum())


def rarefied_distinct(counts: ArrayLike, draws: int) -> float:
    """Unbiased estimate of `expected_distinct` from counted answers, to compare samples of different size.

    Args:
        counts: how often each different answer occurred, integers >= 0, shape (answers,), at least one occurrence.
        draws: from 1 to the number of answers counted.

    Returns:
        Expected number of different answers in a random part of that size.

    Raises:
        DomainError: no occurrences, more draws than were counted.

    >>> rarefied_distinct([2, 2], 2).__round__(4)
    1.6667

    Source: Hurlbert (1971); each term is pass@k of one answer.
    """
    seen = integer("counts", counts, 0)
    if seen.ndim != 1 or seen.sum() == 0:
        raise DomainError("counts", seen.tolist(), "one axis with at least one occurrence")
    return float(pass_at_k(np.full(seen.shape, seen.sum()), seen, whole("draws", draws, 1, seen.sum())).sum())


def distinct_share(answers: Sequence[str]) -> float:
    """Share of different strings among answers; it falls with the number of answers, so compare equal numbers.

    Args:
        answers: at least one.

    Returns:
        In (0, 1].

    Raises:
        DomainError: no answers, or one string in place of a list.

    >>> distinct_share(["7", "7", "8", "9"])
    0.75

    Source: definition.
    """
    if isinstance(answers, str) or len(answers) == 0:
        raise DomainError("answers", answers, "a list of at least one string")
    return len(set(answers)) / len(answers)


def distinct_rows(tokens: ArrayLike) -> Array:
    """Share of different answers among the answers to each prompt, all prompts at once.

    Args:
        tokens: token ids, whole numbers >= 0, shape (prompts, samples, tokens), none of them empty.

    Returns:
        Shape (prompts,), in [1/samples, 1].

    Raises:
        DomainError: another shape, ids that are not such numbers or above 2^31 - 1.

    >>> distinct_rows([[[1, 2], [1, 2]], [[1, 2], [2, 1]]]).tolist()
    [0.5, 1.0]

    Source: definition.
    """
    given = integer("tokens", tokens, 0, 2**31 - 1).astype(np.int64)
    if given.ndim != 3 or given.size == 0:
        raise DomainError("tokens.shape", given.shape, "(prompts, samples, tokens), all at least 1")
    label = np.zeros(given.shape[0] * given.shape[1], dtype=np.int64)
    # Equal beginnings have equal labels; a token more splits them. Labels stay below the number of rows.
    for token in given.reshape(len(label), -1).T:
        label = np.unique(label * (int(token.max()) + 1) + token, return_inverse=True)[1].ravel()
    ordered = np.sort(label.reshape(given.shape[:2]), axis=1)
    return np.asarray((1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)) / given.shape[1])


def strategy_coverage(counts: ArrayLike, k: int) -> Array:
    """Share of the known strategies that k answers to a prompt can be expected to show, unbiased.

    Args:
        counts: answers that used each strategy, integers >= 0, shape (prompts, strategies); every answer uses
            exactly one, so a row sums to that prompt's samples.
        k: from 1 to the smallest number of samples of a prompt.

    Returns:
        Shape (prompts,), in [1 / strategies, 1].

    Raises:
        DomainError: a malformed table, a prompt without samples, k larger than its samples.

    >>> strategy_coverage([[4, 0], [2, 2]], 2).round(4).tolist()
    [0.5, 0.8333]

    Source: mean over strategies of pass@k with "used this strategy" in the place of "correct".
    """
    used = integer("counts", counts, 0)
    if used.ndim != 2 or used.size == 0:
        raise DomainError("counts.shape", used.shape, "(prompts, strategies), at least one of each")
    samples = np.broadcast_to(used.sum(axis=1, keepdims=True), used.shape)
    if not samples.all():
        raise DomainError("counts", f"no samples in row {int(np.argmin(samples[:, 0]))}", "at least one in each row")
    return np.asarray(pass_at_k(samples, used, k).mean(axis=1))
