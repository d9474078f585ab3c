"""Passports: what must be known of verifier, data, rollout and update to redo a run, or to dispute it."""

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
    "DataPassport",
    "Entry",
    "Passport",
    "RolloutPassport",
    "UpdatePassport",
    "VerifierPassport",
    "json_digest",
    "read_passport",
]
