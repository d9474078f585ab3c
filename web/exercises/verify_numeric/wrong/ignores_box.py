import re
from fractions import Fraction


def value(written):
    top, _, bottom = written.replace(",", "").partition("/")
    return Fraction(top) / Fraction(bottom or 1)


def verify_numeric(text, reference):
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?", text)
    if not found or "/0" in found[-1]:
        return False
    exact = "." not in found[-1] + reference
    return abs(value(found[-1]) - value(reference)) <= (0 if exact else Fraction(1, 10**6))
