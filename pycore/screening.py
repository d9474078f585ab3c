"""What a check lets through: the undeserved share of what is paid, and how long an error escapes random tests."""

import numpy as np
from numpy.typing import ArrayLike

from pycore.argument import scalar
from pycore.domain import Array, within


def paid_share(right: ArrayLike, false_positive: ArrayLike, false_negative: ArrayLike = 0.0) -> Array:
    """Share of all answers that a check pays.

    Args:
        right: share a of answers that are right, in [0, 1], shape (...).
        false_positive: share alpha of the wrong answers that is paid, in [0, 1], broadcastable.
        false_negative: share eta of the right answers that is refused, in [0, 1], broadcastable.

    Returns:
        (1 - eta) a + alpha (1 - a), shape of the broadcast inputs.

    Raises:
        DomainError: a share outside [0, 1].

    >>> paid_share([0.2], 0.05, 0.1).round(4)
    array([0.22])

    Source: law of total probability (curriculum 1.3).
    """
    a, alpha = within("right", right, 0, 1), within("false_positive", false_positive, 0, 1)
    return np.asarray((1 - within("false_negative", false_negative, 0, 1)) * a + alpha * (1 - a))


def undeserved_share(right: ArrayLike, false_positive: ArrayLike, false_negative: ArrayLike = 0.0) -> Array:
    """Share of the paid answers that are wrong: what part of the praise goes to errors.

    Args:
        right: share of answers that are right, in [0, 1], shape (...).
        false_positive: share of the wrong answers that is paid, in [0, 1], broadcastable.
        false_negative: share of the right answers that is refused, in [0, 1], broadcastable.

    Returns:
        alpha (1 - a) / ((1 - eta) a + alpha (1 - a)), NaN where nothing is paid.

    Raises:
        DomainError: a share outside [0, 1].

    >>> undeserved_share([0.2], 0.05, 0.1).round(4)
    array([0.1818])

    Source: Bayes' rule (curriculum 1.3).
    """
    paid = paid_share(right, false_positive, false_negative)
    wrong = np.asarray(false_positive, np.float64) * (1 - np.asarray(right, np.float64))
    share: Array = np.divide(wrong, paid, out=np.full(paid.shape, np.nan), where=paid > 0)
    return share


def escape_probability(wrong: ArrayLike, tests: ArrayLike) -> Array:
    """Probability that a program which errs on a share of all inputs passes tests at random inputs.

    Args:
        wrong: share q of inputs with a wrong result, in [0, 1], shape (...).
        tests: number n of independent random tests, at least 0, broadcastable.

    Returns:
        (1 - q)^n; 1 without tests.

    Raises:
        DomainError: a share outside [0, 1], a negative number of tests.

    >>> escape_probability([0.0075], 50).round(3)
    array([0.686])

    Source: independent draws of the inputs.
    """
    q, n = within("wrong", wrong, 0, 1), within("tests", tests, 0, np.inf, open_high=True)
    return np.asarray((1 - q) ** n)


def fewest_tests(wrong: ArrayLike, level: float = 0.95) -> Array:
    """Fewest random tests that catch a program which errs on a share of all inputs with the wanted probability.

    Args:
        wrong: share q of inputs with a wrong result, in [0, 1], shape (...).
        level: wanted probability of at least one failure, in (0, 1).

    Returns:
        The least whole n with (1 - q)^n <= 1 - level; infinity where nothing is wrong.

    Raises:
        DomainError: a share outside [0, 1], a level outside (0, 1).

    >>> fewest_tests([0.0075, 0.2425, 0, 1])
    array([398.,  11.,  inf,   1.])

    Source: independent draws; about 3/q at 95 %, the rule of three.
    """
    q = within("wrong", wrong, 0, 1)
    miss = 1 - scalar("level", level, 0, 1, open_low=True, open_high=True)
    # log1p(-1) is minus infinity: one test is then enough, and log1p(0) = 0 asks for infinitely many.
    with np.errstate(divide="ignore"):
        exact = np.log(miss) / np.log1p(-q)
    # A quotient that is a whole number may come out a rounding above it.
    return np.asarray(np.maximum(1.0, np.ceil(exact - 1e-9)))
