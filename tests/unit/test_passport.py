"""Oracle: the entries the course asks for (curriculum 1.3, 5.1, 5.2), and Python's json and hashlib."""

import hashlib
import json
from dataclasses import fields

import pytest

from pycore.domain import DomainError
from pycore.passport import (
    PASSPORTS,
    DataPassport,
    Entry,
    Passport,
    RolloutPassport,
    UpdatePassport,
    VerifierPassport,
    json_digest,
    read_passport,
)
from pycore.protocol import PRESETS, Protocol
from pycore.verify import COURSE, NumericContract, Reason
from pycore.verify.suite import run_suite, suite

ROLLOUT = {
    "prompt_id": "a+b/17",
    "prompt_tokens": [5, 3, 9],
    "group_id": "17",
    "group_size": 8,
    "response_tokens": [4, 2, 1],
    "active_mask": [1, 1, 1],
    "old_log_probs": [-0.7, -1.4, -0.2],
    "generator_weights": "step 40",
    "decoding": {"temperature": 1.0, "top_p": 1.0},
    "seed": 1,
    "rewards": {"accuracy": 1.0, "format": 0.1},
    "parse_result": "correct",
    "stop_reason": "eos",
    "length_before_truncation": 3,
    "length": 3,
}


def test_an_empty_passport_misses_every_required_entry():
    for form in PASSPORTS.values():
        missing = dict(form().missing())
        optional = {"execution", "base_log_probs"}
        assert set(missing) == {field.name for field in fields(form)} - optional
        assert all(missing.values())


def test_a_filled_passport_misses_nothing():
    assert RolloutPassport(**ROLLOUT).missing() == ()
    partly = RolloutPassport(**{**ROLLOUT, "stop_reason": "", "seed": None})
    assert [name for name, _ in partly.missing()] == ["seed", "stop_reason"]


def test_zero_is_an_answer_and_not_a_gap():
    passport = VerifierPassport(false_positive_rate=0)
    assert "false_positive_rate" not in dict(passport.missing())


def test_contract_and_suites_are_embedded_and_not_retyped():
    report = run_suite(suite("positive", "negative"))
    passport = VerifierPassport(
        name="numeric", contract=COURSE, suites=report, refusal_reasons=[str(reason) for reason in Reason]
    )
    assert NumericContract.from_dict(passport.contract) == COURSE
    assert passport.contract_digest == COURSE.digest()
    assert passport.suites == report.to_dict()


def test_a_protocol_is_embedded_as_it_is_or_as_a_mapping():
    protocol = PRESETS["dapo"]
    passport = UpdatePassport(protocol=protocol)
    assert passport == UpdatePassport(protocol=protocol.to_dict())
    assert Protocol.from_json(json.dumps(passport.protocol)) == protocol


@pytest.mark.parametrize(
    "passport",
    [
        RolloutPassport(**ROLLOUT),
        VerifierPassport(name="проверка", contract=COURSE),
        DataPassport(initial_success=[0, 0.25, 1], split_seed=0),
        UpdatePassport(protocol={"clip": 0.2}, generator_mismatch=0.01),
    ],
)
def test_a_passport_survives_json_and_keeps_its_hash(passport):
    again = read_passport(json.loads(passport.to_json()))
    assert again == passport
    assert type(again) is type(passport)
    plain = json.dumps(passport.to_dict(), sort_keys=True)
    assert again.digest() == passport.digest() == hashlib.sha256(plain.encode()).hexdigest()


def test_one_changed_entry_changes_the_hash():
    assert RolloutPassport(**ROLLOUT).digest() != RolloutPassport(**{**ROLLOUT, "seed": 2}).digest()


def test_an_embedded_mapping_is_a_copy():
    decoding = {"temperature": 1.0}
    passport = RolloutPassport(decoding=decoding)
    before = passport.digest()
    decoding["temperature"] = 2.0
    assert passport.digest() == before


@pytest.mark.parametrize(
    ("form", "name", "value", "allowed"),
    [
        (VerifierPassport, "false_positive_rate", 1.5, "a finite number from 0 to 1"),
        (VerifierPassport, "false_positive_rate", float("nan"), "a finite number"),
        (VerifierPassport, "sample_size", 0, "an integer from 1 to inf"),
        (VerifierPassport, "sample_size", 10.5, "an integer"),
        (VerifierPassport, "name", 7, "text"),
        (VerifierPassport, "contract", "strict", "a mapping"),
        (VerifierPassport, "contract", {"tolerance": float("inf")}, "JSON values"),
        (DataPassport, "stop_reasons", "eos", "a list"),
        (DataPassport, "initial_success", [0.5, 2], "from 0 to 1"),
        (RolloutPassport, "seed", True, "an integer"),
        (RolloutPassport, "active_mask", [1, 2], "from 0 to 1"),
        (RolloutPassport, "old_log_probs", [0.1], "from -inf to 0"),
        (RolloutPassport, "old_log_probs", [float("-inf")], "a finite number"),
        (UpdatePassport, "protocol", [1], "a mapping"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(form, name, value, allowed):
    with pytest.raises(DomainError, match=allowed) as caught:
        form(**{name: value})
    assert caught.value.argument == name


def test_per_token_lists_must_have_the_responses_length():
    with pytest.raises(DomainError, match=r"len\(old_log_probs\) = 2: allowed is 3"):
        RolloutPassport(**{**ROLLOUT, "old_log_probs": [-0.7, -1.4]})
    with pytest.raises(DomainError, match="length before truncation"):
        RolloutPassport(**{**ROLLOUT, "length_before_truncation": 2})


def test_unknown_kinds_fields_and_versions_are_refused():
    with pytest.raises(DomainError, match="verifier, data, rollout, update"):
        read_passport({"kind": "model"})
    with pytest.raises(DomainError, match="the fields"):
        read_passport({"kind": "data", "licence": "MIT"})
    with pytest.raises(DomainError, match="passport/1"):
        read_passport({"kind": "data", "version": "passport/0"})
    with pytest.raises(DomainError, match="kind = 'update'"):
        DataPassport.from_dict({"kind": "update"})


def test_every_entry_says_what_it_means():
    for form in PASSPORTS.values():
        assert issubclass(form, Passport)
        for field in fields(form):
            (entry,) = field.type.__metadata__
            assert isinstance(entry, Entry)
            assert len(entry.meaning) > 4


@pytest.mark.parametrize("name", PRESETS)
def test_the_projects_own_protocol_is_embedded_and_comes_back(name):
    passport = UpdatePassport(protocol=PRESETS[name])
    assert Protocol.from_json(json.dumps(passport.protocol)) == PRESETS[name]
    assert json_digest(passport.protocol) == PRESETS[name].digest()


@pytest.mark.parametrize("nothing", [" ", "\n\t"])
def test_an_entry_that_says_nothing_is_missing(nothing):
    passport = UpdatePassport(precision=nothing, optimizer={"name": None, "schedule": {"kind": nothing}}, devices=1)
    assert {"precision", "optimizer"} <= set(dict(passport.missing()))
    assert "devices" not in dict(passport.missing())
    assert "optimizer" not in dict(UpdatePassport(optimizer={"momentum": 0, "nesterov": False}).missing())


def test_a_rollouts_length_is_that_of_its_tokens():
    with pytest.raises(DomainError, match="length = 5"):
        RolloutPassport(**{**ROLLOUT, "length": 5, "length_before_truncation": 9})
