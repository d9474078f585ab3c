"""Oracle: the curriculum's division of passports (1.3, 5.1, 5.2) written out here, hashlib, and differences by hand."""

import hashlib
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycore.domain import DomainError
from pycore.passport import (
    PASSPORTS,
    Comparison,
    DataPassport,
    Difference,
    Role,
    RolloutPassport,
    UpdatePassport,
    VerifierPassport,
    bits,
    comparison,
    differences,
    read_entries,
    role,
)
from pycore.protocol import PRESETS
from pycore.verify import COURSE, NumericContract

DATA, VERIFIER = DataPassport(name="sums", split_rule="by unordered pair"), VerifierPassport(contract=COURSE)
UPDATE = UpdatePassport(protocol=PRESETS["grpo"], devices=1)


def told(left, right):
    found = differences([left], [right])
    return [one.entry for one in found], comparison(found)


def test_one_record_is_the_same_as_itself():
    assert told(DATA, DATA) == ([], Comparison.SAME)


@pytest.mark.parametrize(
    ("left", "right", "entries", "wanted"),
    [
        (DATA, DataPassport(name="sums", split_rule="by ordered pair"), ["split_rule"], Comparison.YARDSTICK),
        (DATA, DataPassport(name="other sums", split_rule="by unordered pair"), ["name"], Comparison.MEASURED),
        (
            VERIFIER,
            VerifierPassport(contract=NumericContract(skip_thought=False)),
            ["contract.skip_thought"],
            Comparison.YARDSTICK,
        ),
        (VERIFIER, VerifierPassport(contract=COURSE, sample_size=50), ["sample_size"], Comparison.MEASURED),
        (RolloutPassport(seed=1), RolloutPassport(seed=2, length=3), ["seed", "length"], Comparison.REPEAT),
        (
            RolloutPassport(decoding={"temperature": 1.0}),
            RolloutPassport(decoding={"temperature": 0.7}),
            ["decoding.temperature"],
            Comparison.EXPERIMENT,
        ),
        (UPDATE, UpdatePassport(protocol=PRESETS["grpo"], devices=2), ["devices"], Comparison.EXPERIMENT),
        (
            UPDATE,
            UpdatePassport(protocol=PRESETS["dr_grpo"], devices=1),
            ["protocol.scale", "protocol.aggregation", "protocol.kl_coefficient"],
            Comparison.CONFOUNDED,
        ),
    ],
)
def test_what_differs_decides_what_may_be_said(left, right, entries, wanted):
    found, said = told(left, right)
    assert sorted(found) == sorted(entries)
    assert said is wanted


def test_a_yardstick_outweighs_everything_and_a_treatment_outweighs_chance():
    seed, rate = Difference("rollout", "seed", 1, 2), Difference("update", "optimizer.learning_rate", 1e-6, 2e-6)
    split = Difference("data", "split_rule", "a", "b")
    assert comparison([seed, rate]) is Comparison.EXPERIMENT
    assert comparison([seed, rate, split]) is Comparison.YARDSTICK


def test_every_entry_of_every_form_has_a_role():
    for kind, form in PASSPORTS.items():
        assert all(role(kind, field.name) in Role for field in fields(form))
    with pytest.raises(DomainError, match="entry = 'colour'"):
        role("data", "colour")
    with pytest.raises(DomainError, match="kind = 'model'"):
        role("model", "name")


def test_a_key_that_one_side_lacks_is_a_difference_too():
    (found,) = differences(
        [UpdatePassport(optimizer={"name": "Adam"})], [UpdatePassport(optimizer={"name": "Adam", "max_norm": 1.0})]
    )
    assert (found.entry, found.left, found.right) == ("optimizer.max_norm", None, 1.0)


def test_passports_of_other_kinds_are_not_compared():
    with pytest.raises(DomainError, match="passports of data"):
        differences([DATA], [VERIFIER])


def test_bits_are_those_of_the_number():
    digest = hashlib.sha256(b"passport").hexdigest()
    assert int("".join(map(str, bits(digest).astype(int))), 2) == int(digest, 16)
    with pytest.raises(DomainError, match="64 hexadecimal"):
        bits("xyz")


def test_about_half_of_the_bits_turn_whatever_is_changed():
    others = (DataPassport(name="sums", split_rule="by unordered pair", split_seed=seed) for seed in range(200))
    turned = [np.sum(bits(DATA.digest()) ^ bits(other.digest())) for other in others]
    # 256 fair coins: mean 128, deviation 8; of the mean over 200 of them 8 / sqrt(200).
    assert np.mean(turned) == pytest.approx(128, abs=4 * 8 / np.sqrt(200))
    assert all(128 - 6 * 8 < one < 128 + 6 * 8 for one in turned)


@given(st.text(max_size=20), st.text(max_size=20))
def test_records_differ_exactly_where_their_hashes_do(one, other):
    left, right = DataPassport(origin=one), DataPassport(origin=other)
    assert bool(differences([left], [right])) == (left.digest() != right.digest())


def test_entries_are_read_as_they_are_typed_or_pasted():
    typed = read_entries("rollout", 'seed = 3\nold_log_probs = [-0.5, -1]; stop_reason = end; decoding = {"top_p": 1}')
    assert typed == {"seed": 3, "old_log_probs": [-0.5, -1], "stop_reason": "end", "decoding": {"top_p": 1}}
    assert DataPassport(**read_entries("data", DATA.to_json())) == DATA
    assert read_entries("data", " ;\n") == {}
    assert read_entries("data", "license =") == {"license": ""}


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("split_seed", "text"),
        ("colour = red", "entry"),
        ('{"colour": 1}', "entry"),
        ('{"kind": "update"}', "kind"),
        ('{"version": "passport/9"}', "version"),
        ('{"split_seed": NaN}', "text"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(text, argument):
    with pytest.raises(DomainError) as caught:
        read_entries("data", text)
    assert caught.value.argument == argument
