"""Oracle: steps 1.3 and 1.4's claims, and the suites judged by `run_suite` itself."""

from pycore.verify.suite import run_suite, suite
from web.labs.engine import frame


def test_three_sevenths_are_accepted_for_their_decimal() -> None:
    shown = frame("verifier")
    assert shown.case == "paid"
    assert (shown.values["paid"], shown.values["refused"]) == (0, 0)


def test_the_counts_are_those_of_the_suites() -> None:
    short = [case for case in suite() if len(case.text) <= 2000]
    assert frame("verifier").values["right_cases"] == sum(case.paid for case in short)
    tallies = run_suite(short).tallies
    assert frame("verifier").values["wrong_cases"] == sum(tally.wrong_answers for tally in tallies)


def test_a_rule_that_is_dropped_opens_a_hole_and_changes_the_hash() -> None:
    plain, open_ = frame("verifier").values, frame("verifier", unit=False).values
    assert open_["paid"] > 0
    assert open_["digest"] != plain["digest"]
    assert frame("verifier", answer="\\boxed{3 dozen}", reference="3").case == "refused"
    assert frame("verifier", answer="\\boxed{3 dozen}", reference="3", unit=False).case == "paid"


def test_what_is_not_understood_is_said_and_never_guessed() -> None:
    assert frame("verifier", answer="\\boxed{2\\sqrt{2}}", reference="2.828427").values["reason"] == "parse_error"
    assert frame("verifier", answer="<think>42</think>", reference="42").values["reason"] == "no_answer"
    assert frame("verifier", answer="\\boxed{1e999}", reference="42").values["pay"] == 0
