"""Oracle: groups counted by hand."""

import pytest

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
