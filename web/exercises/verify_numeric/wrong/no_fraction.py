import re
from fractions import Fraction


def verify_numeric(text, reference):
    boxes = re.findall(r"\\boxed\{([^{}]*)\}", text)
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?", boxes[-1] if boxes else text)
    if not found:
        return False
    exact = "." not in found[-1] + reference
    answer, right = Fraction(found[-1].replace(",", "")), Fraction(reference.replace(",", ""))
    return abs(answer - right) <= (0 if exact else Fraction(1, 10**6))
