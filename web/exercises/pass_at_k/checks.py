"""Oracle: pycore.pass_at_k.pass_at_k."""

from pycore.pass_at_k import pass_at_k
from web.exercises.folder import Check

ORACLES = {"pass_at_k": pass_at_k}
CHECKS = [
    Check("small", [(4, 1, 2), (10, 3, 4)]),
    Check("first", [(8, 3, 1), (5, 5, 1)]),
    Check("none", [(10, 0, 4), (16, 0, 16)]),
    Check("few_wrong", [(10, 8, 4), (10, 10, 10), (5, 1, 5)], hidden=True),
    Check("large", [(1000, 5, 100), (5000, 2500, 2500)], hidden=True),
]
