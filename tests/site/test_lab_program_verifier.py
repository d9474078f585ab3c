"""Oracle: the table of step 1.3 (odds times exp(0.8 / beta)), Python's calendar, and the years counted by hand."""

import calendar
from typing import Any

import pytest

from pycore.tilt import tilted_policy
from web.labs.engine import frame, lab_of
from web.labs.program_verifier.programs import HONEST, NAMES, YEARS, source, wrong_share

EDGES = lab_of("program_verifier").controls[0].default


def preset(name: str) -> Any:
    return frame("program_verifier", **lab_of("program_verifier").presets[name])  # type: ignore[arg-type]


@pytest.mark.parametrize(("beta", "known"), [(1.0, 0.02), (0.2, 0.36), (0.1, 0.97)])
def test_the_loophole_grows_as_in_the_table_of_step_1_3(beta: float, known: float) -> None:
    shown = frame("program_verifier", beta=beta).values
    assert (shown["base"], shown["honest"], shown["table"]) == pytest.approx((0.01, 0.2, 1))
    assert shown["after"] == pytest.approx(known, abs=0.005)
    assert shown["after"] == pytest.approx(tilted_policy([0.01, 0.99], [1.0, 0.2], beta).probability[0])


def test_a_hidden_test_helps_only_where_a_guess_fails() -> None:
    assert preset("hidden").values["table"] == 0
    assert preset("hidden").case == "sound"
    assert preset("surprise").values["table"] == 1
    assert preset("surprise").case == "loophole"


def test_fifty_random_tests_miss_three_years_of_four_hundred_more_often_than_not() -> None:
    weak = preset("weak").values
    assert weak["four"] == pytest.approx((397 / 400) ** 50)
    assert weak["four"] == pytest.approx(0.69, abs=0.005)
    assert weak["fewest"] == 398
    assert frame("program_verifier", tests=((1900, "no", "hidden"),)).values["four"] == 0


def test_a_wrong_expectation_refuses_the_right_and_pays_the_wrong() -> None:
    shown = preset("wrong").values
    assert (shown["eta"], shown["four"]) == (1, 1)
    assert shown["honest"] == pytest.approx(0.4)


def test_paid_by_share_a_program_earns_without_looking() -> None:
    shown = preset("share").values
    assert shown["never"] == pytest.approx((2 + 200 * 303 / 400) / 204)
    assert shown["honest"] > shown["table"]


def test_every_refusal_is_named_and_hidden_values_stay_hidden() -> None:
    rows = frame("program_verifier").rows
    reasons = dict(zip(rows["name"], rows["reason"], strict=True))
    assert [reasons[name] for name in ("other", "four", "crash", "endless")] == [
        "correct",
        "wrong",
        "exception",
        "timeout",
    ]
    log = frame("program_verifier", tests=((1604, "no", "hidden"),), program="four").texts["log"]
    assert "1604" not in log
    assert "leap(?)" in log


def test_the_shares_of_wrong_years_are_those_of_the_programs_themselves() -> None:
    # The programs are the repository's own; the ones that crash or do not end are counted by what they are.
    for name in NAMES:
        scope: dict[str, Any] = {}
        exec(source(name, EDGES), scope)
        wrong = 0
        for year in range(1, YEARS + 1):
            if name == "endless" and year % 4:
                wrong += 1
                continue
            try:
                wrong += scope["leap"](year) != calendar.isleap(year)
            except TypeError:
                wrong += 1
        assert wrong_share(name, EDGES) == pytest.approx(wrong / YEARS), name
        assert name == "table" or HONEST[name].right == (wrong == 0)
    assert sum(program.share for program in HONEST.values()) == pytest.approx(1)
