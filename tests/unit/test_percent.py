"""Oracle: files written out by hand, and the same cells put back together."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colab import percent
from colab.percent import Cell, parse
from pycore.domain import DomainError

LINES = st.text(st.characters(blacklist_characters="\n", blacklist_categories=["Cs"]), max_size=20).filter(
    lambda line: not line.startswith("# %%")
)
TEXTS = st.lists(LINES, min_size=1, max_size=5).map(lambda lines: "\n".join(lines).strip("\n"))


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(percent).failed == 0


def test_kinds_and_languages_are_read_from_the_headers():
    text = '"""Words."""\n\n# %% [given]\nX = 1\n\n# %% [markdown] ru\n# Да\n# %% [markdown] en\n# Yes\n# %% [files]\n'
    assert parse(text) == [
        Cell("given", "", "X = 1"),
        Cell("markdown", "ru", "Да"),
        Cell("markdown", "en", "Yes"),
        Cell("files", "", ""),
    ]


@given(st.lists(st.tuples(st.sampled_from(["code", "native"]), TEXTS), max_size=5))
def test_code_comes_out_as_it_was_written(cells):
    text = "\n\n".join(f"# %% [{kind}]\n{code}" for kind, code in cells)
    assert parse(text) == [Cell(kind, "", code) for kind, code in cells]


@pytest.mark.parametrize("header", ["# %%code", "# %% [prose]", "# %% [markdown", "# %% markdown", "# %%  "])
def test_a_header_with_a_slip_is_refused(header):
    with pytest.raises(DomainError, match="cell"):
        parse(f"{header}\nx = 1\n")


def test_prose_that_is_not_a_comment_is_refused():
    with pytest.raises(DomainError, match="a comment"):
        parse("# %% [markdown]\nx = 1\n")
