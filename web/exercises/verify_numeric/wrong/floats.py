import re


def value(written):
    top, _, bottom = written.replace(",", "").partition("/")
    return float(top) / float(bottom or 1)


def verify_numeric(text, reference):
    boxes = re.findall(r"\\boxed\{([^{}]*)\}", text)
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?", boxes[-1] if boxes else text)
    if not found or "/0" in found[-1]:
        return False
    return abs(value(found[-1]) - value(reference)) <= 1e-6
