"""Oracle: groups counted by hand."""

import pytest

from pycore.domain import DomainError
from pycore.rows import Column, EntryError, Rows

ANSWERS = Rows(
    "answers",
    (Column("prompt", 1, 9, integer=True), Column("reward", 0, 1)),
    default=((1, 0.0), (1, 1.0)),
    group="prompt",
)


def test_groups_of_one_size_are_taken_in_any_order() -> None:
    assert ANSWERS.check([[7, 1], [2, 0], [2, 1], [7, 0]]) == ((7, 1.0), (2, 0.0), (2, 1.0), (7, 0.0))
    assert ANSWERS.parse("7:1,2:0,2:1,7:0") == ANSWERS.nearest("7:1,2:0,2:1,7:0")


@pytest.mark.parametrize(
    ("text", "row", "value", "sizes"),
    [
        ("1:1,1:0,2:1,1:1,2:0", 3, 2, "this one: 2, in the first: 3"),
        ("1:1,2:0", 1, 1, "this one: 1, in the first: 1"),
        ("4:1,3:0,3:1", 1, 4, "this one: 1, in the first: 1"),
    ],
)
def test_the_first_row_of_a_group_of_another_size_is_named(text: str, row: int, value: int, sizes: str) -> None:
    with pytest.raises(EntryError, match=sizes) as caught:
        ANSWERS.parse(text)
    assert (caught.value.row, caught.value.column, caught.value.value) == (row, "prompt", value)
    assert ANSWERS.nearest(text) == ANSWERS.default


RATES = Rows("rates", (Column("p", 0, 1),), default=((0.5,),), most=300)
PAIRS = Rows("pairs", (Column("a", 0, 9), Column("b", 0, 9)), default=((1, 2),))


@pytest.mark.parametrize(
    "text", ["p\n0,5\n1\n0,25", "0,5\n1\n0,25", "p;\n0,5;\n1;\n0,25;", "0.5,\n1,\n0.25,", "0.5,1,0.25"]
)
def test_a_comma_in_one_column_is_a_decimal_mark(text: str) -> None:
    assert RATES.check(text) == ((0.5,), (1.0,), (0.25,))


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,0,5", "1,2\n3,0,5", "a,b\n1,2\n3,0,5,"])
def test_a_row_with_more_cells_than_columns_is_refused_and_not_cut(text: str) -> None:
    with pytest.raises(EntryError, match=r"cells: 2 \(a, b\), parted by ;") as caught:
        PAIRS.check(text)
    assert (caught.value.row, caught.value.value) == (2, "cells: 3")
    assert PAIRS.check("b;note;a\n0,5;x;1") == ((1.0, 0.5),)


def test_what_is_too_long_to_keep_says_in_what_it_is_counted() -> None:
    with pytest.raises(DomainError, match="'5999 characters': allowed is at most 4000 characters of rows"):
        RATES.check("\n".join(["0.12345678901234567"] * 300))
