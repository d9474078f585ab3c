"""The verifier's suites under each ready contract: cases, false positives and false negatives by kind, and differences.

python -m tests.benchmarks.suite
"""

import sys

from pycore.verify import BOXED_ONLY, COURSE, MARKER_ONLY
from pycore.verify.suite import compare_contracts, run_suite, suite

CONTRACTS = {"COURSE": COURSE, "BOXED_ONLY": BOXED_ONLY, "MARKER_ONLY": MARKER_ONLY}


def main() -> int:
    """Prints the report; the exit status says whether the course's own contract failed a case."""
    cases = suite()
    for name, contract in CONTRACTS.items():
        report = run_suite(cases, contract)
        print(f"{name} ({contract.digest()[:12]})")
        for tally in report.tallies:
            wrong = f"FP {tally.false_positives}/{tally.wrong_answers}"
            right = f"FN {tally.false_negatives}/{tally.right_answers}"
            print(f"  {tally.kind:12} {tally.cases:4} cases   {wrong:10} {right}")
    for name in ("BOXED_ONLY", "MARKER_ONLY"):
        print(f"COURSE and {name} differ on {len(compare_contracts(cases, COURSE, CONTRACTS[name]))} cases")
    failures = run_suite(cases, COURSE).failures
    for case, verdict in failures:
        print(f"  {case.kind}: {case.text[:60]!r} against {case.reference!r}: {verdict.reason} ({case.reason})")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
