"""Oracle: pycore, through each exercise's checks.py. Every solution passes, every wrong one is called by its name."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from web.builder import exercises
from web.builder.course import CourseError
from web.exercises import folder, judge, observe, values
from web.exercises.folder import HERE, ExerciseError

EXERCISES = {name: folder.read(HERE / name) for name in folder.names()}
each_exercise = pytest.mark.parametrize("name", EXERCISES)


@each_exercise
def test_the_solution_passes_and_prints_without_a_fault(name: str) -> None:
    report = folder.play(EXERCISES[name].solution, EXERCISES[name].task)
    assert folder.passes(report)
    assert report["error"] is None
    assert report["verdict"]["mistake"] is None


@each_exercise
def test_every_wrong_solution_fails_and_is_called_by_its_name(name: str) -> None:
    exercise = EXERCISES[name]
    reports = {mistake: folder.play(source, exercise.task) for mistake, source in exercise.wrong.items()}
    assert {mistake: report["verdict"]["mistake"] for mistake, report in reports.items()} == {m: m for m in reports}
    assert not any(folder.passes(report) for report in reports.values())


@each_exercise
def test_the_starter_loads_and_passes_nothing(name: str) -> None:
    report = folder.play(EXERCISES[name].starter, EXERCISES[name].task)
    assert report["error"] is None
    assert not any(check["passed"] for check in report["verdict"]["checks"])


@each_exercise
def test_there_are_visible_and_hidden_checks_and_graded_hints(name: str) -> None:
    hidden = [check["hidden"] for check in EXERCISES[name].task["checks"]]
    assert True in hidden
    assert False in hidden
    assert len(folder.load(HERE / name, "ru")["hints"]) >= 2


def test_a_mixture_of_right_answers_and_one_mistake_is_still_that_mistake() -> None:
    source = EXERCISES["p_info"].wrong["any_success"].replace("return", "return 0.0 if G == 1 else")
    assert folder.play(source, EXERCISES["p_info"].task)["verdict"]["mistake"] == "any_success"


def test_two_mistakes_at_once_have_no_name() -> None:
    source = "def p_info(p, G):\n    return 0.123 if G == 8 else p"
    assert folder.play(source, EXERCISES["p_info"].task)["verdict"]["mistake"] is None


def test_a_hidden_check_shows_neither_arguments_nor_results() -> None:
    report = folder.play(EXERCISES["p_info"].wrong["empty"], EXERCISES["p_info"].task)
    hidden = [check for check in report["verdict"]["checks"] if check["hidden"]]
    assert all(set(check) <= {"name", "hidden", "passed", "why", "error"} for check in hidden)


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("x = 1\nprint(1 / 0)", "exception", 2),
        ("def f(:\n    pass", "syntax", 1),
        ("def f():\n    return f()\nf()", "recursion", 2),
        ("\nname = input('?')", "input", 2),
        ("raise SystemExit", "exception", 1),
        ("while True:\n    print('x' * 1000)", "output", 2),
        ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})", "exception", None),
        ("x = [0] * 10**15", "memory", 1),
    ],
)
def test_what_goes_wrong_is_told_with_its_line(source: str, kind: str, line: int | None) -> None:
    report = json.loads(observe.observe(json.dumps({"source": source})))
    assert report["error"]["kind"] == kind
    assert report["error"]["line"] == line
    assert len(report["output"]) <= observe.PRINTED


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("pass", "nothing"),
        ("return 'half'", "type"),
        ("return [p, p]", "shape"),
        ("return float('nan')", "nan"),
        ("return p", "value"),
        ("return 1 / 0", "error"),
        ("return object()", "error"),
    ],
)
def test_each_kind_of_wrong_result_has_its_own_reason(body: str, why: str) -> None:
    report = folder.play(f"def p_info(p, G):\n    {body}", EXERCISES["p_info"].task)
    assert report["verdict"]["checks"][0]["why"] == why


def test_changing_the_arguments_is_noticed_even_when_the_result_is_right() -> None:
    call: dict[str, Any] = {"function": "total", "arguments": values.coded([np.array([1.0, 2.0])]), "expected": 3.0}
    task = {"checks": [{"name": "sum", "hidden": False, "tolerance": 1e-9, "calls": [call]}], "mistakes": []}
    source = "def total(x):\n    s = x.sum()\n    x *= 0\n    return s"
    assert folder.play(source, task)["verdict"]["checks"][0]["why"] == "changed"


def test_what_a_program_breaks_is_whole_for_the_next_one() -> None:
    source = (
        "import numpy as np, math\nnp.mean = np.allclose = math.exp = print = None\nimport builtins\nbuiltins.len = 1"
    )
    assert json.loads(observe.observe(json.dumps({"source": source})))["error"] is None
    assert np.allclose(np.mean([1.0]), 1)
    assert folder.passes(folder.play(EXERCISES["p_info"].solution, EXERCISES["p_info"].task))


def test_plots_and_output_come_back_as_data() -> None:
    source = "print('a')\nplot([1, 2], [3, float('nan')], label='loss')\nplot([5, 6], kind='bars')"
    report = json.loads(observe.observe(json.dumps({"source": source})))
    assert report["output"] == "a\n"
    assert report["plots"] == [
        {"label": "loss", "kind": "line", "x": [1.0], "y": [3.0]},
        {"label": "", "kind": "bars", "x": [0.0, 1.0], "y": [5.0, 6.0]},
    ]
    assert json.loads(observe.observe('{"source": "plot([1, 2], [3])"}'))["error"]["type"] == "ValueError"


@pytest.mark.parametrize("value", [1, True, 2.5, "a", None, (1, 2.5), [1, "a"], {"a": (1,)}, float("inf")])
def test_values_come_back_as_they_went(value: object) -> None:
    assert values.decoded(json.loads(json.dumps(values.coded(value)))) == value


def test_arrays_come_back_with_their_shape_and_kind() -> None:
    for array in (np.zeros((2, 0, 3)), np.eye(2, dtype=bool), np.arange(6).reshape(2, 3)):
        back = values.decoded(json.loads(json.dumps(values.coded(array))))
        assert back.shape == array.shape
        assert np.array_equal(back, array)


def test_the_judge_needs_as_many_results_as_there_are_calls() -> None:
    task = EXERCISES["p_info"].task
    assert judge.verdict(task, [])["checks"][0]["why"] == "unplayed"


def spoiled(folder_name: str, target: Path) -> Path:
    return Path(shutil.copytree(HERE / folder_name, target / folder_name))


@pytest.mark.parametrize("missing", ["en.md", "ru.toml", "starter.py", "solution.py", "checks.py"])
def test_a_folder_that_lacks_a_file_stops_the_build(missing: str, tmp_path: Path) -> None:
    copy = spoiled("p_info", tmp_path)
    (copy / missing).unlink()
    with pytest.raises(ExerciseError, match=missing):
        folder.read(copy)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("en.toml", "coin =", "coins =", "coin"),
        ("ru.toml", 'pair = "', 'pear = "', "pair"),
        ("en.toml", 'title = "When', 'heading = "When', "title"),
        ("ru.toml", 'title = "Когда группа даёт сигнал"', 'title = " "', "empty"),
        ("solution.py", "1 - p", "2 - p", "solution.py does not pass"),
        ("wrong/pair.py", "2 * p * (1 - p)", "1 - p**G - (1 - p) ** G", "pair.py passes every check"),
        ("wrong/empty.py", "return", "retur", "empty.py does not load"),
    ],
)
def test_parts_that_do_not_fit_together_stop_the_build(
    file: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    copy = spoiled("p_info", tmp_path)
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ExerciseError, match=message):
        folder.read(copy)


def test_numbers_of_the_text_come_from_the_oracle_in_the_languages_spelling(tmp_path: Path) -> None:
    copy = spoiled("p_info", tmp_path)
    task = "$$x^2$$\n\nA {= p_info(0.1, 8); .2f =} and $-{= p_info(0.1, 8); .2f =} = y$."
    (copy / "ru.md").write_text(task, encoding="utf-8")
    one = folder.read(copy)
    assert exercises.computed(task, one, "ru", "here") == "$$x^2$$\n\nA 0,57 and $-0.57 = y$."
    with pytest.raises(CourseError, match="here: cannot compute `p_infos"):
        exercises.computed("{= p_infos(1); .2f =}", one, "ru", "here")


@each_exercise
def test_every_text_is_whole_with_its_numbers_computed(name: str) -> None:
    for language in folder.LANGUAGES:
        text = (HERE / name / f"{language}.md").read_text(encoding="utf-8")
        assert "{=" not in exercises.computed(text, EXERCISES[name], language, name)


def test_fewer_than_three_wrong_solutions_stop_the_build(tmp_path: Path) -> None:
    copy = spoiled("p_info", tmp_path)
    for path in sorted((copy / "wrong").glob("*.py"))[2:]:
        path.unlink()
    with pytest.raises(ExerciseError, match="at least 3"):
        folder.read(copy)
