"""Oracle: distances counted by hand; a preset is always nearest to itself."""

from dataclasses import replace

import pytest

from pycore.domain import DomainError
from pycore.nearest import Difference, search
from pycore.presets import DEFAULTS, LIBRARIES, PAPERS
from pycore.protocol import PRESETS, Protocol


@pytest.mark.parametrize("name", PAPERS)
def test_a_published_preset_is_nearest_to_itself(name):
    nearest = PRESETS[name].nearest()
    assert nearest.name == name
    assert nearest.differences == ()


@pytest.mark.parametrize("name", [*LIBRARIES, *DEFAULTS])
def test_a_library_preset_is_nearest_to_itself_or_to_one_that_computes_the_same(name):
    nearest = PRESETS[name].nearest()
    assert nearest.differences == ()
    assert PRESETS[nearest.name].canonical() == PRESETS[name].canonical()


def test_grpo_with_one_edit_is_grpo_and_that_edit():
    nearest = replace(PRESETS["grpo"], ddof=1).nearest()
    assert nearest.name == "grpo"
    assert nearest.differences == (Difference("ddof", 1, 0),)
    assert nearest.distance == 0.5


def test_without_std_and_with_a_constant_divisor_grpo_becomes_dr_grpo():
    assert Protocol(scale="none", aggregation="constant").nearest().name == "dr_grpo"


def test_axes_without_effect_are_not_reported():
    assert replace(PRESETS["gspo"], weight_ceiling=9.0, kl="k1").nearest().differences == ()


def test_only_the_named_presets_are_considered():
    nearest = PRESETS["gspo"].nearest(("grpo", "rloo"))
    assert nearest.name == "grpo"
    assert {d.axis for d in nearest.differences} >= {"ratio", "clip"}


def test_the_first_of_two_equally_near_candidates_wins():
    assert search({"a": 1}, {"x": {"a": 2}, "y": {"a": 0}}).name == "x"


def test_nothing_to_choose_from_is_an_error():
    with pytest.raises(DomainError, match="at least one"):
        Protocol().nearest(())
    with pytest.raises(DomainError, match="preset = 'nope'"):
        Protocol().nearest(("nope",))
