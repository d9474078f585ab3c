"""Oracle: the shapes and ranges of the definition."""

import numpy as np
import pytest

from pycore.batch import Batch
from pycore.domain import DomainError

SHAPE = (2, 3, 4)


def arguments(**changes):
    values = {
        "logp": np.full(SHAPE, -1.0),
        "logp_old": np.full(SHAPE, -1.1),
        "mask": np.ones(SHAPE, dtype=bool),
        "rewards": np.zeros(SHAPE[:2]),
    }
    return {**values, **changes}


def spoiled(value, where=(0, 0, 0)):
    array = np.full(SHAPE, -1.0)
    array[where] = value
    return array


def test_lists_are_accepted_and_keep_their_shape():
    batch = Batch([[[-1.0]]], [[[-1.0]]], [[[True]]], [[1]])
    assert batch.shape == (1, 1, 1)
    assert batch.logp.dtype == np.float64


def test_float32_stays_float32():
    batch = Batch(**arguments(logp=np.full(SHAPE, -1.0, dtype=np.float32)))
    assert batch.logp.dtype == np.float32


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3.0])
@pytest.mark.parametrize("name", ["logp", "logp_old", "logp_ref", "kl", "entropy", "advantages"])
def test_inactive_entries_may_hold_anything(name, value):
    mask = np.ones(SHAPE, dtype=bool)
    mask[0, 0, 0] = False
    Batch(**arguments(mask=mask, **{name: spoiled(value)}))


@pytest.mark.parametrize("name", ["logp", "logp_old", "logp_ref"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.01])
def test_an_active_log_prob_is_finite_and_not_above_zero(name, value):
    with pytest.raises(DomainError, match=f"{name} = .*: allowed is finite numbers <= 0 at active tokens"):
        Batch(**arguments(**{name: spoiled(value)}))


def test_the_first_wrong_entry_is_named_whichever_block_it_lies_in(monkeypatch):
    monkeypatch.setattr("pycore.batch.BLOCK", 2)  # twelve blocks, shared by two threads where there are any
    values = -np.arange(1.0, 25).reshape(SHAPE)
    for first in range(24):
        spoilt = np.where(-values > first, -values, values)  # from that entry on all are positive, each its own number
        with pytest.raises(DomainError, match=f"^logp = {first + 1}.0:"):
            Batch(**arguments(logp=spoilt))


def test_the_rounding_of_log_softmax_is_not_an_error():
    Batch(**arguments(logp=spoiled(1e-7)))


@pytest.mark.parametrize("name", ["kl", "entropy", "advantages"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_other_active_values_are_finite(name, value):
    with pytest.raises(DomainError, match=name):
        Batch(**arguments(**{name: spoiled(value)}))


def test_a_spoiled_entry_is_found_in_any_block():
    shape = (40, 16, 256)
    logp = np.full(shape, -1.0)
    logp[-1, -1, -1] = 0.5
    with pytest.raises(DomainError, match=r"logp = 0\.5"):
        Batch(logp, np.full(shape, -1.0), np.ones(shape, dtype=bool), np.zeros(shape[:2]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"logp": np.full((3, 4), -1.0)}, r"logp\.shape = \(3, 4\)"),
        ({"logp": np.zeros((0, 3, 4))}, r"logp\.shape"),
        ({"logp_old": np.full((2, 3, 1), -1.0)}, r"logp_old\.shape = \(2, 3, 1\): allowed is \(2, 3, 4\)"),
        ({"logp_ref": np.full((1, 3, 4), -1.0)}, r"logp_ref\.shape"),
        ({"entropy": np.zeros((2, 3))}, r"entropy\.shape"),
        ({"mask": np.ones(SHAPE)}, "mask = 'float64': allowed is an array of booleans"),
        ({"mask": np.ones(SHAPE, dtype=int)}, "mask"),
        ({"mask": np.ones((2, 3, 1), dtype=bool)}, r"mask\.shape"),
        ({"rewards": np.zeros((2, 1))}, r"rewards\.shape = \(2, 1\): allowed is \(2, 3\)"),
        ({"rewards": np.zeros(6)}, r"rewards\.shape"),
        ({"rewards": np.full((2, 3), np.inf)}, "rewards = inf"),
        ({"truncated": np.zeros((2, 3))}, "truncated = 'float64'"),
        ({"truncated": np.zeros((3, 2), dtype=bool)}, r"truncated\.shape"),
        ({"advantages": np.zeros((2, 3, 1))}, r"advantages\.shape"),
        ({"advantages": np.full((2, 3), np.nan)}, "advantages = nan"),
        ({"loss_scale": -1.0}, "loss_scale = -1"),
        ({"loss_scale": np.nan}, "loss_scale = nan"),
        ({"logp": [["a"]]}, "logp"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(changes, message):
    with pytest.raises(DomainError, match=message):
        Batch(**arguments(**changes))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("loss_scale", [1.0, 2.0]),
        ("loss_scale", np.ones(1)),
        ("mask", [[[True], [True, False]]]),
        ("truncated", [[True], []]),
    ]
    + [(name, None) for name in ("logp", "logp_old", "mask")],
)
def test_what_is_no_array_of_the_shape_is_refused_by_name(name, value):
    logp = np.full((1, 2, 1), -1.0)
    whole = {"logp": logp, "logp_old": logp, "mask": np.ones((1, 2, 1), bool), "rewards": [[1, 0]]}
    with pytest.raises(DomainError, match=name):
        Batch(**{**whole, name: value})
