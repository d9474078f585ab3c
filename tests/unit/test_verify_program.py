"""Oracle: programs whose behaviour is known, and reports forged by hand. Isolation itself is tested natively."""

import json

import pytest

from pycore.domain import DomainError
from pycore.untrusted import nesting
from pycore.verify.program import (
    Limits,
    ProgramReason,
    ProgramTest,
    Run,
    judge,
    judge_json,
    requests,
    requests_json,
    verify_program,
)
from pycore.verify.program.harness import observe

TESTS = [ProgramTest("f", (1,), 2), ProgramTest("f", (5,), 6, hidden=True)]
VISIBLE = [ProgramTest("f", (1,), 2), ProgramTest("f", (5,), 6)]


def here(request, limits):
    """No isolation: only for the harmless programs of this file."""
    return Run("done", observe(request))


def verdict(source, tests=TESTS, **limits):
    return verify_program(source, tests, run=here, limits=Limits(**limits))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f(x): return x + 1", "correct"),
        ("f = lambda x: x + 1.0", "correct"),
        ("def f(x): return 2", "wrong"),
        ("def f(x): return True + (x == 5) * 5", "wrong"),
        ("def f(x): return str(x + 1)", "wrong"),
        ("def f(x) return x", "syntax"),
        ("f = \x00", "syntax"),
        ("def f(x): return x / 0", "exception"),
        ("raise ValueError('now')", "exception"),
        ("raise SystemExit", "exception"),
        ("def f(x): return f(x)", "exception"),
        ("def f(): return 2", "exception"),
        ("def f(x): raise MemoryError", "memory"),
        ("def f(x): return print('x' * 10 ** 5)", "output"),
        ("g = 1", "missing"),
        ("f = 1", "missing"),
        ("class E(int):\n def __eq__(self, other): return True\n__hash__ = None\ndef f(x): return E(0)", "exception"),
        ("def f(x): return id(object()) * 0 + x + 1", "correct"),
        ("def f(x): return f", "exception"),
    ],
)
def test_a_program_gets_the_reason_it_deserves(source, reason):
    judged = verdict(source)
    assert judged.reason == reason
    assert judged.reward == float(reason == "correct")


def test_a_program_that_counts_its_calls_is_nondeterministic():
    source = "n = 0\ndef f(x):\n global n\n n += 1\n return x + 1 if n < 2 else 6"
    assert verdict(source, VISIBLE).reason is ProgramReason.NONDETERMINISTIC


def test_a_random_program_is_nondeterministic():
    assert verdict("import random\ndef f(x): return random.random()").reason is ProgramReason.NONDETERMINISTIC


def test_a_printed_answer_is_no_answer_and_does_not_leak(capsys):
    assert verdict("def f(x): print(x + 1)").reason is ProgramReason.WRONG
    assert capsys.readouterr().out == ""


def test_a_swallowed_output_limit_is_still_reported():
    source = "def f(x):\n try:\n  print('x' * 100)\n except BaseException: pass\n return x + 1"
    assert verdict(source, output_bytes=50).reason is ProgramReason.OUTPUT


def test_the_error_names_the_programs_line():
    assert "(line 2)" in verdict("def f(x):\n return 1 / 0").detail
    assert "(line 1)" in verdict("def f(x) return").detail


def test_an_exception_that_cannot_be_printed_is_an_exception():
    source = "class E(Exception):\n def __str__(self): raise self\ndef f(x): raise E"
    assert verdict(source).reason is ProgramReason.EXCEPTION


def test_a_hidden_test_shows_nothing_of_itself():
    judged = verdict("def f(x): return 2")
    assert judged.detail == "a hidden test fails"
    assert judged.passed(hidden=False) == (1, 1)
    assert judged.passed(hidden=True) == (0, 1)
    shown = json.dumps(judged.to_dict()["outcomes"][1])
    assert "5" not in shown
    assert "6" not in shown


def test_a_visible_failure_is_told_before_a_hidden_one():
    tests = [TESTS[1], TESTS[0]]
    assert verdict("def f(x): return 7", tests).detail == "f(1) gives 7, not 2"


def test_the_program_never_receives_an_expected_value():
    tests = [ProgramTest("f", (1,), 123456789)]
    assert all("123456789" not in request for request in requests("f = 1", tests, Limits(runs=4)))


def test_hidden_calls_never_stand_beside_visible_ones():
    tests = [ProgramTest("f", (1,), 2), ProgramTest("f", (987654,), 0, hidden=True), ProgramTest("f", (3,), 4)]
    asked = requests("", tests, Limits(runs=2))
    assert ["987654" in request for request in asked] == [False, False, True, True]


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nraise Exception(str(sys._getframe(1).f_locals))",
        "import sys\ndef f(x): return str([sys._getframe(depth).f_locals for depth in range(4)])",
        "def f(x): return x + 1 if x == 1 else print(x)",
    ],
)
def test_a_program_cannot_show_a_hidden_call(source):
    tests = [ProgramTest("f", (1,), 2), ProgramTest("f", (987654,), 0, hidden=True)]
    judged = verdict(source, tests)
    assert not judged.correct
    assert "987654" not in json.dumps(judged.to_dict())


def test_what_a_program_says_beside_hidden_calls_is_not_repeated():
    tests = [ProgramTest("f", (987654,), 0, hidden=True)]
    judged = verdict("import sys\nraise Exception(str(sys._getframe(1).f_locals))", tests)
    assert judged.detail == "it fails to load for the hidden tests"


def test_runs_that_belong_to_no_part_are_refused():
    with pytest.raises(DomainError, match="visible and hidden tests run apart"):
        judge(TESTS, [Run("done", json.dumps(GOOD))])


def test_every_second_run_calls_in_reverse_order():
    first, second, third = (json.loads(request)["calls"] for request in requests("", VISIBLE, Limits(runs=3)))
    assert first == second[::-1] == third


GOOD = {"failed": None, "detail": "", "results": [["value", 2], ["value", 6]]}


def test_the_forger_needs_the_right_results():
    assert judge(VISIBLE, [Run("done", json.dumps(GOOD))]).correct


@pytest.mark.parametrize(
    "report",
    [
        "",
        "[]",
        "null",
        "{" * 100_000,
        "[" * 100_000,
        '{"failed": "correct", "detail": "", "results": []}',
        '{"failed": "wrong", "detail": "", "results": []}',
        '{"failed": ["correct"], "detail": "", "results": []}',
        '{"failed": null, "detail": "", "results": []}',
        '{"failed": null, "detail": "", "results": [["value", 2]]}',
        '{"failed": null, "detail": "", "results": [["correct", 2], ["correct", 6]]}',
        '{"failed": null, "detail": "", "results": [["value", [2]], ["value", 6]]}',
        '{"failed": null, "detail": "", "results": [["value", {"float": "x"}], ["value", 6]]}',
        '{"failed": null, "detail": "", "results": [["value", {"dict": [[1]]}], ["value", 6]]}',
        '{"failed": null, "detail": "", "results": [["value", {"float": "1", "list": []}], ["value", 6]]}',
        '{"failed": null, "detail": "", "results": [["exception", 5], ["value", 6]]}',
        '{"failed": null, "detail": "", "results": [["value", ' + "9" * 5000 + '], ["value", 6]]}',
    ],
    ids=range(17),
)
def test_a_forged_report_is_broken(report):
    judged = judge(VISIBLE, [Run("done", report)])
    assert (judged.reason, judged.reward) == (ProgramReason.BROKEN, 0.0)


def test_a_text_full_of_brackets_is_an_ordinary_result():
    tests = [ProgramTest("f", (1,), "[{" * 500)]
    assert verdict("def f(x): return '[{' * 500", tests).correct


@pytest.mark.parametrize("text", ['"' + '\\"' * 50_000, '"' * 100_001, '"a\\', "[" * 100_000])
def test_nesting_is_counted_in_any_text(text):
    assert nesting(text) == (100_000 if text[0] == "[" else 0)


@pytest.mark.parametrize("status", ["timeout", "memory", "output", "broken"])
def test_a_run_that_did_not_end_by_itself_decides(status):
    runs = [Run("done", json.dumps(GOOD)), Run(status, isolation=("worker",))]
    judged = judge(TESTS, runs)
    assert (judged.reason, judged.reward, judged.isolation) == (status, 0.0, ("worker",))


def test_after_a_timeout_nothing_is_run_again():
    asked = []

    def slow(request, limits):
        asked.append(request)
        return Run("timeout")

    assert verify_program("f = 1", TESTS, run=slow, limits=Limits(runs=5)).reason is ProgramReason.TIMEOUT
    assert len(asked) == 1


def test_the_page_gets_the_same_verdict_through_json():
    tests = json.dumps([test.to_dict() for test in TESTS])
    asked = json.loads(requests_json("def f(x): return x + 1", tests, '{"runs": 2}'))
    runs = json.dumps([{"status": "done", "report": observe(request)} for request in asked])
    assert json.loads(judge_json(tests, runs)) == verdict("def f(x): return x + 1").to_dict() | {
        "visible": [1, 1],
        "hidden": [1, 1],
        "isolation": [],
    }


def test_a_test_may_be_written_as_plain_json_or_coded():
    plainly = ProgramTest.from_dict({"function": "f", "arguments": [[1, 2]], "expected": {"list": [3]}})
    assert plainly.expected == {"list": [3]}
    test = ProgramTest("f", ({1, 2}, 1.5), {"a": (1, 2.5)})
    again = ProgramTest.from_dict(json.loads(json.dumps(test.to_dict())))
    assert again == ProgramTest("f", ({1, 2}, 1.5), {"a": [1, 2.5]})


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: Limits(wall_seconds=0), "wall_seconds"),
        (lambda: Limits(wall_seconds=float("nan")), "wall_seconds"),
        (lambda: Limits(runs=True), "runs"),
        (lambda: Limits(memory_bytes=1), "memory_bytes"),
        (lambda: Limits.from_dict({"seconds": 1}), "Limits"),
        (lambda: ProgramTest("f()", (), 1), "function"),
        (lambda: ProgramTest("f", "ab", 1), "arguments"),
        (lambda: ProgramTest("f", (object(),), 1), "arguments"),
        (lambda: ProgramTest("f", (), float("nan")), "expected"),
        (lambda: ProgramTest("f", (), [float("inf")]), "expected"),
        (lambda: ProgramTest("f", (), 1, hidden=1), "hidden"),
        (lambda: ProgramTest("f", (), 1, tolerance=-1), "tolerance"),
        (lambda: ProgramTest.from_dict({"function": "f", "arguments": []}), "test"),
        (lambda: requests("f = 1", [], Limits()), "tests"),
        (lambda: requests(None, TESTS, Limits()), "source"),
        (lambda: judge(TESTS, []), "runs"),
        (lambda: Run("lost"), "status"),
        (lambda: judge_json("{}", "[]"), "tests"),
        (lambda: requests_json("", "[", "{}"), "tests"),
    ],
)
def test_bad_arguments_are_refused_by_name(make, argument):
    with pytest.raises(DomainError) as caught:
        make()
    assert caught.value.argument == argument


def test_two_runs_that_differ_only_in_kind_disagree():
    def run(value):
        return Run("done", json.dumps({"failed": None, "detail": "", "results": [["value", value]]}))

    tests = [ProgramTest("f", (1,), 1)]
    assert judge(tests, [run(1), run(True)]).reason is ProgramReason.NONDETERMINISTIC
    assert judge(tests, [run(1), run(1)]).correct
