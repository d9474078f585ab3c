"""Oracles share one process: each module gets its own default precision of torch, whatever another one asked for."""

import pytest
import torch

collect_ignore = ["verl_probe.py"]  # a program for verl's own environment, which has what it imports


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture, also one of the module or the session, is made."""
    torch.set_default_dtype(getattr(getattr(item, "module", None), "DTYPE", torch.float32))
