import re
from fractions import Fraction


def verify_numeric(text, reference):
    ...


print(verify_numeric(r"First 41, then \boxed{42}.", "42"))
print(verify_numeric("The answer is 6/14", "3/7"))
