"""Oracle: the JSON round trip, and recipes spoiled on purpose."""

import json
from dataclasses import replace

import pytest

from pycore.domain import DomainError
from pycore.protocol import PRESETS
from pycore.train import PROFILES, Recipe, StopRule

USABLE = [protocol for protocol in PRESETS.values() if protocol.baseline != "critic"]


@pytest.mark.parametrize("recipe", [*PROFILES.values(), *(replace(Recipe(), protocol=p) for p in USABLE)])
def test_a_recipe_survives_json(recipe):
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict(), allow_nan=False))) == recipe


def test_fields_left_out_keep_their_defaults():
    assert Recipe.from_dict({"seed": 4, "sizes": {"prompts": 48}}) == Recipe(seed=4).but(prompts=48)


def test_a_rule_looks_at_one_side_only():
    assert StopRule("train", "accuracy", at_least=0.5).met(0.5)
    assert not StopRule("train", "accuracy", at_least=0.5).met(float("nan"))
    assert StopRule("held_out", "pass_4", at_most=0.0).met(0.0)
    assert not StopRule("held_out", "pass_4", at_most=0.1).met(0.2)


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({"version": "recipe/2"}, "recipe/1"),
        ({"colour": 1}, "colour"),
        ({"sizes": {"colour": 1}}, "colour"),
        ({"sizes": 3}, "sizes"),
        ({"seed": True}, "seed"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"updates": "300"}, "updates"),
        ({"batch": 49, "sizes": {"prompts": 48}}, "batch = 49"),
        ({"batch": 2048, "group": 64}, "batch x group"),
        ({"learning_rate": 2}, "learning_rate"),
        ({"max_norm": 0}, "max_norm"),
        ({"max_tokens": 7}, "max_tokens"),
        ({"protocol": {"ratio": "word"}}, "ratio"),
        ({"protocol": {"baseline": "critic", "scale": "none"}}, "critic"),
        ({"decoding": {"temperature": 0}}, "temperature"),
        ({"curriculum": {"kind": "easy"}}, "kind"),
        ({"stop": {}}, "stop"),
        ({"stop": [{}]}, "stop"),
        ({"stop": [{"split": "test", "metric": "a", "at_least": 1}]}, "split"),
        ({"stop": [{"split": "train", "metric": "a"}]}, "at_least"),
        ({"stop": [{"split": "train", "metric": "a", "at_least": 1, "at_most": 1}]}, "at_least"),
    ],
)
def test_a_spoiled_recipe_is_refused_by_name(plain, message):
    with pytest.raises(DomainError, match=message):
        Recipe.from_dict(plain)
