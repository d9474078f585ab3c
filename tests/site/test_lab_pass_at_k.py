"""Oracles: the exact pass@k of known rates, all choices of k answers out of n by hand, and step 4.4's crossing."""

from itertools import combinations

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


def test_ones_own_counts_are_estimated_over_all_choices_of_answers() -> None:
    shown = frame("pass_at_k", source="own", n=4, own=[[1, 3], [0, 4]])
    for side, counts in (("base", (1, 0)), ("tuned", (3, 4))):
        for k, estimate in zip(shown.rows["k"], shown.rows[side], strict=True):
            answers = [[place < count for place in range(4)] for count in counts]
            hits = [np.mean([any(some) for some in combinations(row, int(k))]) for row in answers]
            assert estimate == pytest.approx(np.mean(hits))
    assert np.isnan(shown.rows["base_exact"]).all()
    assert shown.case == "ahead"
    assert frame("pass_at_k", source="own", n=2, own=[[1, 3], [0, 4]]).values["n"] == 4


def test_the_prepared_counts_cross_as_their_preset_says() -> None:
    shown = frame("pass_at_k", source="own")
    assert shown.case == "cross"
    assert 12 * shown.values["base_support"] == pytest.approx(9)
    assert 12 * shown.values["tuned_support"] == pytest.approx(7)
