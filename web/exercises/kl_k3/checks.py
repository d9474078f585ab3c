"""Oracle: pycore.kl.kl_estimate."""

from typing import Any

import numpy as np

from pycore.kl import kl_estimate
from web.exercises.folder import Check


def oracle(logp: Any, logp_ref: Any) -> Any:
    """The k3 estimate, token by token."""
    return kl_estimate(np.asarray(logp), np.asarray(logp_ref), "k3").value


ORACLES = {"kl_k3": oracle}
random = np.random.default_rng(4)
some, others = np.log(random.uniform(0.05, 1, size=(2, 3, 4))).round(3)
CHECKS = [
    Check("halves", [(np.array([-0.6931, -0.1054]), np.array([-1.3863, -1.204]))]),
    Check("equal", [(np.array([-0.5, -2.0]), np.array([-0.5, -2.0]))]),
    Check("tokens", [(np.array([[-0.1, -1.5], [-2.0, -0.7]]), np.array([[-0.4, -1.0], [-2.0, -3.0]]))]),
    Check("below", [(np.array([-1.2]), np.array([-0.1]))], hidden=True),
    Check("any", [(some, others)], hidden=True),
]
