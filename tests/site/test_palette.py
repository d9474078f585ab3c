"""Oracle: the contrast formula of WCAG 2.2. Every colour can be told from its ground, in both themes."""

import itertools

import pytest

from web.labs.drawing import PALETTE

GROUNDS = ("paper", "wash")
TEXT = ("ink", "muted", "focus", "fault", "positive", "negative", "signal", "current", "old", "reference")
TEXT += ("run-a", "run-b", "run-c", "run-d")
MARKS = ("line-strong", "silent")
each_theme = pytest.mark.parametrize("theme", PALETTE)


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour #rrggbb."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_largest_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_every_role_is_known_to_this_test() -> None:
    for theme in PALETTE.values():
        assert set(theme) == {*GROUNDS, *TEXT, *MARKS, "line"}, "say of a new role whether it is text or a mark"


@each_theme
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_stands_out_from_its_ground(theme: str, ground: str) -> None:
    colours = PALETTE[theme]
    assert {
        role: contrast(colours[role], colours[ground])
        for role in TEXT
        if contrast(colours[role], colours[ground]) < 4.5
    } == {}


@each_theme
@pytest.mark.parametrize("ground", GROUNDS)
def test_marks_stand_out_from_their_ground(theme: str, ground: str) -> None:
    colours = PALETTE[theme]
    assert {
        role: contrast(colours[role], colours[ground]) for role in MARKS if contrast(colours[role], colours[ground]) < 3
    } == {}


@each_theme
def test_no_two_roles_share_a_colour(theme: str) -> None:
    for (one, first), (two, second) in itertools.combinations(PALETTE[theme].items(), 2):
        assert first.lower() != second.lower(), f"{one} and {two}: the page tells roles apart by their light colour"


def test_the_themes_share_no_colour() -> None:
    light, dark = ({colour.lower() for colour in PALETTE[theme].values()} for theme in ("light", "dark"))
    assert not light & dark
