"""Oracles: the log of step 2.4's last question, ratios worked out by hand, and the clip's definition on every token."""

from typing import Any

import numpy as np
import pytest

from web.labs.engine import frame, lab_of
from web.labs.frame import Frame


def frames(**changes: Any) -> list[Frame]:
    lab = lab_of("ratio_drift")
    values = {control.name: control.default for control in lab.controls} | changes
    return [one for one in lab.compute(values) if isinstance(one, Frame)]


def test_the_log_opens_with_ones_and_reads_like_the_one_in_the_course() -> None:
    shown = frames()
    assert shown[0].case == "one"
    assert shown[0].values["deviation"] < 1e-12
    # step 2.4: 16 updates a rollout; mini-batch 3 from 0.93 to 1.08, mini-batch 16 from 0.71 to 1.34
    assert shown[-1].values["update"] == 16
    rows = {name: np.asarray(column, float) for name, column in shown[-1].rows.items()}
    assert (rows["least"][2], rows["largest"][2]) == pytest.approx((0.93, 1.08), abs=0.04)
    assert (rows["least"][15], rows["largest"][15]) == pytest.approx((0.71, 1.34), abs=0.04)
    # R1's and DAPO's regime: used once each, and the clip makes next to no difference
    assert shown[-1].values["free_least"] == pytest.approx(rows["least"][15], abs=0.02)
    assert shown[-1].values["free_largest"] == pytest.approx(rows["largest"][15], abs=0.02)


def test_fresh_responses_and_one_update_leave_nothing_to_clip() -> None:
    tight, loose = (
        frame("ratio_drift", minibatches=1, low=0.01, high=0.01),
        frame("ratio_drift", minibatches=1, rate=0.05),
    )
    for shown in (tight, loose):
        assert shown.case == "one"
        assert shown.values["outside"] == shown.values["clipped"] == 0
        assert shown.values["effective"] == pytest.approx(1)


def test_four_passes_carry_tokens_far_out_of_the_corridor_and_further_without_the_clip() -> None:
    values = frame("ratio_drift", passes=4).values
    assert values["largest"] > 1.5
    assert values["outside"] > 0.25
    assert values["free_largest"] > values["largest"] + 0.5
    assert values["free_least"] < values["least"] - 0.1


def test_a_narrower_corridor_has_more_tokens_outside_and_less_drift() -> None:
    wide, narrow = (frame("ratio_drift", passes=4, minibatches=2, low=e, high=e).values for e in (0.2, 0.02))
    assert wide["outside"] == pytest.approx(0.08, abs=0.005)
    assert narrow["outside"] == pytest.approx(0.43, abs=0.005)
    assert narrow["deviation"] < wide["deviation"] / 2


def test_a_larger_learning_rate_and_more_passes_drift_further() -> None:
    rates = [frame("ratio_drift", rate=rate).values["deviation"] for rate in (0.005, 0.01, 0.02, 0.04)]
    assert np.all(np.diff(rates) > 0)
    lengths = [frame("ratio_drift", passes=n, minibatches=4).values["log_largest"] for n in (1, 2, 4)]
    assert np.all(np.diff(lengths) > 0)


def test_an_old_batch_and_another_engine_show_before_the_first_update() -> None:
    waited = frames(lag=16, minibatches=1)
    assert [shown.case for shown in waited] == ["waiting"] * 16 + ["before"]
    assert waited[0].values["deviation"] < 1e-12
    deviations = [float(shown.values["deviation"]) for shown in waited]
    assert deviations[-1] > 0.5
    assert waited[-1].values["clipped"] > 0.05
    other = frame("ratio_drift", noise=0.05, minibatches=1)
    assert other.case == "before"
    assert 0.1 < other.values["deviation"] < 0.25


def test_a_learners_own_tokens_are_counted_by_the_definition_of_the_clip() -> None:
    own = ((-1, -0.5, 1), (-1, -2, 1), (-1, -0.5, -1), (-1, -2, -1), (-1, -1, 2))
    shown = frame("ratio_drift", source="own", own=own)
    assert shown.case == "own"
    # e^0.5 and e^-1 lie outside; only the ones pushed there lose their gradient: the first and the fourth
    assert shown.values["outside"] == pytest.approx(4 / 5)
    assert shown.values["clipped"] == pytest.approx(2 / 5)
    assert (shown.values["least"], shown.values["largest"]) == pytest.approx((np.exp(-1), np.exp(0.5)))


def test_the_bars_hold_every_token_once() -> None:
    for changes in ({}, {"passes": 4}, {"source": "own"}):
        shown = frame("ratio_drift", **changes)
        bins = {name: np.asarray(column) for name, column in shown.sources["bins"].items()}
        silenced = np.sum(bins["up_all"] - bins["up"] + bins["down"] - bins["down_all"])
        assert silenced == pytest.approx(shown.values["clipped"])
        flat = np.sum(np.asarray(shown.sources["flat"]["share"]))
        assert np.sum(bins["up_all"] - bins["down_all"]) + flat == pytest.approx(1)
