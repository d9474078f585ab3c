"""Oracle: pycore.verify.numeric.verify_numeric under the course's contract."""

from pycore.verify import numeric
from web.exercises.folder import Check


def oracle(text: str, reference: str) -> bool:
    """Whether the course's own verifier pays."""
    return numeric.verify_numeric(text, reference).reward == 1.0


ORACLES = {"verify_numeric": oracle}
CHECKS = [
    Check("last_number", [("First 41, then 42", "42"), ("I get 42, then 43", "42")]),
    Check("box", [(r"The sum is \boxed{42}. There were 7 steps", "42"), (r"\boxed{41} and 42", "42")]),
    Check("last_box", [(r"\boxed{41}? No, \boxed{42}", "42"), (r"\boxed{42}? No, \boxed{41}", "42")]),
    Check("fractions", [("The answer is 6/14", "3/7"), (r"\boxed{3/7}", "0.428571"), (r"\boxed{3/8}", "3/7")]),
    Check("thousands", [("It costs 1,234,567", "1234567"), (r"\boxed{42.0}", "42")], hidden=True),
    Check("minus", [("The result is -5", "5"), (r"\boxed{-5}", "-5")], hidden=True),
    Check(
        "exact",
        [("12345678901234567891", "12345678901234567890"), ("1000000000000000000001", "1000000000000000000001")],
        hidden=True,
    ),
    Check("nothing", [("I do not know", "42"), (r"\boxed{1/0}", "0"), ("", "1")], hidden=True),
    Check("reasoning", [("42 is tempting, but the answer is 43", "42"), ("x = 42 leads to 421", "42")], hidden=True),
]
