"""Oracle: the numbers of steps 5.1 and 5.2, the passports themselves, and hashlib on their JSON."""

import hashlib
import json
from math import exp
from typing import Any

import pytest

from pycore.passport import DataPassport, read_passport
from web.labs.engine import frame, lab_of


def preset(name: str) -> Any:
    return frame("passport", **lab_of("passport").presets[name])  # type: ignore[arg-type]


def test_the_ceiling_of_errors_and_the_growth_of_a_mismatch_are_those_of_the_steps() -> None:
    opening = frame("passport").values
    assert opening["ceiling"] == pytest.approx(1.96**2 / (50 + 1.96**2), abs=1e-5)
    assert opening["whole"] == pytest.approx(exp(0.01 * 500))
    assert round(float(opening["whole"])) == 148
    assert preset("surprise").values["ceiling"] == pytest.approx(1.96**2 / (500 + 1.96**2), abs=1e-5)


def test_three_entries_have_the_fingerprint_that_step_5_1_prints() -> None:
    shown = preset("own")
    here = DataPassport(name="addition", split_rule="by unordered pair", split_seed=0).digest()
    there = DataPassport(name="addition", split_rule="by ordered pair", split_seed=0).digest()
    assert shown.values["right"] == here[:8]
    assert (shown.values["filled"], shown.values["needed"]) == (3, len(DataPassport().missing()))
    other = "name = addition; split_rule = by ordered pair; split_seed = 0"
    assert frame("passport", start="blank", own=other).values["right"] == there[:8]


@pytest.mark.parametrize("kind", ["data", "verifier", "rollout", "update"])
def test_the_example_is_complete_and_its_file_has_the_fingerprint_shown(kind: str) -> None:
    shown = frame("passport", kind=kind, split="unordered")
    assert shown.case == "same"
    assert (shown.values["turned"], shown.values["left"]) == (0, shown.values["right"])
    assert frame("passport", kind=kind, split="unordered", temperature=1.0, mismatch=0.01).values["turned"] == 0
    plain = json.loads(str(shown.texts["json"]))
    assert read_passport(plain).missing() == ()
    assert hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:8] == shown.values["left"]


@pytest.mark.parametrize(
    ("state", "case"),
    [
        ({}, "yardstick"),
        ({"split": "unordered", "kind": "verifier", "tolerance": "percent"}, "yardstick"),
        ({"split": "unordered", "kind": "rollout", "temperature": 0.7}, "experiment"),
        ({"split": "unordered", "kind": "update", "mismatch": 0.0}, "measured"),
        ({"split": "unordered", "own": "license ="}, "incomplete"),
        ({"split": "unordered", "own": "license = CC0"}, "measured"),
        ({"own": "split_seed = -1"}, "refused"),
        ({"own": "colour = red"}, "refused"),
        ({"split": "unordered", "kind": "rollout", "own": 'decoding = {"temperature": 1, "top_p": 1}'}, "measured"),
    ],
)
def test_what_differs_decides_what_may_be_said(state: dict[str, Any], case: str) -> None:
    assert frame("passport", **state).case == case


def test_presets_tell_what_their_names_say() -> None:
    assert (preset("short").case, preset("short").values["given"]) == ("lengths", 5)
    assert preset("repeat").case == "repeat"
    assert (preset("names").case, preset("names").values["treatments"]) == ("confounded", 3)
    surprise = preset("surprise")
    assert surprise.case == "measured"
    assert surprise.values["turned"] > 90
    answer = frame("passport", **lab_of("passport").predict.state)  # type: ignore[arg-type]
    assert answer.case == "experiment"
    assert 128 - 32 < answer.values["turned"] < 128 + 32


def test_a_refused_entry_is_named_and_its_row_marked() -> None:
    shown = preset("short")
    states = dict(zip(shown.rows["code"], shown.rows["state"], strict=True))
    assert states["old_log_probs ="] == "absent"
    assert shown.values["field"] == "old_log_probs"
