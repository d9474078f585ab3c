"""Oracle: a plain loop over the blocks."""

import pytest

from pycore.block import over_blocks


def test_every_block_is_worked_on_once_and_its_result_kept() -> None:
    assert sorted(over_blocks(lambda start: start + 1, range(0, 700, 7))) == [start + 1 for start in range(0, 700, 7)]


def test_an_error_in_any_block_reaches_the_caller_and_the_next_call_still_works() -> None:
    for bad in range(6):
        with pytest.raises(ZeroDivisionError):
            over_blocks(lambda start, bad=bad: 1 / (start - bad), range(6))
    assert sorted(over_blocks(abs, range(6))) == list(range(6))
