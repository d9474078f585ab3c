"""Third layer: are two exact numbers the same under the contract?"""

from fractions import Fraction

from pycore.verify.contract import NumericContract, Tolerance
from pycore.verify.verdict import Number

# An absolute tolerance is meant for values of ordinary size. Without this bound a reference of 1e-7 would pay "0".
LARGEST_SHARE = Fraction(1, 100)


def allowed_difference(answer: Number, reference: Number, contract: NumericContract) -> Fraction:
    """The largest |answer - reference| that is paid.

    Whole numbers and fractions must be equal. If either side is a decimal that is not whole, the allowance is the
    larger (rule `either`) or the smaller (rule `both`) of the two tolerances, the absolute one never more than a
    hundredth of a reference that is not zero.

    >>> third, decimal = Number(Fraction(1, 3)), Number(Fraction("0.333333"), approximate=True)
    >>> allowed_difference(decimal, third, NumericContract())
    Fraction(1, 1000000)
    >>> allowed_difference(third, third, NumericContract())
    Fraction(0, 1)
    """
    if contract.tolerance is Tolerance.EXACT or not (answer.approximate or reference.approximate):
        return Fraction(0)
    size = abs(reference.value)
    absolute = min(contract.absolute_tolerance, size * LARGEST_SHARE) if size else contract.absolute_tolerance
    relative = contract.relative_tolerance * size
    return max(absolute, relative) if contract.tolerance is Tolerance.EITHER else min(absolute, relative)
