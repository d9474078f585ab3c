"""Coverage-guided fuzzing of `verify_numeric`: no exception, no hang, no second opinion.

Usage: python -m tests.benchmarks.fuzz_verifier --minutes 10 --record fuzz.json
Needs: atheris (it brings libFuzzer). Every input becomes a text, a reference and a contract; checked are

- no exception, whatever the text and the reference;
- an answer within a second of processor time: instrumented code is many times slower than the benchmark's;
- the same verdict again, as JSON;
- what was read is what is paid: a text's own exact value as the reference makes it correct;
- reward 1.0 for `correct` and 0.0 for every other reason, and the span lies in the text.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pycore.verify"]):
    from pycore.verify import COURSE, MARKER_ONLY, NumericContract, Reason, verify_numeric
    from pycore.verify.suite import suite

HANG_SECONDS = 1.0
CONTRACTS = (
    COURSE,
    MARKER_ONLY,
    NumericContract(decimal_comma="either", percent="drop", unit="any", foreign_digit=True),
    NumericContract(decimal_comma="decimal", tolerance="both", skip_thought=False),
    NumericContract(max_answer=50, max_digits=12, max_exponent=9, max_text=400),
)
REFERENCES = ("42", "1/2", "0.333333", "-7", "50%", "18 cm", "0", "1e999")
TOKENS = [
    "\\boxed{",
    "}",
    "\\frac{",
    "\\frac",
    "\\dfrac",
    "#### ",
    "<think>",
    "</think>",
    "$",
    "\\$",
    "€",
    "%",
    "\\%",
    "^",
    "^{",
    "_{",
    "/",
    "⁄",
    "½",
    "²",
    "⁻",
    "−",
    "–",
    ",",
    "{,}",
    "\\,",
    "\\!",
    " ",
    "\u202f",
    ".",
    "e",
    "E",
    "+",
    "-",
    "\\times 10^",
    "\\cdot",
    "x = ",
    "\\text{",
    "\\mathrm{",
    " cm",
    "^\\circ",
    "°",
    " million",
    " руб.",
    "\\infty",
    "nan",
    "0",
    "1",
    "9",
    "42",
    "٤",
    "４",
    "\u200b",
    "\u202e",
    "�",
    "\x00",
    "\n",
    "~",
    "*",
    "**",
    "(",
    "[",
    "=",
    ":",
]


class Record:
    """Counts of one session, written to a file now and then because libFuzzer ends the process by itself."""

    def __init__(self, path: Path) -> None:
        self.path, self.began = path, time.monotonic()
        self.executions = self.crashes = self.hangs = self.disagreements = 0
        self.slowest_ms = 0.0
        self.examples: list[str] = []
        self.reasons: dict[str, int] = {}

    def fault(self, kind: str, text: object, reference: object, contract: NumericContract) -> None:
        """Keeps the first hundred inputs that broke a promise."""
        if len(self.examples) < 100:
            self.examples.append(f"{kind}: {text!r} | {reference!r} | {CONTRACTS.index(contract)}"[:300])

    def write(self) -> None:
        """The counts so far."""
        self.path.write_text(
            json.dumps(
                {
                    "seconds": round(time.monotonic() - self.began, 1),
                    "executions": self.executions,
                    "crashes": self.crashes,
                    "hangs": self.hangs,
                    "nondeterminism": self.disagreements,
                    "slowest_ms": round(self.slowest_ms, 1),
                    "reasons": dict(sorted(self.reasons.items())),
                    "examples": self.examples,
                },
                indent=1,
            )
        )


def text_of(data: atheris.FuzzedDataProvider) -> str:
    """Either raw text or a string of tokens that the grammar knows."""
    if data.ConsumeBool():
        return data.ConsumeUnicode(data.ConsumeIntInRange(0, 200))
    parts = []
    for _ in range(data.ConsumeIntInRange(0, 24)):
        token = TOKENS[data.ConsumeIntInRange(0, len(TOKENS) - 1)]
        times = data.ConsumeIntInRange(1, 3) if data.ConsumeProbability() < 0.99 else data.ConsumeIntInRange(1, 2000)
        parts.append(token * times)
    return "".join(parts)


def one_input(raw: bytes, record: Record) -> None:
    """Checks every promise on one input."""
    data = atheris.FuzzedDataProvider(raw)
    contract = CONTRACTS[data.ConsumeIntInRange(0, len(CONTRACTS) - 1)]
    text = text_of(data)
    choice = data.ConsumeIntInRange(0, len(REFERENCES) + 1)
    reference = REFERENCES[choice] if choice < len(REFERENCES) else text_of(data)
    began = time.process_time()
    try:
        verdict = verify_numeric(text, reference, contract=contract)
        took = time.process_time() - began
        again = verify_numeric(text, reference, contract=contract)
        shown = json.dumps(verdict.to_dict())
        if shown != json.dumps(again.to_dict()) or repr(verdict) != repr(again):
            record.disagreements += 1
            record.fault("nondeterminism", text, reference, contract)
        span = verdict.span
        assert span is None or text[span.start : span.end] == span.text, "the span is not in the text"
        assert verdict.reward == float(verdict.reason is Reason.CORRECT), "reward and reason disagree"
        if verdict.value is not None:
            assert verify_numeric(text, verdict.value, contract=contract).correct, "its own value is refused"
    except Exception as error:  # whatever it is, the promise is broken
        record.crashes += 1
        record.fault(f"crash {error!r}", text, reference, contract)
        return
    record.executions += 1
    record.slowest_ms = max(record.slowest_ms, took * 1e3)
    record.reasons[verdict.reason] = record.reasons.get(verdict.reason, 0) + 1
    if took > HANG_SECONDS:
        record.hangs += 1
        record.fault("hang", text, reference, contract)
    if record.executions % 500 == 0:
        record.write()


def main() -> None:
    """Fuzzes for the given time, starting from the suites."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--record", type=Path, default=Path("fuzz.json"))
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    record = Record(wanted.record)
    with tempfile.TemporaryDirectory() as corpus:
        chance = random.Random(wanted.seed)
        for number, case in enumerate(suite()):
            if len(case.text) < 300:
                letters = case.text.encode("utf-8", "surrogatepass")
                Path(corpus, str(number)).write_bytes(letters + chance.randbytes(16))
        seconds = f"-max_total_time={int(wanted.minutes * 60)}"
        options = [sys.argv[0], corpus, seconds, "-max_len=4096", f"-seed={wanted.seed}", "-print_final_stats=1"]
        atheris.Setup(options, lambda raw: one_input(raw, record))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
