"""Oracles: the exact pass@k of known rates, and step 4.4's crossing."""

import numpy as np
import pytest

from web.labs.engine import frame


def test_the_lab_opens_on_curves_that_cross() -> None:
    shown = frame("pass_at_k")
    assert shown.case == "cross"
    assert shown.values["tuned_one"] > shown.values["base_one"]
    assert shown.values["tuned_top"] < shown.values["base_top"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_estimates_are_unbiased(seed: int) -> None:
    shown = frame("pass_at_k", prompts=300, n=32, seed=seed)
    for side in ("base", "tuned"):
        # The rates are given, only the samples vary: less than the spread over prompts that the band shows.
        off = np.abs(np.asarray(shown.rows[side]) - np.asarray(shown.rows[f"{side}_exact"]))
        assert np.all(off <= np.asarray(shown.rows[f"{side}_error"]) + 1e-12)


def test_new_prompts_lift_the_whole_curve() -> None:
    shown = frame("pass_at_k", fresh=0.3)
    assert shown.case == "ahead"
    assert np.isnan(shown.values["cross"])


def test_nothing_changes_without_tuning() -> None:
    rows = frame("pass_at_k", sharpen=1, boost=0).rows
    assert np.allclose(rows["base_exact"], rows["tuned_exact"])
