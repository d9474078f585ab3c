"""Oracle: the Protocol's own fields and options; every one needs words in both languages."""

from dataclasses import fields, replace

import pytest

from pycore.domain import DomainError
from pycore.nearest import Difference
from pycore.protocol import OPTIONS, PRESETS, Protocol
from pycore.protocol_words import AXES, KINDS, LANGUAGES, describe, explain


def test_every_axis_and_every_kind_has_words_and_nothing_else_has():
    assert set(AXES) == {field.name for field in fields(Protocol)}
    assert set(KINDS) == {(axis, kind) for axis, kinds in OPTIONS.items() for kind in kinds}
    for words in (*AXES.values(), *KINDS.values()):
        assert len(words) == len(LANGUAGES)
        assert all(word.strip() for word in words)


def test_words_of_one_axis_tell_its_kinds_apart():
    for column in range(2):
        for axis, kinds in OPTIONS.items():
            assert len({KINDS[axis, kind][column] for kind in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "grpo + std correction (ddof): 1 (preset: 0); KL coefficient: 0.001 (preset: 0.04)"),
        (
            "ru",
            "grpo + поправка в стандартном отклонении (ddof): 1 (у пресета: 0); "
            "коэффициент KL: 0,001 (у пресета: 0,04)",
        ),
    ],
)
def test_a_changed_preset_is_explained_in_one_line(language, expected):
    assert explain(replace(PRESETS["grpo"], ddof=1, kl_coefficient=0.001).nearest(), language) == expected


def test_switches_and_missing_values_have_words():
    assert describe(Difference("dynamic_sampling", True, False), "ru") == "динамический добор: да (у пресета: нет)"
    assert describe(Difference("clip_cap", None, 3.0), "en") == "ratio cap for A < 0: none (preset: 3)"


def test_an_unknown_language_is_refused():
    with pytest.raises(DomainError, match="one of ru, en"):
        describe(Difference("eps", 0.0, 1.0), "de")
