"""Verifiers: programs that decide what a policy is paid for, in layers that can be watched.

extract -> canonicalise -> compare -> reward
"""

from pycore.verify.contract import (
    BOXED_ONLY,
    COURSE,
    MARKER_ONLY,
    DecimalComma,
    NumericContract,
    Percent,
    Source,
    Tolerance,
    Unit,
)
from pycore.verify.numeric import canonical_reference, verify_numeric
from pycore.verify.verdict import Layer, Number, Reason, Refusal, Span, Verdict

__all__ = [
    "BOXED_ONLY",
    "COURSE",
    "MARKER_ONLY",
    "DecimalComma",
    "Layer",
    "Number",
    "NumericContract",
    "Percent",
    "Reason",
    "Refusal",
    "Source",
    "Span",
    "Tolerance",
    "Unit",
    "Verdict",
    "canonical_reference",
    "verify_numeric",
]
