"""Passports: what must be known of verifier, data, rollout and update to redo a run, or to dispute it."""

from pycore.passport.compare import Comparison, Difference, Role, bits, comparison, differences, role
from pycore.passport.entry import read_entries
from pycore.passport.form import Entry, Passport, json_digest
from pycore.passport.record import (
    PASSPORTS,
    DataPassport,
    RolloutPassport,
    UpdatePassport,
    VerifierPassport,
    read_passport,
)

__all__ = [
    "PASSPORTS",
    "Comparison",
    "DataPassport",
    "Difference",
    "Entry",
    "Passport",
    "Role",
    "RolloutPassport",
    "UpdatePassport",
    "VerifierPassport",
    "bits",
    "comparison",
    "differences",
    "json_digest",
    "read_entries",
    "read_passport",
    "role",
]
