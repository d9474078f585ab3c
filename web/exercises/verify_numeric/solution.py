import re
from fractions import Fraction

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?")


def value(written):
    top, _, bottom = written.replace(",", "").partition("/")
    return Fraction(top) / Fraction(bottom or 1)


def verify_numeric(text, reference):
    boxes = re.findall(r"\\boxed\{([^{}]*)\}", text)
    found = NUMBER.findall(boxes[-1] if boxes else text)
    if not found:
        return False
    try:
        answer, right = value(found[-1]), value(reference)
    except ZeroDivisionError:
        return False
    exact = "." not in found[-1] + reference
    return abs(answer - right) <= (0 if exact else Fraction(1, 10**6))


print(verify_numeric(r"First 41, then \boxed{42}.", "42"))
print(verify_numeric("The answer is 6/14", "3/7"))
