"""Blocks of a large array worked on at the same time: NumPy lets other threads run while it computes."""

import functools
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Found = TypeVar("Found")


@functools.cache
def _helper() -> ThreadPoolExecutor:
    """One more thread, kept: to start one takes as long as a block."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="blocks")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helper.cache_clear)  # a forked process has no copy of the thread


def over_blocks(work: Callable[[int], Found], starts: Sequence[int]) -> list[Found]:
    """`work(start)` for every start, in two threads where there are any.

    Args:
        work: computes one block; it must not write where another block reads, nor call `over_blocks` itself: there is
            one more thread, and it would wait for itself.
        starts: where the blocks begin.

    Returns:
        What `work` found, in no promised order.

    Raises:
        Whatever `work` raises.

    >>> sorted(over_blocks(lambda start: start * start, range(5)))
    [0, 1, 4, 9, 16]
    """

    def each(some: Sequence[int]) -> list[Found]:
        return [work(start) for start in some]

    if len(starts) < 4 or sys.platform == "emscripten" or os.cpu_count() == 1:  # the browser has no threads
        return each(starts)
    # The caller works too: to wake two others up would take longer.
    others = _helper().submit(each, starts[1::2])
    try:
        own = each(starts[::2])
    finally:
        others.exception()  # nobody writes any more when an error leaves this function
    return own + others.result()
