"""How fast verdicts are: hostile inputs one by one, ordinary ones by the thousand, Math-Verify on the same ones.

Usage: python -m tests.benchmarks.verifier [--json]
Bounds of the project: 50 ms for any hostile input, 20,000 ordinary verdicts a second, 50 times Math-Verify in one run.
Each figure is the median over rounds, in processor time of this thread, since the machine may be shared; Math-Verify
runs between our own rounds, so that both see the same machine.
"""

import argparse
import json
import logging
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable

from pycore.verify import COURSE, MARKER_ONLY, NumericContract, verify_numeric
from pycore.verify.suite import suite

MEGABYTE = 1_000_000
LENIENT = NumericContract(decimal_comma="either", percent="drop", unit="any", foreign_digit=True)

# What models write on arithmetic and school mathematics: text and reference, {a} to {d} to be filled in.
FORMS = [
    ("{a} + {b} = {c}, and a few more make it {d}. The answer is \\boxed{{{d}}}.", "{d}"),
    ("So the total is ${a}{{,}}{b}$ and \\boxed{{{a},{b}}}", "{a}{b}"),
    ("{a} of {b} remain: \\boxed{{\\frac{{{a}}}{{{b}}}}}", "{a}/{b}"),
    ("<think>{a} + {b} is {c}? No, {d}.</think>\\boxed{{{d}}}", "{d}"),
    ("The speed is \\boxed{{{a} \\text{{ km/h}}}}.", "{a}"),
    ("Therefore x = \\boxed{{-{b}}}.", "-{b}"),
    ("We get \\boxed{{0.{a}}} of the cake.", "0.{a}"),
    ("I believe the result is \\boxed{{{a}}}.", "{b}"),
    ("Natalia sold {a} + {b} = {c} clips.\n#### {c}", "{c}"),
    ("Each costs ${a}, so the sum is \\boxed{{\\${d}}}.", "{d}"),
    ("The answer is {c}", "{c}"),
    ("That makes \\boxed{{{a}\\%}} of the class.", "{a}%"),
    ("Answer: \\boxed{{{c}}}", "{d}"),
    ("{a} * {b} = {c}, then {c} + {a} = {d}, so \\boxed{{{d}}}", "{d}"),
    ("\\boxed{{{a}.{b}}}", "{a}.{b}"),
    ("There is no such number.", "{c}"),
]


def ordinary(seed: int = 1, times: int = 20) -> list[tuple[str, str]]:
    """Distinct responses and references: Math-Verify remembers the last few it has parsed."""
    chance = random.Random(seed)
    cases = []
    for _ in range(times):
        for text, reference in FORMS:
            a, b = chance.randint(100, 999), chance.randint(100, 999)
            numbers = {"a": a, "b": b, "c": a + b, "d": a * b}
            cases.append((text.format(**numbers), reference.format(**numbers)))
    return cases


def hostile() -> dict[str, tuple[str, str]]:
    """Inputs made to be slow, by name."""
    answers = {
        "a million digits": "9" * MEGABYTE,
        "four thousand digits": "7" * 4000,
        "fraction of four thousand digits": "7" * 4000 + "/" + "9" * 4000,
        "10^400": "10^400",
        "1e999": "1e999",
        "9**9**9": "9**9**9",
        "9^{9^9}": "9^{9^9}",
        "9^{999999999}": "9^{999999999}",
        "a thousand braces": "{" * 1000 + "42" + "}" * 1000,
        "ten thousand braces": "{" * 5000 + "}" * 4999,
        "nested fractions": "\\frac{" * 1600 + "1",
        "nested texts": "1\\text{" * 1400,
        "ten thousand one-character fractions": "½" * 10_000,
        "superscripts": "1²" * 5000,
        "carets": "1" + "^ " * 4900,
        "minus signs": "-" * 9999,
        "spaces": "1" + " " * 9990 + "2",
        "commas": "1," * 5000,
        "roubles": "9" + " руб." * 1900,
        "__import__('os')": "__import__('os')",
        "{x.__class__}": "{x.__class__}",
        "lone surrogate": "\ud800",
        "NUL": "4\x002",
    }
    texts = {
        "a megabyte of letters": "x" * MEGABYTE,
        "a megabyte of Russian": "ж" * MEGABYTE,
        "a megabyte of digits": "9" * MEGABYTE,
        "a megabyte of open braces": "{" * MEGABYTE,
        "a megabyte of spaces": " " * MEGABYTE + "42",
        "a megabyte of NUL": "\x00" * MEGABYTE,
        "a megabyte of bidirectional marks": "\u202e" * MEGABYTE + "42",
        "a megabyte of zero-width spaces": "4\u200b" * (MEGABYTE // 2),
        "a megabyte of lone surrogates": "\ud800" * MEGABYTE,
        "a megabyte of stars": "*" * (MEGABYTE // 2) + "42" + "*" * (MEGABYTE // 2),
        "a megabyte of dollars": "$" * MEGABYTE,
        "a megabyte of ones": "1 " * (MEGABYTE // 2),
        "a megabyte of slashes": "1/" * (MEGABYTE // 2),
        "a megabyte of full-width digits": "４" * MEGABYTE,
        "a megabyte of markers": "####\n" * (MEGABYTE // 5),
        "a megabyte of thoughts": "<think></think>" * (MEGABYTE // 15) + "42",
        "a megabyte before the box": "x " * (MEGABYTE // 2) + "\\boxed{42}",
        "100,000 boxes": "\\boxed{42}" * 100_000,
        "100,000 open boxes": "\\boxed{" * 100_000,
        "100,000 nested boxes": "\\boxed{" * 100_000 + "42" + "}" * 100_000,
        "a megabyte of fractions": "\\frac{1}{2}" * (MEGABYTE // 11),
    }
    cases = {name: (text, "42") for name, text in texts.items()}
    cases |= {f"{name}, boxed": (f"\\boxed{{{answer}}}", "42") for name, answer in answers.items()}
    cases |= {f"{name}, as reference": ("\\boxed{42}", answer) for name, answer in answers.items()}
    cases |= {f"{name}, free": (answer, "42") for name, answer in answers.items()}
    return cases | {f"suite: {case.reason}": (case.text, case.reference) for case in suite("adversarial")}


def milliseconds(text: str, reference: str, contract: NumericContract, rounds: int = 5) -> float:
    """Median time of one verdict."""
    spent = []
    for _ in range(rounds):
        began = time.thread_time()
        verify_numeric(text, reference, contract=contract)
        spent.append(time.thread_time() - began)
    return statistics.median(spent) * 1e3


def per_second(judge: Callable[[str, str], object], cases: list[tuple[str, str]]) -> float:
    """Verdicts a second over the cases."""
    began = time.thread_time()
    for text, reference in cases:
        judge(text, reference)
    return len(cases) / (time.thread_time() - began)


def math_verify_judge() -> Callable[[str, str], object] | None:
    """Math-Verify without its timeouts, which only slow it down; None where it is not installed."""
    try:
        from math_verify import parse, verify
    except ImportError:
        return None
    logging.disable(logging.CRITICAL)
    return lambda text, reference: verify(
        parse(f"${reference}$", parsing_timeout=None), parse(text, parsing_timeout=None), timeout_seconds=None
    )


def measure(rounds: int = 9) -> dict[str, object]:
    """All figures of the benchmark."""
    contracts = {"course": COURSE, "marker only": MARKER_ONLY, "lenient": LENIENT}
    slowest = {
        name: sorted(((milliseconds(*case, contract), label) for label, case in hostile().items()), reverse=True)
        for name, contract in contracts.items()
    }
    ours, theirs, other = [], [], math_verify_judge()
    for seed in range(rounds):
        ours.append(per_second(verify_numeric, ordinary(seed, 200)))
        if other is not None:
            theirs.append(per_second(other, ordinary(seed)))
    ratios = [a / b for a, b in zip(ours, theirs, strict=False)]
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "hostile_cases": len(hostile()) * len(contracts),
        "hostile_slowest_ms": {
            name: [(round(ms, 2), label) for ms, label in rows[:3]] for name, rows in slowest.items()
        },
        "hostile_median_ms": round(statistics.median(ms for rows in slowest.values() for ms, _ in rows), 4),
        "ordinary_per_second": round(statistics.median(ours)),
        "math_verify_per_second": round(statistics.median(theirs), 1) if theirs else None,
        "times_math_verify": round(statistics.median(ratios)) if ratios else None,
    }


def main() -> int:
    """Prints the figures; the exit status says whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    wanted = parser.parse_args()
    figures = measure()
    if wanted.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:24} {value}")
    slowest = max(rows[0][0] for rows in figures["hostile_slowest_ms"].values())  # type: ignore[attr-defined]
    ratio = figures["times_math_verify"]
    holds = slowest <= 50 and figures["ordinary_per_second"] >= 20_000 and (ratio is None or ratio >= 50)  # type: ignore[operator]
    print("bounds hold" if holds else "bounds broken", file=sys.stderr)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
