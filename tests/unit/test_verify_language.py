"""Oracle: cases counted by hand."""

import pytest

from pycore.domain import DomainError
from pycore.verify.language import language_consistency


@pytest.mark.parametrize(
    ("text", "language", "share"),
    [
        ("ответ", "ru", 1.0),
        ("ответ", "en", 0.0),
        ("да yes", "ru", 2 / 5),
        ("да yes", "en", 3 / 5),
        ("\\frac{1}{2} = 0,5", "ru", 1.0),
        ("да \\boxed{42}", "ru", 1.0),
        ("12 + 30 = 42", "en", 1.0),
        ("", "ru", 1.0),
        ("答案", "en", 0.0),
        ("да \ud800\u202e", "ru", 1.0),
    ],
)
def test_the_share_counts_letters_of_the_wanted_script(text, language, share):
    assert language_consistency(text, language) == share


def test_an_unknown_language_is_refused():
    with pytest.raises(DomainError, match="one of en, ru"):
        language_consistency("ja", "de")
