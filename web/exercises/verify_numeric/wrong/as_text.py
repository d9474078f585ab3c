import re


def verify_numeric(text, reference):
    boxes = re.findall(r"\\boxed\{([^{}]*)\}", text)
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?", boxes[-1] if boxes else text)
    return bool(found) and found[-1] == reference
