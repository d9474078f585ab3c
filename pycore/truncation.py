"""What a response that hit the length limit counts for.

| contract  | its tokens in loss and denominators | its reward in the group's statistics | its advantage |
|-----------|-------------------------------------|--------------------------------------|---------------|
| `keep`    | yes                                 | yes                                  | as computed   |
| `mask`    | no                                  | yes                                  | unused        |
| `drop`    | no, nor is it counted in N          | no                                   | unused        |
| `silence` | yes                                 | yes                                  | 0             |

`silence` leaves truncated tokens in the denominator: every other token's gradient shrinks.
"""

import numpy as np
from numpy.typing import ArrayLike

from pycore.domain import Array, DomainError, integer

CONTRACTS = ("keep", "mask", "drop", "silence")


def overlong_penalty(lengths: ArrayLike, limit: int, cache: int) -> Array:
    """DAPO's soft penalty: nothing up to limit - cache, then linear down to -1 at the limit and beyond.

    Args:
        lengths: tokens of each response, integers >= 0, any shape.
        limit: longest response allowed Lmax, >= 1.
        cache: width of the ramp Lcache, in [1, limit].

    Returns:
        Penalty in [-1, 0] to be added to the reward, shape of `lengths`.

    Raises:
        DomainError: a length below 0, a cache outside [1, limit].

    >>> overlong_penalty([70, 90, 100, 120], limit=100, cache=20)
    array([ 0. , -0.5, -1. , -1. ])

    Source: DAPO (2025).
    """
    length = integer("lengths", lengths, 0)
    ceiling, width = float(integer("limit", limit, 1)), float(integer("cache", cache, 1))
    if width > ceiling:
        raise DomainError("cache", cache, f"an integer from 1 to limit = {limit}")
    return np.minimum(0.0, np.maximum(-1.0, (ceiling - width - length) / width))
